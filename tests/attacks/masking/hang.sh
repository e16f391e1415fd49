# Never ends.
sleep 100000
