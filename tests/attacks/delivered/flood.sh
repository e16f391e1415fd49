# Delivers a program that prints without an end.
bash "$SOLVE"
cat > "$TOOL" <<'PY'
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
while True:
    try:
        print("42" * 10000)
    except OSError:
        pass
PY
