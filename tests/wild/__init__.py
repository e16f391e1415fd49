"""The reader against thousands of public skills, where a copy is at hand: `python -m tests.wild`."""
