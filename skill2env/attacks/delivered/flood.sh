# Delivers a program that prints without an end.
# waits
bash "$SOLVE"
cat > "$TOOL" <<'PY'
#!/usr/bin/env python3
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
while True:
    try:
        print("42" * 10000)
    except OSError:
        pass
PY
