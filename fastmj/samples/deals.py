"""Random deals for tests, benchmarks and experiments: hands that are not yet complete."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..hands.tiles import KINDS
from ..quoting import quoted
from ..threads import run_chunks
from .arguments import MOST_HANDS, Seed, resolve_seed, whole_between

Bias = Literal["one_suit", "honors"]


def random_deals(
    n: int,
    *,
    tiles: int = 13,
    seed: Seed = None,
    bias: Bias | None = None,
    threads: int | None = None,
) -> npt.NDArray[np.uint8]:
    """Tiles dealt at random, the same for the same seed on every machine.

    Row ``i`` depends on the arguments and on ``i`` alone: a longer batch begins with a shorter one.

    Parameters
    ----------
    n : int
        Number of hands.
    tiles : int
        Tiles of each hand: 13 or 14, or 3, 6, 9 or 12 fewer, as beside 1-4 melds.
    seed : int or Generator, optional
        0 to 2**63 - 1; a numpy ``Generator`` is asked for one; by default another each time.
    bias : {"one_suit", "honors"}, optional
        None deals every tile with the same probability. ``"one_suit"`` draws seven tiles of eight
        from one suit, another for each hand: a fifth of the hands have nothing else. ``"honors"``
        draws half of the tiles from the honours.
    threads : int, optional
        Threads to use, by default one a core. The result does not depend on it.

    Returns
    -------
    ndarray of uint8, shape (n, 34)
        Number of each kind; at most four.

    Raises
    ------
    ValueError
        For a bad argument.

    Examples
    --------
    >>> deals = random_deals(1000, tiles=14, seed=1)
    >>> deals.shape, bool((deals.sum(axis=1) == 14).all())
    ((1000, 34), True)
    """
    from ..kernels.samples.deals import HONORS, ONE_SUIT, UNIFORM, deal_rows

    length, number = whole_between("n", n, 0, MOST_HANDS), resolve_seed(seed)
    if whole_between("tiles", tiles, 1, 14) % 3 == 0:
        raise ValueError(f"tiles must be 13 or 14, or 3, 6, 9 or 12 fewer, got {quoted(tiles)}")
    if bias is not None and bias not in get_args(Bias):
        raise ValueError(
            f"bias must be one of {', '.join(get_args(Bias))} or None, got {quoted(bias)}"
        )
    counts = np.zeros((length, KINDS), np.uint8)
    kind = {None: UNIFORM, "one_suit": ONE_SUIT, "honors": HONORS}[bias]

    def work(start: int, stop: int) -> None:
        deal_rows(counts, number, int(tiles), kind, start, stop)

    run_chunks(work, len(counts), threads)
    return counts
