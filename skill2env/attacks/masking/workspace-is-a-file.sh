# Puts a file where the folder of the outputs was.
cd / && rm -rf "$WORK" && echo > "$WORK"
