"""The best that can be done in a scenario, by search in the simulator itself. For evaluators; no tool reaches it."""

from mission.oracle.search import Closed, Flown, Solution, solve
from mission.oracle.space import every_lever, levers, relevant

__all__ = ["Closed", "Flown", "Solution", "every_lever", "levers", "relevant", "solve"]
