"""Ways to lay four sets and a pair: what is to be scored of each."""

from __future__ import annotations

import numpy as np

from ..jit import step
from . import layout as at
from .reading import tile_record, with_waits, without_only_wait
from .suits import sets_of, waits_of


@step
def way(entries, places, sums, win, held, meld_sets, present, tables, profile):
    """What ``score_reading`` asks of a hand laid so: sums, sets, record of tiles, structures."""
    waits = waits_of(entries, win, tables)
    made = np.int64(at.REGULAR)
    if waits >> at.GATES_LEFT & 1:
        made = np.int64(at.GATES)
        sums += 4 << at.PUNGS
    return (
        with_waits(sums, without_only_wait(waits, sums, held), tables.longs),
        meld_sets + sets_of(places, tables.longs),
        tile_record(present, at.FORM_REGULAR, profile),
        made,
    )


@step
def next_way(entries, places, longs):
    """Entries of the next way to lay a hand, or 0: only one suit can have several."""
    for suit in range(3):
        other = longs[places[suit] + at.SETS] >> at.NEXT
        if other:
            shift = at.ENTRY_BITS * suit
            return entries & ~(((1 << at.ENTRY_BITS) - 1) << shift) | other << shift
    return np.int64(0)
