# Uses newlines, escape codes, bytes that are no UTF-8, and options as names.
bash "$SOLVE"
rm -rf "$REPORT"; mkdir -p "$REPORT"; cd "$REPORT"
touch -- $'new\nline' $'\e[31mred' $'\xff\xfe' '-rf' '--help' '..x' ' ' $'a\\b' '$(id)' ';id'
