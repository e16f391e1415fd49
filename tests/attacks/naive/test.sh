#!/bin/bash
# What a task's verifier usually is: the tests, run by what is there, and one file with the reward.
cd /workspace
python3 -m pytest /tests/test_outputs.py -rA
if [ $? -eq 0 ]; then
    echo 1 > /logs/verifier/reward.txt
else
    echo 0 > /logs/verifier/reward.txt
fi
