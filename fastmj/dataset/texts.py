"""Hand texts in bulk: read by a kernel, and one by one by ``parse_hand`` where they are unusual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from ..hands.arrow import one_array, require_pyarrow
from ..hands.batch import HandBatch
from ..hands.hand import Hand, parse_hand
from ..hands.status import InvalidHand, Status
from ..hands.tiles import HONORS_FROM, KINDS, Honors, parse_tiles
from ..scoring.batch import validate
from ..threads import run_chunks

NO_TEXT = "no hand text (a null)"


@dataclass(frozen=True)
class ParsedHands:
    """Hands read from texts, and what was wrong with the others.

    Attributes
    ----------
    batch : HandBatch
        A row for each text; rows of bad texts hold nothing.
    bad : ndarray of int64
        Positions of the bad texts, ascending.
    statuses : ndarray of uint8
        A ``Status`` for each of these.
    messages : list of str
        What ``parse_hand`` says of each.
    """

    batch: HandBatch
    bad: npt.NDArray[np.int64]
    statuses: npt.NDArray[np.uint8]
    messages: list[str]

    def __len__(self) -> int:
        return len(self.batch)


def parse_hands(
    texts: Any, *, honors: Honors = "chinese", threads: int | None = None
) -> ParsedHands:
    """Read many hand texts, bad ones among them.

    Parameters
    ----------
    texts : pyarrow string array or chunked array, or sequence of str
        Hands as ``parse_hand`` reads them; what it makes of each is what comes out.
    honors : {"chinese", "riichi"}
        Whether ``5z 6z 7z`` are red, green, white or white, green, red.
    threads : int, optional
        Threads to use, by default one a core.

    Returns
    -------
    ParsedHands

    Raises
    ------
    TypeError
        When the column holds no texts.

    Examples
    --------
    >>> parsed = parse_hands(["123456789m12355p", "123456789m1235p"])
    >>> len(parsed), parsed.bad, parsed.messages[0][:38]
    (2, array([1]), '13 concealed tiles, 14 are wanted, the')
    """
    if honors not in get_args(Honors):
        raise ValueError(f"honors must be 'chinese' or 'riichi', got {honors!r}")
    from ..kernels.text import read_texts

    array = text_array(texts)
    length = len(array)
    offsets, data = _buffers(array)
    letters, dragons = _letters(honors)
    counts = np.zeros((length, KINDS), np.uint8)
    melds = np.zeros((length, 4), np.uint8)
    rest = [np.zeros(length, np.uint8) for _ in range(5)]
    known = np.zeros(length, np.bool_)
    read: Any = read_texts
    run_chunks(
        lambda start, stop: read(
            data, offsets, letters, dragons, counts, melds, *rest, known, start, stop
        ),
        length,
        threads,
    )
    columns = (counts, melds, *rest)
    batch = HandBatch.from_columns(*columns)
    doubtful = np.flatnonzero(~known | (validate(batch, threads=threads) != 0))
    bad, statuses, messages = [], [], []
    for row in doubtful.tolist():
        try:
            hand = _hand(data[offsets[row] : offsets[row + 1]], array[row].is_valid, honors)
        except InvalidHand as error:
            bad.append(row)
            statuses.append(int(error.status))
            messages.append(str(error))
            for column in columns:
                column[row] = 0
        else:
            _fill(columns, row, hand)
    return ParsedHands(
        batch, np.array(bad, np.int64), np.array(statuses, np.uint8), messages
    )  # fmt: skip


def _hand(text: npt.NDArray[np.uint8], given: bool, honors: Honors) -> Hand:
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


def text_array(texts: Any) -> Any:
    """One Arrow array of strings, with 32- or 64-bit offsets."""
    pa = require_pyarrow()
    if isinstance(texts, (pa.Array, pa.ChunkedArray)):
        array = one_array(texts)
    else:
        if isinstance(texts, str):
            raise TypeError("texts are wanted, got one: pass it in a list, or to parse_hand")
        try:
            array = pa.array(texts, pa.string())
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise TypeError(f"hand texts are wanted: {error}") from None
    check_text_type(array.type)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        array = array.cast(pa.large_string())
    return array


def check_text_type(kind: Any) -> None:
    """Raise ``TypeError`` for an Arrow type that holds no texts."""
    types = require_pyarrow().types
    plain = kind.value_type if types.is_dictionary(kind) else kind
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    if not any(test(plain) for test in tests):
        raise TypeError(f"hand texts are wanted, got a column of {kind}")


def _buffers(array: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Offsets and bytes of an array of strings; one type of both for the kernel."""
    pa = require_pyarrow()
    _, offset_buffer, data_buffer = array.buffers()
    width = np.int64 if pa.types.is_large_string(array.type) else np.int32
    if offset_buffer is None or not offset_buffer.size:
        offsets = np.zeros(1, np.int64)
    else:
        held = np.frombuffer(offset_buffer, width)
        offsets = held[array.offset : array.offset + len(array) + 1].astype(np.int64)
    data = np.frombuffer(data_buffer or b"", np.uint8)
    data.flags.writeable = False
    return offsets, data


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
