# Does the work, and then adds text that is no text: half characters, control characters, another encoding.
bash "$SOLVE"
python3 - <<'PY'
import os
path = os.environ["REPORT"]
text = open(path).read()
open(path, "wb").write(text.replace("}", ', "x": "\\ud800\\u0000"}', 1).encode("utf-16"))
PY
