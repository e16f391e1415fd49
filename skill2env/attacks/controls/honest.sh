# Does the work; must earn 1.
bash "$SOLVE"
