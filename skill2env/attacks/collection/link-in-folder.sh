# Makes an output a folder with links out of it, to its parents, and to itself.
bash "$SOLVE"
rm -rf "$REPORT"; mkdir -p "$REPORT/inner"
ln -s /tests "$REPORT/tests"; ln -s .. "$REPORT/inner/up"; ln -s itself "$REPORT/itself"; ln -s /etc/shadow "$REPORT/inner/file"
