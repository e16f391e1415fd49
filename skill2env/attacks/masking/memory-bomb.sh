# Uses up all memory, in files too.
head -c 300000000 /dev/zero > /dev/shm/full
python3 -c "blocks = []
while True: blocks.append(bytearray(1 << 20))"
tail /dev/zero
