"""Hand texts in bulk: read by a kernel, and one by one by ``parse_hand`` where they are unusual."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from ..quoting import quoted
from ..threads import run_chunks
from .arrow import one_array, plain_type, require_pyarrow
from .columns import Bytes
from .hand import Hand, parse_hand
from .packing import PACKED
from .status import InvalidHand, Status
from .tiles import HONORS_FROM, KINDS, PLAIN, Honors, parse_tiles

NO_TEXT = "no hand text (a null)"


Columns = tuple[Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes]


def columns_of_texts(
    texts: Any, honors: Honors = "chinese", threads: int | None = None
) -> tuple[Columns, npt.NDArray[np.int64], npt.NDArray[np.uint8], list[str]]:
    """The seven columns of a batch, and positions, statuses and messages of bad texts."""
    if honors not in get_args(Honors):
        raise ValueError(f"honors must be 'chinese' or 'riichi', got {quoted(honors)}")
    from ..kernels.text import plain_texts, read_texts

    offsets, data, given = _bytes_of(texts)
    length = len(offsets) - 1
    letters, dragons = _letters(honors)
    numbers = [np.zeros(length, np.uint8) for _ in range(5)]
    columns = (np.zeros((length, KINDS), np.uint8), np.zeros((length, 4), np.uint8), *numbers)
    known = np.zeros(length, np.bool_)
    write: Any = plain_texts
    read: Any = read_texts
    given_data = data
    if len(data) and int(data.max()) > 127:
        data, wide = np.empty_like(given_data), _wide()
        run_chunks(
            lambda start, stop: write(given_data, offsets, wide, data, start, stop), length, threads
        )
        data.flags.writeable = False  # one type for the kernel
    run_chunks(
        lambda start, stop: read(data, offsets, letters, dragons, *columns, known, start, stop),
        length,
        threads,
    )
    bad, statuses, messages = [], [], []
    for row in np.flatnonzero(~known).tolist():
        try:
            text = given_data[offsets[row] : offsets[row + 1]]
            hand = _hand(text, bool(given[row]), honors)
        except InvalidHand as error:
            bad.append(row)
            statuses.append(int(error.status))
            messages.append(str(error))
        else:
            _fill(columns, row, hand)
    return columns, np.array(bad, np.int64), np.array(statuses, np.uint8), messages  # type: ignore[return-value]


def packed_text(text: str) -> Bytes | None:
    """Row of a text as it stands, not judged; ``None`` for one that is unusual. Needs numba."""
    row = np.zeros((1, PACKED), np.uint8)
    data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    return row if _row_reader()(data, row) else None


@lru_cache(maxsize=1)
def _row_reader() -> Any:
    from ..kernels.text import read_packed

    return partial(read_packed, *_letters("chinese"))


def _hand(text: Bytes, given: bool, honors: Honors) -> Hand:
    if not given:
        raise InvalidHand(Status.TILE_COUNT, NO_TEXT)
    return parse_hand(text.tobytes().decode("utf-8", "replace"), honors)


def _fill(columns: Sequence[npt.NDArray[np.uint8]], row: int, hand: Hand) -> None:
    counts, melds, *rest = columns
    counts[row] = hand.counts
    melds[row] = 0
    melds[row, : len(hand.melds)] = [meld.code for meld in hand.melds]
    names = ("win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")
    for column, name in zip(rest, names, strict=True):
        column[row] = getattr(hand, name)


def check_text_type(kind: Any) -> None:
    """Raise ``TypeError`` for an Arrow type that holds no texts."""
    types = require_pyarrow().types
    plain = plain_type(kind)
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    if not any(test(plain) for test in tests):
        raise TypeError(f"hand texts are wanted, got a column of {kind}")


def _bytes_of(texts: Any) -> tuple[npt.NDArray[np.int64], Bytes, npt.NDArray[np.bool_]]:
    """Where the texts begin and end, all of them in UTF-8, and whether each is there."""
    if isinstance(texts, str):
        raise TypeError("texts are wanted, got one: pass it in a list, or to parse_hand")
    if hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__"):
        return _bytes_of_arrow(texts)
    if not isinstance(texts, Iterable):
        raise TypeError(f"hand texts are wanted, got {type(texts).__name__}")
    encoded, given = [], []
    for position, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"hand texts are wanted, got {quoted(text)} at {position}")
        encoded.append((text or "").encode("utf-8", "replace"))
        given.append(text is not None)
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    offsets.flags.writeable = False  # as Arrow's are: one type for the kernel
    return offsets, np.frombuffer(b"".join(encoded), np.uint8), np.array(given, np.bool_)


def _bytes_of_arrow(texts: Any) -> tuple[npt.NDArray[np.int64], Bytes, npt.NDArray[np.bool_]]:
    pa = require_pyarrow()
    if not isinstance(texts, (pa.Array, pa.ChunkedArray)):
        one = hasattr(texts, "__arrow_c_array__")
        texts = pa.array(texts) if one else pa.chunked_array(texts)
    array = one_array(texts)
    check_text_type(array.type)
    array = array.cast(pa.large_string())
    _, ends, data = array.buffers()
    offsets = np.frombuffer(ends or bytes(8), np.int64)[array.offset :][: len(array) + 1]
    held = np.frombuffer(data or b"", np.uint8)
    return offsets, held, array.is_valid().to_numpy(zero_copy_only=False)


@lru_cache(maxsize=1)
def _wide() -> npt.NDArray[np.uint8]:
    """Table of the kernel: what characters of three bytes stand for."""
    table = np.zeros(1 << 16, np.uint8)
    for code, letter in PLAIN.items():
        if code < 1 << 16:
            table[code] = ord(letter)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=2)
def _letters(honors: Honors) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Tables of the kernel: what letters mean, and the tile of each ``z`` rank."""
    from ..kernels import text as kernels

    dragons = np.full(16, kernels.NOTHING, np.uint8)
    for rank in range(1, 8):
        dragons[rank] = parse_tiles(f"{rank}z", honors)[0]
    assert dragons[1] == HONORS_FROM
    dragons.flags.writeable = False
    build: Any = kernels.letter_table
    return build(), dragons
