# Does nothing; must earn 0.
true
