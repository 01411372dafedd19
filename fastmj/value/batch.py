"""Roll-outs of many hands, as arrays: targets for training."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distance.batches import codes_of
from ..distance.results import Columns
from ..hands.batch import as_bytes, rows_of_counts
from ..hands.columns import Bytes
from ..hands.melds import Meld
from ..hands.status import InvalidHand, Status
from ..hands.tiles import HONOR_LETTERS, format_tiles, tiles_of
from ..rules import GB98, Rules
from ..samples.arguments import MOST_DRAWS, Seed, resolve_seed, whole_between
from ..threads import run_chunks
from .fans import wind_columns
from .model import CLAIMS, ROUNDS, resolve_model
from .policy import NO_TILE, PolicyFunction
from .simulation import By, Policy, simulate
from .targets import shown_tiles

Floats = npt.NDArray[np.float64]


class SimulationBatch(Columns):
    """What roll-outs of many hands came to, under the best choice of each.

    Attributes
    ----------
    win_chance, win_error : ndarray of float64, shape (N,)
        Chance to win, and its standard error.
    payment, payment_error : ndarray of float64, shape (N,)
        What the hand gets or pays on average, others' wins counted, and its standard error.
    discard : ndarray of uint8, shape (N,)
        The best discard of a hand that has drawn; 255 where none is made: 13 tiles, or a kong.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; its numbers are then NaN and 255.
    """

    __slots__ = ("discard", "payment", "payment_error", "win_chance", "win_error")

    win_chance: Floats
    win_error: Floats
    payment: Floats
    payment_error: Floats
    discard: Bytes


def simulate_batch(
    counts: Any,
    melds: Any = None,
    *,
    visible: Any = None,
    seat_wind: Any = 0,
    prevalent_wind: Any = 0,
    draws: Any = None,
    turn: Any = 0,
    samples: int = 1000,
    by: By = "wins",
    rules: Rules = GB98,
    min_fan: int | None = None,
    seed: Seed = None,
    claims: float = CLAIMS,
    others: float = 1.0,
    melding: bool | None = None,
    policy: Policy | PolicyFunction = "weigh",
    threads: int | None = None,
) -> SimulationBatch:
    """Play many hands on, as ``simulate`` does one.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m or 14 - 3m tiles beside m melds.
    melds : array_like of int, shape (N, 4), optional
        Meld codes as in a ``HandBatch``.
    visible : array_like of int, shape (N, 34) or (34,), optional
        Copies seen in discards and others' melds.
    seat_wind, prevalent_wind : array_like of int, shape (N,), or int
        As for a ``HandBatch``.
    draws, turn : array_like of int, shape (N,), or int
        Rounds to come and own turns that have been played, as for ``simulate``; no more rounds than
        the tiles that are not seen allow.
    samples : int
        Roll-outs of each choice of each hand.
    by, rules, min_fan, claims, others, melding, policy
        As for ``simulate``.
    seed : int or Generator, optional
        As for ``simulate``. A row's result depends on it and on what the row says, not on its
        place, the other rows or the threads: the same hand twice has the same result twice.
    threads : int, optional
        Threads to use, by default one a core; a policy function is called from one.

    Returns
    -------
    SimulationBatch

    Raises
    ------
    TypeError, ValueError
        For a wrong dtype or shape, or a bad argument. Rows that are no hand get a status.

    Examples
    --------
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> texts = ["123456m78p12399s", "123m456p13789s9pEE", "19m19p19sESWNCFP"]
    >>> hands = [counts_of(parse_tiles(text)) for text in texts]
    >>> found = simulate_batch(hands, samples=100, seed=1, draws=8)
    >>> found.win_chance.shape, found.discard, found.status
    ((3,), array([255,  17, 255], dtype=uint8), array([0, 0, 0], dtype=uint8))

    Notes
    -----
    Of a hand that has drawn, the best of many choices is taken, which is in part luck: its chance
    is a little too high, the less so the more samples.
    """
    held = as_bytes("counts", rows_of_counts(counts))
    length = len(held)
    codes = codes_of(melds, length)
    samples = whole_between("samples", samples, 1, MOST_DRAWS**4)
    first = resolve_seed(seed)
    winds = wind_columns(length, seat_wind, prevalent_wind)
    seen = np.zeros(34, np.uint8) if visible is None else as_bytes("visible", visible)
    seen = np.broadcast_to(seen, (length, 34))
    turns = _numbers("turn", turn, length, 0)
    rounds = _numbers("draws", ROUNDS - turns if draws is None else draws, length, 1)
    a_round = resolve_model(
        claims, others, policy == "weigh" if melding is None else melding, 0
    ).a_round
    gone = held.astype(np.int64).sum(1) + seen.astype(np.int64).sum(1)
    rounds = np.minimum(
        rounds, np.maximum((136 - gone - shown_tiles(codes)[1].sum(1)) // a_round, 1)
    )
    status = np.zeros(length, np.uint8)
    for wind in winds.values():
        status[wind > 3] = Status.BAD_WIND
    values, discard = np.full((4, length), np.nan), np.full(length, NO_TILE, np.uint8)

    def play(row: int) -> None:
        named = [HONOR_LETTERS[int(wind[row])] for wind in winds.values()]
        own = "".join(str(Meld.from_code(int(code))) for code in codes[row] if code)
        text = f"{own}{format_tiles(tiles_of(held[row].tolist()))}|{named[1]}{named[0]}"
        said = [column[row].tobytes() for column in (held, codes, seen, *winds.values())]
        asked = np.array([first, rounds[row], turns[row]]).tobytes()
        digest = blake2b(asked + b"".join(said), digest_size=8).digest()
        found = simulate(
            text, visible=seen[row], draws=int(rounds[row]), turn=int(turns[row]), samples=samples,
            by=by, rules=rules, min_fan=min_fan, seed=int.from_bytes(digest, "little") >> 1,
            claims=claims, others=others, melding=melding, policy=policy, threads=1,
        )  # fmt: skip
        if not found.complete:
            raise KeyboardInterrupt
        best = found.choices[0]
        values[:, row] = best.win_chance, best.win_error, best.payment, best.payment_error
        discard[row] = NO_TILE if best.discard is None else best.discard

    def work(start: int, stop: int) -> None:
        for row in range(start, stop):
            if status[row] == Status.OK:
                try:
                    play(row)
                except InvalidHand as error:
                    status[row] = error.status

    run_chunks(work, length, 1 if callable(policy) else threads, 1)
    chance, error, payment, payment_error = values
    return SimulationBatch(
        status, discard=discard, win_chance=chance, win_error=error, payment=payment,
        payment_error=payment_error,
    )  # fmt: skip


def _numbers(name: str, values: Any, length: int, least: int) -> npt.NDArray[np.int64]:
    """A column of whole numbers, from one for all or one a row."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise TypeError(f"{name} must be whole numbers, one a row or one for all, got {values!r}")
    array = np.broadcast_to(array, (length,)).astype(np.int64)
    if length and (array.min() < least or array.max() > MOST_DRAWS):
        worst = int(array.min() if array.min() < least else array.max())
        raise ValueError(f"{name} must be from {least} to {MOST_DRAWS:,}, got {worst}")
    return array
