# Does the work, and then writes every key of the report twice, once with another value.
# json
bash "$SOLVE"
python3 - <<'PY'
import json, os


def text(value):
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)}: null" for key in value]
        pairs += [f"{json.dumps(key)}: {text(inner)}" for key, inner in value.items()]
        return "{" + ", ".join(pairs or ['"": 1', '"": 1']) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    return json.dumps(value)


path = os.environ["REPORT"]
with open(path) as file:
    twice = text(json.load(file))
with open(path, "w") as file:
    file.write(twice if "{" in twice else '{"a": 1, "a": 1}')
PY
