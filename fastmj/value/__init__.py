"""What a hand is worth: distance to every fan and to enough fan, and Monte Carlo."""

from __future__ import annotations

from .advisor import Advice, Advisor
from .batch import SimulationBatch, simulate_batch
from .exact import exact_chances
from .fans import FanDistanceBatch, fan_distance_batch
from .hands import Route, routes
from .policy import PolicyFunction, Turn
from .results import Choice, Simulation
from .simulation import Policy, simulate
from .targets import MOST_EXACT, MinFanBatch, MinFanShanten, min_fan_shanten, min_fan_shanten_batch

__all__ = [
    "MOST_EXACT",
    "Advice",
    "Advisor",
    "Choice",
    "FanDistanceBatch",
    "MinFanBatch",
    "MinFanShanten",
    "Policy",
    "PolicyFunction",
    "Route",
    "Simulation",
    "SimulationBatch",
    "Turn",
    "exact_chances",
    "fan_distance_batch",
    "min_fan_shanten",
    "min_fan_shanten_batch",
    "routes",
    "simulate",
    "simulate_batch",
]
