"""Many hands as columns."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any, Literal, NoReturn, overload

import numpy as np
import numpy.typing as npt

from .columns import Bytes, bytes_of
from .hand import KONG, LAST_OF_KIND, LAST_TILE, SELF_DRAWN, Hand, parse_hand
from .melds import Meld
from .named import no_array
from .shown import html_of
from .status import InvalidHand, Status
from .texts import columns_of_texts
from .tiles import KINDS, tiles_of

#: Set in the circumstances column where a flag was given that is neither true nor false.
BAD_FLAG = 128
_FLAGS = (
    ("self_drawn", SELF_DRAWN),
    ("last_of_kind", LAST_OF_KIND),
    ("last_tile", LAST_TILE),
    ("kong", KONG),
)
#: What each byte of a column of flags means.
_BITS = {bit: np.array([0, bit] + [BAD_FLAG] * 254, np.uint8) for _, bit in _FLAGS}
_PLAIN = (np.dtype(np.uint8), np.dtype(np.bool_))
#: Texts from which on they are read in bulk: loading the kernel takes as long as some thousand.
_MANY = 1000
_NUMBERS = ("seat_wind", "prevalent_wind", "flowers")


def on_host(name: str, values: Any) -> Any:
    """What speaks DLPack and nothing else, as an array without a copy; others as they are."""
    # Who has a masked array has loaded its module, which takes 20 ms.
    if "numpy.ma" in sys.modules and np.ma.is_masked(values):
        raise TypeError(f"{name} has masked values: fill them, or leave those rows out")
    if hasattr(values, "__array__") or not hasattr(values, "__dlpack__"):
        return values
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{name} cannot be read in host memory: {error}") from None


def array_of(name: str, values: Any) -> npt.NDArray[Any]:
    """Values as an array, where they lie; ``TypeError`` or ``ValueError`` with the name."""
    values = on_host(name, values)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not a regular array: {error}") from None
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def as_bytes(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Bytes:
    """Array of bytes, C-contiguous and read-only; a copy is made only when it must be.

    Parameters
    ----------
    name : str
        For errors.
    values : array_like of int or bool
        Numbers outside 0-255 become 255, which no column allows. Whatever has ``__array__`` (torch,
        JAX) or ``__dlpack__`` and lies in host memory is read where it is.
    shape : tuple of int, optional
        What the array must have as its shape.

    Raises
    ------
    TypeError
        When the values are not whole numbers (floats are refused, and with them NaN).
    ValueError
        When the shape is another.
    """
    if type(values) is np.ndarray and values.dtype in _PLAIN and values.flags.c_contiguous:
        if shape is not None and values.shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, got {values.shape}")
        return _read_only(values.view(np.uint8))  # what most callers have: no further question
    array = array_of(name, values)
    if array.dtype.kind not in "iub" and not array.size:
        array = array.astype(np.uint8)
    if array.dtype.kind not in "iub":
        raise TypeError(f"{name} must hold whole numbers, got dtype {array.dtype}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    if array.dtype.kind == "b":
        array = array.view(np.uint8) if array.flags.c_contiguous else array.astype(np.uint8)
    else:
        array = bytes_of(array)
    return _read_only(np.ascontiguousarray(array).view(np.ndarray).reshape(array.shape))


def _read_only(array: Bytes) -> Bytes:
    """Array that is read-only: one type for the kernels, and no argument ever changes."""
    array.setflags(write=False)
    return array


def column_of(name: str, values: Any, length: int) -> Bytes:
    """Column from an array of N values or a scalar."""
    if values is False or (type(values) is int and values == 0):
        return _read_only(np.zeros(length, np.uint8))
    if type(values) is not np.ndarray or values.ndim == 0:
        values = array_of(name, values)
        if values.ndim == 0:
            return _read_only(np.full(length, as_bytes(name, values)[()], np.uint8))
    return as_bytes(name, values, (length,))


class HandBatch:
    """Hands at the moment of winning, as columns.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles, the winning tile counted in.
    melds : array_like of int, shape (N, 4), optional
        Meld codes: 0 none, else ``1 + kind * 34 + tile`` with kind 0 chow (its lowest tile), 1
        pung, 2 melded kong, 3 concealed kong.
    win_tile : array_like of int, shape (N,)
        Winning tile, 0-33.
    self_drawn, last_of_kind, last_tile, kong : array_like of bool, shape (N,), or bool
        Circumstances, as for ``Hand``.
    seat_wind, prevalent_wind : array_like of int, shape (N,), or int
        0-3 (E S W N).
    flowers : array_like of int, shape (N,), or int
        0-8.

    Raises
    ------
    TypeError, ValueError
        For a wrong dtype or shape. Impossible values are kept; scoring gives such rows a status.

    Attributes
    ----------
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers : ndarray of uint8
        The columns, read-only; ``circumstances`` holds bits: 1 self-drawn, 2 last of its kind, 4
        last tile, 8 kong. An array that came as C-contiguous bytes is not copied.

    Examples
    --------
    >>> batch = HandBatch.from_hands(["123456789m12355p", "[EEE]123m456p7899s9s|ES0000"])
    >>> len(batch), batch.counts.shape, str(batch[1])
    (2, (2, 34), '[EEE]123m456p7899s9s|ES0000')
    """

    __slots__ = (
        "circumstances", "counts", "flowers", "melds", "prevalent_wind", "seat_wind", "win_tile",
    )  # fmt: skip

    counts: Bytes
    melds: Bytes
    win_tile: Bytes
    circumstances: Bytes
    seat_wind: Bytes
    prevalent_wind: Bytes
    flowers: Bytes

    def __init__(
        self,
        counts: Any,
        *,
        melds: Any = None,
        win_tile: Any,
        self_drawn: Any = False,
        last_of_kind: Any = False,
        last_tile: Any = False,
        kong: Any = False,
        seat_wind: Any = 0,
        prevalent_wind: Any = 0,
        flowers: Any = 0,
    ):
        self.counts = rows_of_counts(counts)
        length = len(self.counts)
        melds = np.zeros((length, 4), np.uint8) if melds is None else melds
        self.melds = as_bytes("melds", melds, (length, 4))
        self.win_tile = column_of("win_tile", win_tile, length)
        given = zip((self_drawn, last_of_kind, last_tile, kong), _FLAGS, strict=True)
        bits = [
            _BITS[bit].take(column_of(name, flags, length))
            for flags, (name, bit) in given
            if flags is not False
        ]
        circumstances = reduce(operator.or_, bits) if bits else np.zeros(length, np.uint8)
        self.circumstances = _read_only(circumstances)
        self.seat_wind = column_of("seat_wind", seat_wind, length)
        self.prevalent_wind = column_of("prevalent_wind", prevalent_wind, length)
        self.flowers = column_of("flowers", flowers, length)

    @classmethod
    def from_columns(
        cls,
        counts: Any,
        melds: Any,
        win_tile: Any,
        circumstances: Any,
        seat_wind: Any,
        prevalent_wind: Any,
        flowers: Any,
    ) -> HandBatch:
        """Batch from its seven columns as they are, circumstances as bits."""
        batch = cls.__new__(cls)
        batch.counts = rows_of_counts(counts)
        length = len(batch.counts)
        batch.melds = as_bytes("melds", melds, (length, 4))
        batch.win_tile = column_of("win_tile", win_tile, length)
        batch.circumstances = column_of("circumstances", circumstances, length)
        batch.seat_wind = column_of("seat_wind", seat_wind, length)
        batch.prevalent_wind = column_of("prevalent_wind", prevalent_wind, length)
        batch.flowers = column_of("flowers", flowers, length)
        return batch

    @classmethod
    def from_hands(cls, hands: Iterable[Hand | str]) -> HandBatch:
        """Batch from hands or hand texts: any sequence, or a column of pandas, polars or pyarrow.

        A thousand texts and more are read in bulk, which takes a µs each.

        Raises
        ------
        InvalidHand
            When a text is bad; the message begins with its position.
        """
        if not isinstance(hands, Iterable) and not isinstance(hands, Hand):
            raise TypeError(f"hands or hand texts are wanted, got {type(hands).__name__}")
        hands = hands.to_pylist() if hasattr(hands, "to_pylist") else hands  # a column of pyarrow
        given = [hands] if isinstance(hands, (str, Hand)) else list(hands)
        if len(given) >= _MANY and all(isinstance(hand, str) for hand in given):
            with suppress(ImportError):  # without numba they are read one by one
                columns, bad, statuses, messages = columns_of_texts(given)
                for position, status, message in zip(bad, statuses, messages, strict=True):
                    raise InvalidHand(Status(status), f"hand {position}: {message}")
                return cls.from_columns(*columns)
        rows: list[Hand] = []
        for position, hand in enumerate(given):
            if isinstance(hand, Hand):
                rows.append(hand)
                continue
            try:
                rows.append(parse_hand(hand))
            except InvalidHand as error:
                raise InvalidHand(error.status, f"hand {position}: {error}") from None
            except TypeError as error:
                raise TypeError(f"hand {position}: {error}") from None
        melds = np.zeros((len(rows), 4), np.uint8)
        for position, hand in enumerate(rows):
            melds[position, : len(hand.melds)] = [meld.code for meld in hand.melds]
        return cls.from_columns(
            np.array([hand.counts for hand in rows], np.uint8).reshape(-1, KINDS),
            melds,
            *(
                np.array([getattr(hand, name) for hand in rows], np.uint8)
                for name in ("win_tile", "circumstances", *_NUMBERS)
            ),
        )

    @classmethod
    def from_arrow(cls, data: Any) -> HandBatch:
        """Batch from an Arrow table, record batch or exporter with columns of these names.

        ``counts`` and ``win_tile`` must be there, the others are 0 where they are missing; counts
        and melds are fixed-size binaries of 34 and 4 bytes, which are not copied, or lists. Nulls
        become 255, which no column allows. Needs pyarrow.

        Raises
        ------
        TypeError, ValueError
            For a wrong type, or a missing column.

        Examples
        --------
        >>> batch = HandBatch.from_hands(["123456789m12355p"])
        >>> HandBatch.from_arrow(batch.to_arrow()) == batch
        True
        """
        from .arrow import hand_columns

        return cls.from_columns(*hand_columns(data))

    def to_arrow(self, layout: Literal["binary", "lists"] = "binary") -> Any:
        """Arrow table of the columns, without copies; needs pyarrow.

        Parameters
        ----------
        layout : {"binary", "lists"}
            Counts and melds as fixed-size binaries of 34 and 4 bytes, which Parquet reads and
            writes many times as fast, or as fixed-size lists of numbers.

        Examples
        --------
        >>> HandBatch.from_hands(["123456789m12355p"]).to_arrow().column_names[:3]
        ['counts', 'melds', 'win_tile']
        """
        from .arrow import hand_table

        return hand_table(self.columns, layout)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's stream protocol: polars, pandas, DuckDB and pyarrow take a batch as it is."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        no_array(self)

    @classmethod
    def concat(cls, batches: Iterable[HandBatch]) -> HandBatch:
        """One batch of several, in order."""
        parts = []
        for batch in batches:
            if not isinstance(batch, HandBatch):
                raise TypeError(f"batches must be HandBatches, got {type(batch).__name__}")
            parts.append(batch.columns)
        if not parts:
            return cls.from_hands([])
        return cls.from_columns(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    @property
    def columns(self) -> tuple[Bytes, ...]:
        """The seven columns, in the order of ``from_columns``."""
        return (
            self.counts,
            self.melds,
            self.win_tile,
            self.circumstances,
            self.seat_wind,
            self.prevalent_wind,
            self.flowers,
        )

    def __len__(self) -> int:
        return len(self.counts)

    @overload
    def __getitem__(self, which: int) -> Hand: ...
    @overload
    def __getitem__(self, which: slice | npt.NDArray[Any] | Sequence[int]) -> HandBatch: ...
    def __getitem__(self, which: Any) -> Hand | HandBatch:
        """One hand (``InvalidHand`` if it is impossible), or some rows as a batch."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            return self._hand(operator.index(which))
        chosen = which if isinstance(which, slice) else np.asarray(which)
        if not isinstance(chosen, slice) and not chosen.size:
            chosen = chosen.astype(np.intp)
        return HandBatch.from_columns(*(column[chosen] for column in self.columns))

    def _hand(self, index: int) -> Hand:
        if not -len(self) <= index < len(self):
            raise IndexError(f"hand {index} of {len(self)}")
        counts = self.counts[index]
        if counts.max() > 14:
            raise InvalidHand(Status.BAD_TILE)
        bits = int(self.circumstances[index])
        circumstances: dict[str, Any] = {name: bool(bits & bit) for name, bit in _FLAGS}
        circumstances |= {name: int(getattr(self, name)[index]) for name in _NUMBERS}
        melds = [Meld.from_code(code) for code in self.melds[index].tolist() if code]
        problem = None
        if bits > SELF_DRAWN | LAST_OF_KIND | LAST_TILE | KONG:
            problem = InvalidHand(Status.BAD_CIRCUMSTANCES)
        try:
            hand = Hand(
                tiles_of(counts.tolist()), int(self.win_tile[index]), melds, **circumstances
            )
        except InvalidHand as error:
            if problem is None or error.status < problem.status:
                raise
        if problem is not None:
            raise problem
        return hand

    def __iter__(self) -> Iterator[Hand]:
        return (self._hand(index) for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HandBatch):
            return NotImplemented
        return all(
            np.array_equal(mine, theirs)
            for mine, theirs in zip(self.columns, other.columns, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Bytes, ...]]:
        """Pickle so that the columns come back read-only."""
        return HandBatch.from_columns, self.columns

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __repr__(self) -> str:
        return f"<HandBatch of {len(self):,} hands>"


def rows_of_counts(counts: Any) -> Bytes:
    """Counts column; an empty list is a batch of none."""
    array = as_bytes("counts", counts)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, KINDS)
    if array.ndim != 2 or array.shape[1] != KINDS:
        raise ValueError(
            f"counts must have the shape (N, {KINDS}), one column a kind of tile, got {array.shape}"
        )
    return array
