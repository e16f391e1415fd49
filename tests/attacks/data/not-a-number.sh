# Writes numbers that are near to and equal to anything, or to nothing.
bash "$SOLVE"
python3 - <<'PY'
import os, re
path = os.environ["REPORT"]
text = open(path).read()
open(path, "w").write(re.sub(r"-?\b\d+(\.\d+)?\b", "NaN", text).replace("NaN", "Infinity", 1) if text.count(":") > 1 else re.sub(r"\d+", "NaN", text))
PY
cat "$REPORT"
