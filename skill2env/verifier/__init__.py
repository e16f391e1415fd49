"""The verifier as it runs inside the judge's container; every task carries a copy of this package in its tests/.

It stands alone: standard library, pytest and PyYAML of the verifier's own interpreter, nothing of skill2env.
"""
