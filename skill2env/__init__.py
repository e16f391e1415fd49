"""Turns agent skills into validated, executable tasks and a dataset with trajectories."""
