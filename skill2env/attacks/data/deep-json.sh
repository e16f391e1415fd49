# Nests JSON two hundred thousand levels deep.
bash "$SOLVE"
rm -rf "$REPORT"
python3 -c "print('[' * 200000 + ']' * 200000)" > "$REPORT"
