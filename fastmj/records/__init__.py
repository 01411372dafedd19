"""Records of real games: read them, replay them, check them, count and make training rows of them.

``read_games`` reads the text logs of Botzone's Chinese-Standard-Mahjong and its judge's JSON, the
records of tziakcha and PMN; ``check`` holds them to the scorer, ``statistics`` counts what is in
them, ``decisions`` gives every decision as columns.
"""

from __future__ import annotations

from .actions import action_of, action_text
from .arrow import write_decisions
from .convert import write_game
from .count import statistics, statistics_of_files
from .decision import Decision, DecisionBatch
from .files import holds_records
from .format import BadRecord, Declared, Event, EventKind, Game
from .games import (
    Checked,
    Difference,
    WrongDisplay,
    check,
    differences,
    false_win_due,
    read_games,
    wins,
)
from .judge import read_judge, write_judge
from .plots import plot_statistics
from .pmn import read_pmn
from .replays import Phase, Table, Win, replay, tables
from .rows import decision_batches, decisions, fan_masks
from .tallies import Statistics, Tally
from .text import read_log, write_log
from .tziakcha import read_tziakcha

__all__ = [
    "BadRecord",
    "Checked",
    "Decision",
    "DecisionBatch",
    "Declared",
    "Difference",
    "Event",
    "EventKind",
    "Game",
    "Phase",
    "Statistics",
    "Table",
    "Tally",
    "Win",
    "WrongDisplay",
    "action_of",
    "action_text",
    "check",
    "decision_batches",
    "decisions",
    "differences",
    "false_win_due",
    "fan_masks",
    "holds_records",
    "plot_statistics",
    "read_games",
    "read_judge",
    "read_log",
    "read_pmn",
    "read_tziakcha",
    "replay",
    "statistics",
    "statistics_of_files",
    "tables",
    "wins",
    "write_decisions",
    "write_game",
    "write_judge",
    "write_log",
]
