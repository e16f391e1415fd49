# Tries names that would leave the folder if somebody pasted them together.
bash "$SOLVE"
rm -rf "$REPORT"; mkdir -p "$REPORT"; cd "$REPORT"
touch -- '..\..\tests' '%2e%2e%2ftests' '....' '..;' $'..\u2215..\u2215tests'
