"""Distance kernels = the independent peer's five functions, with their useful tiles.

There is one class of differences. The peer counts a fifth copy of a tile as if it could be drawn;
here four copies are all there are.

- Where every tile that the peer finds useful is held four times, its shanten is one less: it takes
  8888s for ready in 789m1238888s [one meld], on a fifth 8s.
- Where the shanten is the same, tiles that are held four times are useful to the peer only.
"""

from __future__ import annotations

import distance_oracle as oracle
import numpy as np
import pytest

from fastmj.distance import FORMS, acceptance_batch, waits_batch
from fastmj.samples.deals import random_deals

pytest.importorskip("MahjongGB")
CASES = [(form, melds) for form in FORMS for melds in range(oracle.MISSING[form][1] + 1)]


def _compare(form: str, melds: int, bias: str | None, n: int, seed: int) -> int:
    """Compare n deals; returns how many fall into the class above."""
    hands = random_deals(n, tiles=13 - 3 * melds, seed=seed, bias=bias)
    theirs = np.array([oracle.peer(hand, form) for hand in hands])
    ours = acceptance_batch(hands, melds=melds, form=form)
    full = ((hands == 4) * (1 << np.arange(34))).sum(1)
    shanten, useful = theirs[:, 0], theirs[:, 1]
    fifth_only = (useful & ~full) == 0
    np.testing.assert_array_equal(ours.shanten, shanten + fifth_only)
    np.testing.assert_array_equal(
        np.where(fifth_only, 0, ours.mask), np.where(fifth_only, 0, useful & ~full)
    )
    if form == "regular":  # waits count fifth copies, as the peer does
        found = waits_batch(hands, melds=melds)
        regular = found.forms & 1 > 0
        np.testing.assert_array_equal(regular, shanten == 0)
        alone = regular & (found.forms == 1)
        np.testing.assert_array_equal(found.mask[alone], useful[alone])
    return int(((useful & full) > 0).sum())


@pytest.mark.parametrize(("form", "melds"), CASES)
def test_shanten_and_useful_tiles(form, melds):
    for bias in (None, "one_suit", "honors"):
        _compare(form, melds, bias, 500, seed=21)


@pytest.mark.deep
@pytest.mark.parametrize(("form", "melds"), CASES)
def test_shanten_and_useful_tiles_of_very_many_hands(form, melds):
    fifth = sum(
        _compare(form, melds, bias, 100_000, seed=22) for bias in (None, "one_suit", "honors")
    )
    print(f"{form} beside {melds} melds: 300,000 hands agree, {fifth} of them but for fifth copies")
