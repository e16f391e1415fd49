"""How blueprints come to be written: the brief for people and coding agents, and the model author with its desk and its bench."""
