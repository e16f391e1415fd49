# Prints without an end.
# waits
yes forged
