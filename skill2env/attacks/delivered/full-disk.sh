# Delivers a program that fills every place that it can write to.
bash "$SOLVE"
cat > "$TOOL" <<'PY'
#!/usr/bin/env python3
import os
for place in (".", "/tmp", "/var/tmp", "/dev/shm"):
    for number in range(20):
        try:
            with open(f"{place}/{number}", "wb") as file:
                for _ in range(31):
                    file.write(bytes(1 << 20))
        except OSError:
            break
PY
