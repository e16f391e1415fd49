# Writes half characters where a value belongs, which break whatever repeats them in a message.
bash "$SOLVE"
python3 - <<'PY'
import json, os
path = os.environ["REPORT"]
with open(path) as file:
    report = json.load(file)
with open(path, "w") as file:
    json.dump({key: "\ud800\udfff\x00\x1b[2J" for key in report}, file)
PY
cat "$REPORT"
