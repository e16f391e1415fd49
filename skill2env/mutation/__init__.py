"""Automatic mutants of right outputs: most must be refused, and those that mean the same must be accepted."""
