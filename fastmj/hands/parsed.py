"""Many hand texts as a batch, bad ones among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .batch import HandBatch
from .named import same_values
from .texts import columns_of_texts
from .tiles import Honors


@dataclass(frozen=True, eq=False)
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParsedHands):
            return NotImplemented
        return same_values(self, other)

    __hash__ = None  # type: ignore[assignment]


def parse_hands(
    texts: Any, *, honors: Honors = "chinese", threads: int | None = None
) -> ParsedHands:
    """Read many hand texts, bad ones among them.

    Parameters
    ----------
    texts : sequence of str, or a column of pyarrow, pandas or polars
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
    columns, bad, statuses, messages = columns_of_texts(texts, honors, threads)
    return ParsedHands(HandBatch.from_columns(*columns), bad, statuses, messages)
