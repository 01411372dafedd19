"""Results of the distance functions: named columns, one row a hand."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..hands.columns import Bytes
from ..hands.named import ColumnBatch
from ..hands.status import Status
from ..hands.tiles import KINDS

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


class Columns(ColumnBatch):
    """Results as named columns, ``status`` among them.

    They have a length, can be indexed, sliced and gone through, are equal when all columns are, and
    data frames take them as they are (``to_arrow``).

    >>> from fastmj.distance import regular_shanten_batch
    >>> found = regular_shanten_batch([[3, 1, 1, 1, 1, 1, 1, 1, 3] + [0] * 25] * 3)
    >>> found[0], len(found[1:]), found[1:] == found[:2]
    (RegularShantenRow(regular=0, status=0), 2, True)
    """

    __slots__ = ("memory", "status")

    status: Bytes
    #: What a kernel wrote, of which the columns are views: results that were cut, copied or loaded
    #: have none, and cannot be written into once more.
    memory: tuple[npt.NDArray[Any], ...] | None

    def __init__(
        self,
        status: Bytes,
        memory: tuple[npt.NDArray[Any], ...] | None = None,
        *columns: Any,
        **named: Any,
    ):
        """Take columns in the order of ``__slots__``, which is quick for few rows, or by name."""
        self.status = status
        self.memory = memory
        for name, column in zip(self.__slots__, columns, strict=False):
            setattr(self, name, column)
        for name, column in named.items():
            setattr(self, name, column)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Pickle the columns, each by itself."""
        return None, {name: getattr(self, name) for name in self.names()}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the columns, ``status`` last."""
        return (*cls.__slots__, "status")

    def __repr__(self) -> str:
        invalid = int(np.count_nonzero(self.status != Status.OK))
        return f"<{type(self).__name__} of {len(self):,} hands" + (
            f", {invalid:,} invalid>" if invalid else ">"
        )


def memory_of(out: Columns | None, kind: type[Columns], length: int) -> Any:
    """Arrays of results that are to be written into, or ``None`` where new ones are wanted.

    Raises
    ------
    TypeError, ValueError
        When ``out`` is something else, or does not fit.
    """
    if out is None:
        return None
    if type(out) is not kind:
        raise TypeError(f"out: a {kind.__name__} is wanted, got {type(out).__name__}")
    if len(out) != length:
        raise ValueError(f"out has {len(out):,} rows, the hands {length:,}")
    memory = getattr(out, "memory", None)
    if memory is None:
        raise ValueError("out is a part or a copy: results as a call gave them are wanted")
    return memory


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
