# Writes sixteen megabytes of the smallest values that take the most memory.
# waits
bash "$SOLVE"
rm -rf "$REPORT"
python3 -c "print('[' + '{},' * 5500000 + '{}]')" > "$REPORT"
