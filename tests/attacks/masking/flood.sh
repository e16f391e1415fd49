# Prints without an end.
yes forged
