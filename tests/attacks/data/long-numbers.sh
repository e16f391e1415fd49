# Writes numbers of millions of digits.
bash "$SOLVE"
python3 -c "print('{\"total\": ' + '9' * 5000000 + '}')" > "$REPORT"
