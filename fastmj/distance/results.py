"""Results of the distance functions: named columns, one row a hand."""

from __future__ import annotations

import operator
from collections import namedtuple
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, get_args, overload

import numpy as np
import numpy.typing as npt

from ..hands.columns import Bytes
from ..hands.status import Status
from ..hands.tiles import KINDS

_Batch = TypeVar("_Batch", bound="Columns")
Shantens = npt.NDArray[np.int8]
Masks = npt.NDArray[np.int64]

Form = Literal["regular", "seven_pairs", "thirteen_orphans", "honors_knitted", "knitted_straight"]
AnyForm = Literal[
    "best", "regular", "seven_pairs", "thirteen_orphans", "honors_knitted", "knitted_straight"
]
#: The winning forms in the order of their columns and of the bits of ``forms``.
FORMS: tuple[Form, ...] = get_args(Form)

#: Shanten of a form that a hand's melds rule out.
RULED_OUT = 127
#: Shanten of a row that is no hand (its ``status`` says why).
NO_HAND = -128


class Columns:
    """Results as named columns, ``status`` among them.

    They have a length, can be indexed, sliced and gone through, and are equal when all columns are.

    >>> from fastmj.distance import regular_shanten_batch
    >>> found = regular_shanten_batch([[3, 1, 1, 1, 1, 1, 1, 1, 3] + [0] * 25] * 3)
    >>> found[0], len(found[1:]), found[1:] == found[:2]
    (RegularShantenRow(regular=0, status=0), 2, True)
    """

    __slots__ = ("status",)

    status: Bytes

    def __init__(self, status: Bytes, **columns: Any):
        self.status = status
        for name, column in columns.items():
            setattr(self, name, column)

    def __len__(self) -> int:
        return len(self.status)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the columns, ``status`` last."""
        return (*cls.__slots__, "status")

    def _columns(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self.names())

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self: _Batch, which: slice | npt.NDArray[Any] | Sequence[int]) -> _Batch: ...
    def __getitem__(self, which: Any) -> Any:
        """One row, a named tuple of numbers and of tuples of them; or some rows as a batch."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            place = operator.index(which)
            values = (None if column is None else column[place] for column in self._columns())
            return _row_type(type(self).__name__, self.names())(
                *(_plain(value) for value in values)
            )
        if not isinstance(which, slice):
            which = np.asarray(which) if np.size(which) else np.zeros(0, np.intp)
        part = type(self).__new__(type(self))
        for name, column in zip(self.names(), self._columns(), strict=True):
            setattr(part, name, None if column is None else column[which])
        return part

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns) or type(other) is not type(self):
            return NotImplemented
        pairs = zip(self._columns(), other._columns(), strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        invalid = int(np.count_nonzero(self.status != Status.OK))
        return f"<{type(self).__name__} of {len(self):,} hands" + (
            f", {invalid:,} invalid>" if invalid else ">"
        )


def _plain(value: Any) -> Any:
    """A number or row of an array as Python's own numbers and tuples."""
    found = value.tolist() if hasattr(value, "tolist") else value
    return tuple(map(_plain, found)) if isinstance(found, list) else found


@cache
def _row_type(batch: str, names: tuple[str, ...]) -> Any:
    """Named tuple for the rows of a batch, by the names of its class and columns."""
    return namedtuple(batch.removesuffix("Batch") + "Row", names)


class ShantenBatch(Columns):
    """Shanten of many hands: -1 complete, 0 ready, n for n draws from ready.

    Attributes
    ----------
    regular, seven_pairs, thirteen_orphans, honors_knitted, knitted_straight : ndarray of int8, (N,)
        Shanten of each form; 127 where the melds rule the form out.
    best : ndarray of int8, shape (N,)
        The lowest of them.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; its numbers are then -128.
    """

    __slots__ = (*FORMS, "best")

    regular: Shantens
    seven_pairs: Shantens
    thirteen_orphans: Shantens
    honors_knitted: Shantens
    knitted_straight: Shantens
    best: Shantens


class RegularShantenBatch(Columns):
    """Shanten of many hands for sets and a pair alone.

    Attributes
    ----------
    regular : ndarray of int8, shape (N,)
        -1 complete, 0 ready; -128 where the row is no hand.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand.
    """

    __slots__ = ("regular",)

    regular: Shantens


class WaitBatch(Columns):
    """Winning tiles of many hands.

    Attributes
    ----------
    mask : ndarray of int64, shape (N,)
        Bit t for each tile t that completes the hand, also where no copy is left to complete it
        with: what counts when a hand must have a single wait (RULES section 6). 0 where the hand is
        not ready or the row is no hand.
    live : ndarray of int64, shape (N,)
        Those of which a copy is neither held nor in the melds nor visible.
    forms : ndarray of uint8, shape (N,)
        Forms that can be completed, bit f for form f of ``FORMS``.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand.
    """

    __slots__ = ("forms", "live", "mask")

    mask: Masks
    live: Masks
    forms: Bytes


class AcceptanceBatch(Columns):
    """Tiles that bring many hands nearer.

    Attributes
    ----------
    mask : ndarray of int64, shape (N,)
        Bit t for each tile t that lowers the shanten of the form; 0 where the hand is complete, the
        form is ruled out or the row is no hand.
    copies : ndarray of int16, shape (N,)
        Copies of these tiles that are neither held nor in the melds nor visible.
    shanten : ndarray of int8, shape (N,)
        Shanten of the form (of the best one: the lowest); 127 where it is ruled out.
    forms : ndarray of uint8, shape (N,)
        Forms that have this shanten, bit f for form f of ``FORMS``; none where it is ruled out.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; ``shanten`` is then -128.
    """

    __slots__ = ("copies", "forms", "mask", "shanten")

    mask: Masks
    copies: npt.NDArray[np.int16]
    shanten: Shantens
    forms: Bytes


class DiscardBatch(Columns):
    """What every discard of many 14-tile hands leaves.

    Attributes
    ----------
    shanten : ndarray of int8, shape (N, 34)
        Shanten after discarding a tile of the kind; -1 where none is held.
    mask : ndarray of int64, shape (N, 34)
        Tiles that then lower the shanten, bit t for tile t; 0 where none is held.
    copies : ndarray of int16, shape (N, 34)
        Copies of them that are left, the discarded tile not among them; -1 where none is held.
    forms : ndarray of uint8, shape (N, 34)
        Forms that have this shanten, bit f for form f of ``FORMS``.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; ``shanten`` is then -128 and ``copies`` -1.
    """

    __slots__ = ("copies", "forms", "mask", "shanten")

    mask: Masks
    copies: npt.NDArray[np.int16]
    shanten: Shantens
    forms: Bytes


def tiles_of_mask(mask: int) -> tuple[int, ...]:
    """Tiles of one mask, in ascending order.

    >>> tiles_of_mask(0b1001)
    (0, 3)
    """
    return tuple(tile for tile in range(KINDS) if mask >> tile & 1)


def forms_of_bits(bits: int) -> tuple[Form, ...]:
    """Names of the forms in one entry of a ``forms`` column.

    >>> forms_of_bits(3)
    ('regular', 'seven_pairs')
    """
    return tuple(form for place, form in enumerate(FORMS) if bits >> place & 1)
