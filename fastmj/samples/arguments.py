"""What the functions that use random numbers are given: whole numbers and seeds."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..quoting import quoted

#: A whole number from 0 to 2**63 - 1, a generator that is asked for one, or None for another each
#: time.
Seed: TypeAlias = "int | np.integer[Any] | np.random.Generator | None"
_SEEDS = 2**63
#: More draws than there are tiles, whatever is held.
MOST_DRAWS = 1000
#: More hands than any machine holds.
MOST_HANDS = 10**11


def whole_between(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds.

    >>> whole_between("draws", 18, 1, 136)
    18
    """
    number = None
    if not isinstance(value, (bool, np.bool_, str, bytes)):
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            number = None
    if number is None or number != value or not least <= number <= most:
        shown = f"2**{_SEEDS.bit_length() - 1} - 1" if most == _SEEDS - 1 else f"{most:,}"
        raise ValueError(
            f"{name} must be a whole number from {least} to {shown}, got {quoted(value)}"
        )
    return number


def true_or_false(name: str, value: Any) -> bool:
    """A flag: True, False, 1 or 0.

    >>> true_or_false("self_drawn", np.True_)
    True
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return bool(whole_between(name, value, 0, 1))


def resolve_seed(seed: Seed) -> int:
    """A seed as a number; the same generator gives another one each time.

    >>> resolve_seed(np.uint8(7))
    7
    """
    if seed is None:
        import secrets  # which takes 5 ms to load

        return secrets.randbelow(_SEEDS)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(_SEEDS, dtype=np.int64))
    return whole_between("seed", seed, 0, _SEEDS - 1)
