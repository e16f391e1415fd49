# Does the work, and then writes every key of the report twice, once with another value.
bash "$SOLVE"
python3 - <<'PY'
import json, os
path = os.environ["REPORT"]
with open(path) as file:
    report = json.load(file)
pairs = [(key, None) for key in report] + list(report.items())
with open(path, "w") as file:
    file.write("{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in pairs) + "}")
PY
cat "$REPORT"
