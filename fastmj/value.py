"""What a hand is worth: distance to every fan and to enough fan, and Monte Carlo."""

from __future__ import annotations

from .value_exact import exact_chances
from .value_fans import FanDistanceBatch, fan_distance_batch
from .value_hands import Route, routes
from .value_policy import PolicyFunction, Turn
from .value_results import Choice, Simulation
from .value_simulate import Policy, simulate
from .value_targets import (
    MOST_EXACT,
    MinFanBatch,
    MinFanShanten,
    min_fan_shanten,
    min_fan_shanten_batch,
)

__all__ = [
    "MOST_EXACT",
    "Choice",
    "FanDistanceBatch",
    "MinFanBatch",
    "MinFanShanten",
    "Policy",
    "PolicyFunction",
    "Route",
    "Simulation",
    "Turn",
    "exact_chances",
    "fan_distance_batch",
    "min_fan_shanten",
    "min_fan_shanten_batch",
    "routes",
    "simulate",
]
