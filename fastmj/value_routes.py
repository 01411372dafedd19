"""Ways to enough points: what the policy ``fan`` steers for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .kernels import value_layout as at
from .rules import FANS, Rules

Ints = npt.NDArray[np.int64]
#: Ways kept for the roll-outs: by fans of several sets, and whole hands.
FAN_ROUTES, HAND_ROUTES = 10, 80
#: Other ways are kept that miss no more tiles than this above the nearest way.
_BEHIND = 1


def _masks(counts: Ints) -> list[int]:
    return [int(((counts > i) * (1 << np.arange(34))).sum()) for i in range(4)]


def _fan_routes(held: Ints, melds: list[int], minimum: int, rules: Rules) -> list[list[int]]:
    """Rows of needs whose fan is worth enough alone, the fewest tiles missing first."""
    from .kernels.value_rollouts import SETS_ROUTE
    from .tables.value import value_tables

    rows = []
    for need in value_tables().needs.tolist():
        fan = need[at.FAN]
        if fan == at.ONE_PUNG or rules.points(fan) < minimum or need[at.BESIDE] != at.ANYTHING:
            continue
        left, wanted, laid = melds.copy(), np.zeros(34, np.int64), 0
        for choice in need[at.SETS : at.SETS + need[at.NUMBER]]:
            if choice in left:
                left.remove(choice)
                continue
            laid += 1
            if choice >= at.NO_PUNG:
                wanted[choice - at.NO_PUNG] += 3
            else:
                wanted[choice : choice + 3] += 1
        if need[at.PAIR] >= 0:
            wanted[need[at.PAIR]] += 2
        if need[at.NINE] >= 0:
            from .kernels.distance_layout import NINES

            wanted += NINES[need[at.NINE]] >> np.arange(34) & 1
            laid += 3
        sets = 4 - len(melds) - laid
        if sets < 0 or wanted.max() > 4:
            continue
        missing = int(np.maximum(wanted - held, 0).sum())
        pair = int(need[at.PAIR] < 0)
        rows.append((missing, [SETS_ROUTE, *_masks(wanted), sets, pair, 0]))
    rows.sort(key=lambda row: row[0])
    return [row for _, row in rows[:FAN_ROUTES]]


def _hand_routes(targets: Ints) -> list[list[int]]:
    """Whole hands, spread evenly over those that were found."""
    from .kernels.value_rollouts import SETS_ROUTE

    if len(targets) > HAND_ROUTES:
        targets = targets[np.linspace(0, len(targets) - 1, HAND_ROUTES).astype(np.int64)]
    return [[SETS_ROUTE, *_masks(row), 0, 0, 0] for row in targets]


def _near_ones(table: Ints, held: Ints) -> Ints:
    """Whole hands, and the nearest other ways: few, since each costs the roll-outs time."""
    from .kernels.value_rollouts import SETS_ROUTE, route_costs
    from .tables.distance import distance_tables
    from .tables.value import value_tables

    costs = np.zeros(len(table), np.int64)
    hand = held[None].astype(np.uint8)
    scratch = np.zeros(at.SCRATCH, np.int64)
    route_costs(distance_tables(), value_tables(), scratch, hand, table, costs)
    whole = (table[:, 0] == SETS_ROUTE) & (table[:, 5] == 0) & (table[:, 6] == 0)
    near = costs <= costs.min(initial=99) + _BEHIND
    if whole.sum() >= FAN_ROUTES:
        near &= costs == costs.min(initial=99)
        near &= table[:, 0] != SETS_ROUTE
    return np.ascontiguousarray(table[whole | near])


def routes_of(
    held: Ints, melds: list[int], targets: Ints, minimum: int, rules: Rules
) -> npt.NDArray[Any]:
    """Ways to enough points from a hand, as the kernels take them.

    ``melds`` are sets as in ``needs``; ``targets`` complete hands, as counts.
    """
    from .kernels.value_rollouts import FLUSH_ROUTE, PAIRS_ROUTE, ROUTE_WIDTH, SINGLES_ROUTE

    rows = _fan_routes(held, melds, minimum, rules) + _hand_routes(targets)
    empty = [0] * (ROUTE_WIDTH - 1)
    if not melds and rules.points(FANS["七对"].id) >= minimum:
        rows.append([PAIRS_ROUTE, *empty])
    if not melds and rules.points(FANS["全不靠"].id) >= minimum:
        rows.append([SINGLES_ROUTE, *empty])
    if rules.points(FANS["清一色"].id) >= minimum:
        suits = {(choice - at.NO_PUNG if choice >= at.NO_PUNG else choice) // 9 for choice in melds}
        for suit in range(3):
            if suits <= {suit}:
                rows.append([FLUSH_ROUTE, 0, 0, 0, 0, 4 - len(melds), 1, suit])
    table = _near_ones(np.array(rows, np.int64).reshape(-1, ROUTE_WIDTH), held)
    table.flags.writeable = False
    return table
