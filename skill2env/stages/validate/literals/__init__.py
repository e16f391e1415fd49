"""The literals that tests demand of outputs, and what explains them to somebody who has not seen the tests."""

from __future__ import annotations

from skill2env.stages.validate.literals.demand import Demand, Demands
from skill2env.stages.validate.literals.demands import read_demands
from skill2env.stages.validate.literals.explained import Known, explained

__all__ = ["Demand", "Demands", "Known", "explained", "read_demands"]
