# Kills all processes of its own container, so that the trial looks like a lost machine.
kill -9 -1
kill -TERM 1
kill -9 $$
