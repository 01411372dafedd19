"""Scoring data files of any size: Parquet, Arrow IPC, CSV and JSON lines.

``score_file`` writes the scores beside the columns of a file, ``score_ray`` scores a Ray data set,
``stats_of_file`` counts what is in scored files. They need pyarrow.
"""

from __future__ import annotations

from ..files import DataError
from ..hands.parsed import ParsedHands, parse_hands
from ..pictures.stats import plot_stats
from .ray import score_ray
from .run import FileReport, score_file
from .score import BadRow
from .stats import FileStats, stats_of_file

__all__ = [
    "BadRow",
    "DataError",
    "FileReport",
    "FileStats",
    "ParsedHands",
    "parse_hands",
    "plot_stats",
    "score_file",
    "score_ray",
    "stats_of_file",
]
