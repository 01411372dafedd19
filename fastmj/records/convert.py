"""Games in the formats that can be written, and what each of them has no place for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal, get_args

from ..quoting import quoted
from ..scoring.settlement import BASIC_POINTS
from .format import SHARED_WALL, EventKind, Game
from .judge import write_judge
from .text import write_log

Target = Literal["log", "judge"]
#: What is not kept, each with whether a game has it; then in words.
_LOSSES: tuple[tuple[str, Callable[[Game], bool]], ...] = (
    ("names of the players", lambda game: any(game.players)),
    ("false wins and what they cost", lambda game: any(game.penalties) or _false_wins(game)),
    ("how many tiles the one wall has", lambda game: game.wall > 0 and not _shows_flowers(game)),
    ("basic points other than 8", lambda game: game.base != BASIC_POINTS),
)


def _false_wins(game: Game) -> bool:
    return any(event.kind == EventKind.FALSE_WIN for event in game.events)


def _shows_flowers(game: Game) -> bool:
    return replace(game, wall=-1).wall == SHARED_WALL == game.wall


def write_game(game: Game, target: Target) -> tuple[str, list[str]]:
    """Game as text, and what of it the text does not have.

    Parameters
    ----------
    game : Game
    target : {"log", "judge"}
        Botzone's text log, or a line of the judge's JSON.

    Returns
    -------
    (str, list of str)

    Raises
    ------
    ValueError
        For a game with several winners, or that ended by a player's mistake: neither format has
        anything for them.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> text, lost = write_game(play_game(seed=1), "log")
    >>> text.splitlines()[0], lost
    ('Match seed-1', [])
    """
    if target not in get_args(Target):
        raise ValueError(f"a target is one of {', '.join(get_args(Target))}, got {quoted(target)}")
    lost = list(_lost(game, target))
    kept = replace(
        game,
        events=tuple(event for event in game.events if event.kind != EventKind.FALSE_WIN),
        name=" ".join(game.name.split()),
        scores=tuple(a - b for a, b in zip(game.scores, game.penalties, strict=True)),
        can_hu=() if _false_wins(game) else game.can_hu,
    )
    if target == "log":
        return write_log([kept]), lost
    return json.dumps(write_judge(kept), ensure_ascii=False) + "\n", lost


def _lost(game: Game, target: Target) -> Iterator[str]:
    for words, has in _LOSSES:
        if has(game):
            yield words
    if game.can_hu and (target == "log" or _false_wins(game)):
        yield "what the displays say of each seat (canHu)"
