"""Seven pairs and the other forms without sets: tiles missing for each of their fans."""

from __future__ import annotations

from ..distance import layout as distance_at
from ..jit import inner_kernel, step
from ..machine import popcount
from . import layout as at

_SUITS = (1 << 27) - 1
_HONORS = 127 << 27


@step
def pairs_cost(levels, allowed, wanted):
    """Fewest tiles for so many pairs of some kinds, four of a kind being two.

    A pair of two tiles held costs nothing, the second tile of an odd one, the others two.
    """
    ready = popcount(levels[1] & allowed) + popcount(levels[3] & allowed)
    odd = popcount(levels[0] & ~levels[1] & allowed) + popcount(levels[2] & ~levels[3] & allowed)
    ready = min(ready, wanted)
    odd = min(odd, wanted - ready)
    return odd + 2 * (wanted - ready - odd)


@inner_kernel
def pairs_of_groups(levels, groups, others):
    """Fewest tiles for seven pairs with one at least in each of five groups of kinds (0: none).

    ``others`` are kinds that may occur besides.
    Each group gives its cheapest pair; the other pairs are the cheapest of all that are left.
    """
    allowed = groups[0] | groups[1] | groups[2] | groups[3] | groups[4] | others
    forced = number = 0
    ready = odd = 0
    for group in range(5):
        tiles = groups[group]
        if tiles:
            number += 1
            first = pairs_cost(levels, tiles, 1)
            forced += first
            ready += int(first == 0)
            odd += int(first == 1)
    # What the forced pairs leave of the cheap ones serves the other pairs.
    free = popcount(levels[1] & allowed) + popcount(levels[3] & allowed) - ready
    half = popcount(levels[0] & ~levels[1] & allowed) + popcount(levels[2] & ~levels[3] & allowed)
    half -= odd
    open_pairs = 7 - number
    free = min(free, open_pairs)
    half = min(half, open_pairs - free)
    return forced + half + 2 * (open_pairs - free - half)


@inner_kernel
def shifted_pairs_cost(scratch):
    """Fewest tiles for seven consecutive pairs of one suit."""
    best = at.MANY
    for suit in range(3):
        for low in range(3):
            total = 0
            for rank in range(low, low + 7):
                total += max(0, 2 - scratch[at.HELD, 9 * suit + rank])
            best = min(best, total)
    return best


@inner_kernel
def nine_gates_cost(scratch):
    """Fewest tiles for 1112345678999 of one suit and then any other tile of it.

    That tile must be the last one: only a hand that is complete may have it among its own.
    """
    best = at.MANY
    for suit in range(3):
        missing, more = 0, 1
        for rank in range(9):
            wanted = 3 if rank in (0, 8) else 1
            held = scratch[at.HELD, 9 * suit + rank]
            missing += max(0, wanted - held)
            if held > wanted:
                more = 0
        best = min(best, missing + (more if missing == 0 else 1))
    return best


@inner_kernel
def orphans_cost(levels):
    """Fewest tiles for thirteen orphans."""
    kinds = distance_at.ORPHAN_KINDS
    paired = 1 if levels[1] & kinds else 0
    return 14 - popcount(levels[0] & kinds) - paired


@inner_kernel
def singles_costs(levels):
    """Fewest tiles for honours and knitted tiles: any, with all honours, with all nine."""
    honors = popcount(levels[0] & _HONORS)
    most = 0
    for arrangement in range(6):
        most = max(most, popcount(levels[0] & distance_at.NINES[arrangement]))
    return (
        14 - honors - most,
        7 - honors + max(0, 7 - most),
        9 - most + max(0, 5 - honors),
    )
