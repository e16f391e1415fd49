"""Other people's formats: Harbor's task directory, and ATIF trajectories."""
