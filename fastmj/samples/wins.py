"""Random winning hands for tests, benchmarks and experiments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch
from ..quoting import quoted
from ..threads import run_chunks
from .arguments import MOST_HANDS, Seed, resolve_seed, whole_between

#: Weights of the forms in ``random_wins``, in per cent.
WIN_FORMS: Mapping[str, int] = {
    "regular": 70,
    "one_suit": 14,
    "seven_pairs": 6,
    "thirteen_orphans": 2,
    "honors_knitted": 3,
    "knitted_straight": 5,
}
_MOST_MELDS = {"regular": 4, "one_suit": 4, "knitted_straight": 1}


class WinOptions(TypedDict, total=False):
    """What ``random_wins`` takes beside the number of hands."""

    seed: Seed
    forms: str | Iterable[str] | None
    melds: int | None
    circumstances: bool
    threads: int | None


def random_wins(
    n: int,
    *,
    seed: Seed = None,
    forms: str | Iterable[str] | None = None,
    melds: int | None = None,
    circumstances: bool = True,
    threads: int | None = None,
) -> HandBatch:
    """Random complete hands, the same for the same seed on every machine.

    Row ``i`` depends on the seed and on ``i`` alone: a longer batch begins with a shorter one.

    Parameters
    ----------
    n : int
        Number of hands.
    seed : int or Generator, optional
        0 to 2**63 - 1; a numpy ``Generator`` is asked for one; by default another each time.
    forms : str or iterable of str, optional
        Out of ``"regular"``, ``"one_suit"``, ``"seven_pairs"``, ``"thirteen_orphans"``,
        ``"honors_knitted"`` and ``"knitted_straight"``; all of them by default.
    melds : int, optional
        Number of melds of every hand, 0-4; forms that cannot have so many are left out.
    circumstances : bool
        Whether there are circumstances, winds and flowers; else every hand is won on a plain
        discard, East in the East round.
    threads : int, optional
        Threads to use, by default one a core.

    Returns
    -------
    HandBatch

    Raises
    ------
    ValueError
        For a bad argument.

    Notes
    -----
    The distribution. 70 % regular hands: half of them of sets drawn from all tiles, half with a
    theme that makes rare fans occur (mostly chows or pungs, one suit with honours, terminals and
    honours, winds, dragons, windows of ranks, all green, reversible tiles and so on); 0-4 melds in
    equal parts; a melded pung is a kong in 12 % or, in every fourth hand, 75 % of cases, half of
    them concealed. 14 % hands of one suit with a bias to many readings, 4 % of these with the tiles
    of nine gates. 6 % seven pairs, a tenth of them consecutive. 2 % thirteen orphans, 3 % honours
    and knitted tiles, a third of them with all honours, 5 % knitted straights. The winning tile is
    any concealed tile. Half of the hands are self-drawn; one in 12 is won on the last tile and,
    where it can be, the last of its kind, one in 8 with a kong; half have 0-8 flowers, evenly.

    Examples
    --------
    >>> batch = random_wins(1000, seed=1)
    >>> batch == random_wins(2000, seed=1)[:1000]
    True
    """
    return random_wins_with_forms(n, seed, forms, melds, circumstances, threads)[0]


def random_wins_with_forms(
    n: int,
    seed: Seed,
    forms: str | Iterable[str] | None = None,
    melds: int | None = None,
    circumstances: bool = True,
    threads: int | None = None,
) -> tuple[HandBatch, npt.NDArray[np.uint8]]:
    """``random_wins`` with the form of each row, a position in ``WIN_FORMS``."""
    from ..kernels.samples import wins as kernels

    length, number = whole_between("n", n, 0, MOST_HANDS), resolve_seed(seed)
    weights = _weights(forms, melds)
    columns: list[npt.NDArray[Any]] = [
        np.zeros((length, 34), np.uint8),
        np.zeros((length, 4), np.uint8),
        *(np.zeros(length, np.uint8) for _ in range(5)),
    ]
    form = np.zeros(length, np.uint8)
    themes = kernels.theme_table()
    fixed = -1 if melds is None else int(melds)

    fill: Any = kernels.random_win_rows

    def work(start: int, stop: int) -> None:
        fill(*columns, form, number, weights, fixed, bool(circumstances), themes, start, stop)

    run_chunks(work, length, threads)
    return HandBatch.from_columns(*columns), form


def _weights(forms: str | Iterable[str] | None, melds: int | None) -> npt.NDArray[np.int64]:
    wanted = list(WIN_FORMS) if forms is None else [forms] if isinstance(forms, str) else forms
    if isinstance(wanted, Iterable):
        wanted = list(wanted)
    if not isinstance(wanted, list) or not wanted or any(one not in WIN_FORMS for one in wanted):
        raise ValueError(f"forms must be some of {', '.join(WIN_FORMS)}, got {quoted(forms)}")
    if melds is not None:
        melds = whole_between("melds", melds, 0, 4)
    weights = np.array(
        [
            weight if name in wanted and (melds or 0) <= _MOST_MELDS.get(name, 0) else 0
            for name, weight in WIN_FORMS.items()
        ],
        np.int64,
    )
    if not weights.any():
        raise ValueError(f"no form out of {', '.join(wanted)} can have {melds} melds")
    return weights
