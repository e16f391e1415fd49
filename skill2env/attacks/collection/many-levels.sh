# Nests an output fifteen hundred levels deep.
bash "$SOLVE"
rm -rf "$REPORT"; mkdir -p "$REPORT"; cd "$REPORT"
python3 -c "import os
for _ in range(1500): os.mkdir('d'); os.chdir('d')"
