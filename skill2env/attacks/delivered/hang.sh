# Delivers a program that never ends and can't be interrupted.
# waits
bash "$SOLVE"
cat > "$TOOL" <<'PY'
#!/usr/bin/env python3
import signal, time
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(1)
PY
