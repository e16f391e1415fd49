# Stops every process of the container.
# waits
kill -STOP -1; kill -STOP $$
