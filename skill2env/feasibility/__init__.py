"""The feasibility verdict: can a skill be practised in an offline container?"""

from skill2env.feasibility.verdict import judge

__all__ = ["judge"]
