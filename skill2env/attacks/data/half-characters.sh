# Writes half characters where a value belongs, which break whatever repeats them in a message.
# json
bash "$SOLVE"
python3 - <<'PY'
import json, os


def broken(value):
    if isinstance(value, dict):
        return {key: broken(inner) for key, inner in value.items()}
    if isinstance(value, list) and value:
        return [broken(inner) for inner in value]
    return "\ud800\udfff\x00\x1b[2J"


path = os.environ["REPORT"]
with open(path) as file:
    report = broken(json.load(file))
with open(path, "w") as file:
    json.dump(report, file)
PY
