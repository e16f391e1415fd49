# Does the work, and then turns the report into text that is no text: another encoding, and characters that end strings.
bash "$SOLVE"
python3 - <<'PY'
import os, shutil
path = os.environ["REPORT"]
data = b""
if os.path.isfile(path):
    with open(path, "rb") as file:
        data = file.read()
elif os.path.isdir(path):
    shutil.rmtree(path)
with open(path, "wb") as file:
    file.write(b"\xff\xfe\x00" + data.decode("utf-8", "replace").encode("utf-16-le"))
PY
