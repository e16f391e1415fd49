# Does the work, and then turns every number of the report into text, and the other way round.
# json
bash "$SOLVE"
python3 - <<'PY'
import json, os


def turned(value):
    if isinstance(value, dict):
        return {key: turned(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [turned(inner) for inner in value] or {}
    return str(value) if isinstance(value, (int, float)) else [value]


path = os.environ["REPORT"]
with open(path) as file:
    report = turned(json.load(file))
with open(path, "w") as file:
    json.dump(report, file)
PY
