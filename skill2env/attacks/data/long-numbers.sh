# Writes numbers of millions of digits.
bash "$SOLVE"
rm -rf "$REPORT"
python3 -c "print('{\"total\": ' + '9' * 5000000 + '}')" > "$REPORT"
