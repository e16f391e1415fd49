# Kills its container while the harness is at work.
# races
setsid bash -c 'sleep 0.2; kill -9 -1; kill -TERM 1' > /dev/null 2>&1 &
true
