"""Records of real games: read them, replay them, check them, make training rows of them.

``read_games`` reads the text logs of Botzone's Chinese-Standard-Mahjong and the judge's JSON;
``replay`` gives the winning hand of a game, ``decisions`` every decision as columns, and
``differences`` what a log declares otherwise than it is computed.
"""

from __future__ import annotations

from .format import BadRecord, Event, EventKind, Game
from .games import Checked, Difference, WrongDisplay, check, differences, read_games, wins
from .judge import read_judge, write_judge
from .replays import Phase, Table, Win, replay, tables
from .rows import DecisionBatch, action_of, decisions
from .text import read_log, write_log

__all__ = [
    "BadRecord",
    "DecisionBatch",
    "Difference",
    "Event",
    "EventKind",
    "Game",
    "Phase",
    "Table",
    "Win",
    "action_of",
    "decisions",
    "differences",
    "read_games",
    "read_judge",
    "read_log",
    "replay",
    "tables",
    "wins",
    "write_judge",
    "write_log",
]
