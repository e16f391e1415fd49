# Makes an output a FIFO, so that whoever reads it hangs.
bash "$SOLVE"
rm -rf "$REPORT"; mkfifo "$REPORT"
