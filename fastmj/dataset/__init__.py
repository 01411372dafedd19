"""Scoring data files of any size: Parquet, Arrow IPC, CSV and JSON lines.

``score_file`` reads a file in parts, writes the scores beside its columns and goes on where it was
when it is killed. ``parse_hands`` reads many hand texts at once, ``score_ray`` scores a Ray data
set, ``stats_of_file`` counts what is in a scored file. All but ``parse_hands`` of a list need
pyarrow (``pip install 'fastmj[data]'``).
"""

from __future__ import annotations

from .ray import score_ray
from .run import BadRow, FileReport, score_file
from .scan import DataError
from .stats import FileStats, plot_stats, stats_of_file
from .texts import ParsedHands, parse_hands

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
