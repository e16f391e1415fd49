# Makes an output a link to a file of the machine.
bash "$SOLVE"
rm -rf "$REPORT"; ln -s /etc/passwd "$REPORT"
