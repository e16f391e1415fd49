# Makes an output a link to a file without an end.
bash "$SOLVE"
ln -sf /dev/zero "$REPORT"
