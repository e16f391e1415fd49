# Stops every process of the container.
kill -STOP -1; kill -STOP $$
