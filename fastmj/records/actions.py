"""What players do, as numbers for training."""

from __future__ import annotations

from ..hands.melds import Meld, MeldKind
from ..hands.tiles import NAMES
from .format import Event, EventKind

#: First number of each kind of action; 235 in all.
PASS, WIN, PLAY, CHOW, PUNG, KONG, CONCEALED_KONG, ADDED_KONG, ACTIONS = (
    0, 1, 2, 36, 99, 133, 167, 201, 235,
)  # fmt: skip
_STARTS = {
    EventKind.PLAY: PLAY, EventKind.PUNG: PUNG, EventKind.KONG: KONG,
    EventKind.CONCEALED_KONG: CONCEALED_KONG, EventKind.ADDED_KONG: ADDED_KONG,
}  # fmt: skip


def action_of(event: Event, offered: int) -> int:
    """Number of the action that an event is.

    Parameters
    ----------
    event : Event
    offered : int
        The discard that a chow is made of.

    Examples
    --------
    >>> from fastmj.records import Event, EventKind
    >>> action_of(Event(EventKind.PLAY, 0, 4), -1)
    6
    >>> action_of(Event(EventKind.CHOW, 0, 1), offered=2)
    38
    """
    if event.kind == EventKind.WIN:
        return WIN
    if event.kind == EventKind.CHOW:
        lowest = event.tile - 1
        return CHOW + 3 * (7 * (lowest // 9) + lowest % 9) + offered - lowest
    return _STARTS[event.kind] + event.tile


def action_text(action: int) -> str:
    """An action in words.

    >>> [action_text(number) for number in (0, 1, 6, 38, 104, 201)]
    ['pass', 'win', 'discard 5m', 'chow 123m with 3m', 'pung 6m', 'add 1m to its pung']
    """
    if action < PLAY:
        return ("pass", "win")[action]
    if CHOW <= action < PUNG:
        place, made_of = divmod(action - CHOW, 3)
        lowest = place // 7 * 9 + place % 7
        return f"chow {str(Meld(MeldKind.CHOW, lowest))[1:-1]} with {NAMES[lowest + made_of]}"
    for start, words in (
        (ADDED_KONG, "add {} to its pung"), (CONCEALED_KONG, "concealed kong of {}"),
        (KONG, "kong of {}"), (PUNG, "pung {}"), (PLAY, "discard {}"),
    ):  # fmt: skip
        if action >= start:
            return words.format(NAMES[action - start])
    raise ValueError(f"{action} is no action: they are 0 to {ACTIONS - 1}")
