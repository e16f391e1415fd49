# Makes an output a device.
bash "$SOLVE"
rm -rf "$REPORT"; mknod "$REPORT" c 1 5 || mknod "$REPORT" b 7 0 || cp -a /dev/full "$REPORT"
