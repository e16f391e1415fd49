# Makes an output a link to a file of the machine.
bash "$SOLVE"
ln -sf /etc/passwd "$REPORT"
