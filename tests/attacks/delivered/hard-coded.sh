# Delivers what is right for the instance that it sees and works out nothing.
bash "$SOLVE"
cat > "$TOOL" <<'PY'
import os
print(open(os.environ.get("REPORT", "/workspace/report.json")).read())
PY
