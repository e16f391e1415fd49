"""Makes task directories of blueprints: for the build stage, and for whoever needs the same task with another seed."""
