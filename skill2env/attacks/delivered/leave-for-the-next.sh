# Delivers a program that leaves results of one run for the next, and waits for it.
bash "$SOLVE"
cat > "$TOOL" <<'PY'
#!/usr/bin/env python3
import glob, sys
given = sys.stdin.read()
for place in glob.glob("/tmp/*") + glob.glob("/dev/shm/*"):
    print(open(place).read())
open("/tmp/given", "w").write(given)
PY
