"""Complete hands that score enough: what the policy ``fan`` steers for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.columns import Bytes
from ..rules import Rules
from .targets import targets_within

Ints = npt.NDArray[np.int64]
#: Most tiles that a hand to steer for may miss, and most hands that are kept. On 150 deals, 18
#: draws: 300 hands win 10.9 %, 1000 12.0 %, 3000 12.4 %, 10,000 12.8 % at half the speed; 12,000
#: hands with those two tiles behind 13.4 % at a fifth of it.
MOST_DRAWN, MOST_GOALS = 7, 3000
_FOUND = 100_000


def goals_of(
    counts: Bytes, shown: Bytes, codes: Bytes, minimum: int, self_drawn: bool,
    winds: dict[str, int], rules: Rules,
) -> Ints:  # fmt: skip
    """Complete hands of the least number of missing tiles and of one more, as masks.

    Parameters
    ----------
    counts, shown : ndarray of uint8, shape (1, 34)
        Concealed tiles, and copies that lie in melds or were seen elsewhere.
    codes : ndarray of uint8, shape (1, 4)
        Melds.
    minimum : int
        What a hand must score.
    self_drawn, winds, rules
        How it is won, the seat and the prevalent wind, and the rules.

    Returns
    -------
    ndarray of int64, shape (4, T)
        Tiles wanted once, twice, three and four times at least. Of many hands that miss one more
        tile some are kept, spread evenly over their totals.
    """
    kept: list[npt.NDArray[np.int16]] = []
    room = MOST_GOALS
    for drawn in range(MOST_DRAWN + 1):
        rows = targets_within(
            drawn, counts, shown, shown, codes, minimum, self_drawn, winds, rules, _FOUND
        )
        if len(rows) > room:
            rows = rows[np.argsort(-rows[:, 35], kind="stable")]
            rows = rows[np.linspace(0, len(rows) - 1, room).astype(np.int64)]
        room -= len(rows)
        if len(rows):
            kept.append(rows[:, :34])
        if len(kept) == 2 or room <= 0:
            break
    whole = np.concatenate(kept) if kept else np.zeros((0, 34), np.int64)
    return masks_of(whole)


def masks_of(counts: npt.NDArray[Any]) -> Ints:
    """Masks of the tiles that occur once, twice, three and four times at least, (4, N)."""
    bits = np.int64(1) << np.arange(34)
    return np.array([((counts > i) * bits).sum(-1) for i in range(4)], np.int64)
