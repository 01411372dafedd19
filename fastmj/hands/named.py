"""What results of many hands share: named columns of one length."""

from __future__ import annotations

import operator
from collections import namedtuple
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NoReturn, TypeVar, overload

import numpy as np
import numpy.typing as npt

_Batch = TypeVar("_Batch", bound="ColumnBatch")
#: Rows that are made at a time when a batch is gone through.
_BLOCK = 4096


class ColumnBatch:
    """Named columns, arrays of one length or None where they were not asked for.

    They have a length, can be indexed, sliced and gone through, are equal when all columns are, and
    speak Arrow's stream protocol.
    """

    __slots__ = ()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(cls.__slots__)

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by name, as ``np.savez`` and data frames take them."""
        found = {name: getattr(self, name) for name in self.names()}
        return {name: column for name, column in found.items() if column is not None}

    def __len__(self) -> int:
        return len(getattr(self, self.names()[-1]))

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self: _Batch, which: slice | npt.NDArray[Any] | Sequence[int]) -> _Batch: ...
    def __getitem__(self, which: Any) -> Any:
        """One row, a named tuple of numbers and of tuples of them; or some rows as a batch."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            place = operator.index(which)
            if not -len(self) <= place < len(self):
                raise IndexError(f"row {place} of {len(self)}")
            return next(iter(self[place : place + 1 or None]))
        if not isinstance(which, slice):
            which = np.asarray(which) if np.size(which) else np.zeros(0, np.intp)
        part = type(self).__new__(type(self))
        for name in self.names():
            column = getattr(self, name)
            setattr(part, name, None if column is None else column[which])
        return part

    def __iter__(self) -> Iterator[Any]:
        make = self.row_type()._make
        columns = [getattr(self, name) for name in self.names()]
        for start in range(0, len(self), _BLOCK):
            stop = min(start + _BLOCK, len(self))
            yield from map(make, zip(*(_values(c, start, stop) for c in columns), strict=True))

    @classmethod
    def row_type(cls) -> Any:
        """What a row is: a named tuple of the columns."""
        return _row_type(cls.__name__.removesuffix("Batch") + "Row", cls.names())

    def to_arrow(self) -> Any:
        """Arrow table of the columns; needs pyarrow.

        Columns of several numbers a row are fixed-size lists. Nothing is copied but what is true or
        false, which Arrow keeps as bits, and columns that do not lie in one piece.
        """
        from .arrow import column_table

        return column_table(self.columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's stream protocol: polars, pandas, DuckDB and pyarrow take results as they are."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnBatch) or type(other) is not type(self):
            return NotImplemented
        return self.columns.keys() == other.columns.keys() and all(
            np.array_equal(column, other.columns[name]) for name, column in self.columns.items()
        )

    __hash__ = None  # type: ignore[assignment]


def _values(column: Any, start: int, stop: int) -> Sequence[Any]:
    """Some entries of a column as Python's own numbers and tuples."""
    if column is None:
        return [None] * (stop - start)
    rows: list[Any] = column[start:stop].tolist()
    return rows if column.ndim == 1 else [_tuples(row) for row in rows]


def _tuples(row: list[Any]) -> tuple[Any, ...]:
    return tuple(_tuples(part) if isinstance(part, list) else part for part in row)


@cache
def _row_type(name: str, names: tuple[str, ...]) -> Any:
    return namedtuple(name, names)


def same_values(mine: object, theirs: object) -> bool:
    """Whether two objects of one class have equal attributes, arrays among them."""
    pairs = zip(vars(mine).values(), vars(theirs).values(), strict=True)
    return all(
        np.array_equal(one, other)
        if isinstance(one, np.ndarray) or isinstance(other, np.ndarray)
        else one == other
        for one, other in pairs
    )


def no_array(batch: object) -> NoReturn:
    """Refuse to be one array, which would take 100 µs a row and not be what was meant.

    ``pandas.DataFrame`` asks for it, too.
    """
    kind = type(batch).__name__
    raise TypeError(
        f"a {kind} is no single array: use its columns, list(...) of it, or, for a frame, "
        f"pandas.DataFrame.from_arrow(...), polars.DataFrame(...) or to_arrow()"
    )
