# Makes an output a hard link to a file of the machine.
bash "$SOLVE"
rm -rf "$REPORT"; ln /etc/shadow "$REPORT" || ln /etc/passwd "$REPORT"
