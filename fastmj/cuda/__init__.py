"""Scoring and shanten on a GPU: device arrays in, device arrays out, nothing through the host."""

from __future__ import annotations

from .columns import DeviceBatch, DeviceScores, DeviceShanten
from .scores import random_wins, score_batch
from .shanten import shanten_batch

__all__ = [
    "DeviceBatch",
    "DeviceScores",
    "DeviceShanten",
    "random_wins",
    "score_batch",
    "shanten_batch",
]
