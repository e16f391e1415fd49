# Never ends.
# waits
sleep 100000
