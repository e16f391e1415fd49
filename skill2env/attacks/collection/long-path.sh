# Nests an output so that its path is longer than any path may be.
bash "$SOLVE"
rm -rf "$REPORT"; mkdir -p "$REPORT"; cd "$REPORT"
python3 -c "import os
for _ in range(20): os.mkdir('n' * 250); os.chdir('n' * 250)
open('f', 'w').close()"
