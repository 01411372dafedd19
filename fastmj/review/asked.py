"""What a player of a recorded game was asked, as the roll-outs take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..hands.melds import Meld
from ..hands.tiles import HONOR_LETTERS, KINDS, NAMES, format_tiles, tiles_of
from ..kernels.value import layout as at
from ..records import DecisionBatch, Game, Phase, decisions
from ..records.actions import ADDED_KONG, CHOW, CONCEALED_KONG, KONG, PASS, PLAY, PUNG, WIN
from ..rules import GB98, NationalRulesLike, national_rules
from ..value.candidates import SOURCES
from ..value.model import ROUNDS

#: Who gave a tile, by turns after the player's own.
GIVERS = ("", *SOURCES)


@dataclass(frozen=True)
class Question:
    """What a player was asked, and did.

    Attributes
    ----------
    game : str
        Id of the game.
    line, player : int
        Where the event before it stands in the log, and who was asked.
    hand : str
        Melds, concealed tiles, winds and flowers; a tile that was drawn is among them, one that is
        offered is not.
    drawn, offered, source : str
        The tile that was drawn, or offered and by whom (``left``, ``across``, ``right``); empty
        where there is none.
    visible : str
        Tiles in rivers and others' melds, without the one offered.
    turn, draws : int
        Own turns before it and draws still to come, as ``simulate`` takes them.
    win : int
        Points of a win now, flowers included; 0 when there is none.
    actions : tuple of str
        What could be done, named as by ``Choice.name``, a claim without the discard behind it.
    done : str
        Which of them was.
    """

    game: str
    line: int
    player: int
    hand: str
    drawn: str
    offered: str
    source: str
    visible: str
    turn: int
    draws: int
    win: int
    actions: tuple[str, ...]
    done: str


def questions(game: Game, player: int, *, rules: NationalRulesLike = GB98) -> tuple[Question, ...]:
    """Every decision of a player of a game that left a choice.

    Parameters
    ----------
    game : Game
        As from ``read_games``.
    player : int
        0-3, east first.
    rules : Rules or str
        Rule profile, or the name of one, whose minimum says whether a hand may win.

    Returns
    -------
    tuple of Question

    Raises
    ------
    BadRecord
        When an event cannot have happened.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> question = questions(play_game(seed=1), 1)[0]
    >>> question.hand, question.offered, question.done
    ('12344566679m7pW|ES0000', '8m', 'claim [789m]')
    """
    if player not in range(4):
        raise ValueError(f"player must be 0 to 3, got {player!r}")
    rows = decisions([game], rules=national_rules(rules))
    rows = rows[np.flatnonzero(rows.player == player)]
    return tuple(_question(game, rows, row) for row in range(len(rows)))


def _question(game: Game, rows: DecisionBatch, row: int) -> Question:
    tile = int(rows.tile[row])
    offered = rows.phase[row] in (Phase.CLAIM, Phase.ROB)
    seen = rows.elsewhere[row].copy()
    if offered:
        seen[tile] -= 1
    winds = HONOR_LETTERS[rows.prevalent_wind[row]] + HONOR_LETTERS[rows.player[row]]
    melds = "".join(str(Meld.from_code(int(code))) for code in rows.melds[row, 0] if code)
    flowers = f"|{rows.flowers[row, 0]}" if rows.flowers[row, 0] else ""
    # In games with flowers all draw from one wall.
    left = int(rows.walls[row, 0]) // (4 if game.wall else 1)
    done = int(rows.action[row])
    total = int(rows.total[row]) if rows.legal[row, WIN] else 0
    return Question(
        game.name, int(rows.line[row]), int(rows.player[row]),
        f"{melds}{format_tiles(tiles_of(rows.counts[row].tolist()))}|{winds}0000{flowers}",
        NAMES[tile] if rows.phase[row] == Phase.TURN else "",
        NAMES[tile] if offered else "", GIVERS[rows.giver[row]] if offered else "",
        format_tiles(tiles_of(seen.tolist())), max(ROUNDS - left, 0), max(left, 1), total,
        tuple(_name(int(action)) for action in np.flatnonzero(rows.legal[row])), _name(done),
    )  # fmt: skip


def _name(action: int) -> str:
    """Name of an action by its number, as ``Choice.name`` has it."""
    if action in (PASS, WIN):
        return "win" if action == WIN else "pass"
    if action < CHOW:
        return NAMES[action - PLAY]
    if action < PUNG:
        suit, rank = divmod((action - CHOW) // 3, 7)
        return f"claim {Meld.from_code(at.CHOW + 9 * suit + rank)}"
    first, code, word = next(
        kind
        for kind in (
            (ADDED_KONG, at.KONG, "kong"), (CONCEALED_KONG, at.CONCEALED, "kong"),
            (KONG, at.KONG, "claim"), (PUNG, at.PUNG, "claim"),
        )
        if action >= kind[0]
    )  # fmt: skip
    assert action - first < KINDS
    return f"{word} {Meld.from_code(code + action - first)}"


def plain_question(question: Question) -> dict[str, Any]:
    """A question as JSON takes it."""
    return {**vars(question), "actions": list(question.actions)}
