"""Columns of scores as Arrow tables: what ``ScoreBatch.to_arrow`` does."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..hands.arrow import require_pyarrow
from ..hands.columns import Bytes
from ..quoting import quoted
from ..rules import GB98, AnyRules, DoublingRules

Fans = Literal["list", "columns", "mask", "none"]
FanNames = Literal["zh", "en", "key"]

#: Number of the fan that counts once a flower.
FLOWERS = 80


def fan_column_names(prefix: str = "", rules: AnyRules = GB98) -> list[str]:
    """Names of the columns of fans, 82 or one a type of doubling rules: ``fan_`` and the key.

    >>> from fastmj import REGIONAL
    >>> fan_column_names()[:2], fan_column_names(rules=REGIONAL)[:1]
    (['fan_big_four_winds', 'fan_big_three_dragons'], ['fan_last_of_the_wall'])
    """
    return [f"{prefix}fan_{fan.key}" for fan in rules.table]


def score_schema(
    fans: Fans = "list", prefix: str = "", coded: bool = False, rules: AnyRules = GB98
) -> Any:
    """Schema of the tables of ``score_table``; ``rules`` are those of the scores."""
    pa = require_pyarrow()
    if fans not in get_args(Fans):
        raise ValueError(f"fans must be one of {', '.join(get_args(Fans))}, got {quoted(fans)}")
    if not isinstance(prefix, str):
        raise TypeError(f"prefix must be a text, got {quoted(prefix)}")
    fields = [("total", pa.int16()), ("base", pa.int16()), ("wins", pa.bool_())]
    fields.append(("status", pa.uint8()))
    if fans == "list":
        fields.append(
            ("fans", pa.list_(pa.dictionary(pa.int8(), pa.string()) if coded else pa.string()))
        )
    elif fans == "mask":
        fields += [("fan_mask_0", pa.int64()), ("fan_mask_1", pa.int64())]
    named = [(prefix + name, kind) for name, kind in fields]
    if fans == "columns":
        named += [(name, pa.uint8()) for name in fan_column_names(prefix, rules)]
    return pa.schema(named)


def score_table(
    scores: Any,
    fans: Fans = "list",
    names: FanNames = "zh",
    prefix: str = "",
    coded: bool = False,
) -> Any:
    """Table of the columns of a ``ScoreBatch``.

    Parameters
    ----------
    scores : ScoreBatch
        Columns of numbers are not copied, but for ``wins``, which Arrow keeps as bits.
    fans : {"list", "columns", "mask", "none"}
        A column ``fans`` of lists of names; a column ``fan_...`` for each of ``rules.table`` with
        the times that it counts, or its factor; two columns of bits, as in ``fan_mask``; or
        nothing.
    names : {"zh", "en", "key"}
        Names in the lists. A fan stands there as often as it counts when the scores hold
        ``fan_counts``, else once; a type of doubling rules always once.
    prefix : str
        Put before every column name.
    coded : bool
        Whether the lists hold numbers in a dictionary of names: a tenth of the time for Arrow
        files. Parquet readers know no such lists (pyarrow 26 reads them by row group alone).
    """
    pa = require_pyarrow()
    if names not in get_args(FanNames):
        raise ValueError(
            f"names must be one of {', '.join(get_args(FanNames))}, got {quoted(names)}"
        )
    schema = score_schema(fans, prefix, coded, scores.rules)
    arrays = [pa.array(getattr(scores, name)) for name in ("total", "base", "wins", "status")]
    if fans == "list":
        offsets, codes = fan_codes(scores)
        words = pa.array([getattr(fan, names) for fan in scores.rules.table])
        values = pa.DictionaryArray.from_arrays(codes.view(np.int8), words)
        values = values if coded else values.dictionary_decode()
        arrays.append(pa.ListArray.from_arrays(pa.array(offsets), values))
    elif fans == "mask":
        arrays += [pa.array(np.ascontiguousarray(word)) for word in scores.fan_mask.T]
    elif fans == "columns":
        if scores.fan_counts is None:
            number = len(scores.rules.table)
            raise ValueError(f"{number} columns of fans need scores made with fan_counts=True")
        arrays += [pa.array(column) for column in np.ascontiguousarray(scores.fan_counts.T)]
    return pa.table(arrays, schema=schema)


def fan_codes(scores: Any) -> tuple[npt.NDArray[np.int32], Bytes]:
    """Numbers of the fans of all rows in one list, and where each row's begin in it.

    Filled without a Python object a row; each as often as it counts, where the scores know it.
    """
    from ..kernels.fan_lists import SLACK, list_fans, most_fans
    from ..kernels.scoring.layout import REPEATING

    masks = np.ascontiguousarray(scores.fan_mask)
    times, flowers = np.zeros(0, np.int64), np.zeros(0, np.uint8)
    if scores.fan_counts is not None and not isinstance(scores.rules, DoublingRules):
        times = np.ascontiguousarray(scores.fan_counts[:, REPEATING]).view(np.int64).reshape(-1)
        flowers = np.ascontiguousarray(scores.fan_counts[:, FLOWERS])
    most = most_fans(masks, times, flowers)
    if most >= 1 << 31:
        raise ValueError(f"{most:,} fans are too many for one column of lists: convert in parts")
    offsets, codes = np.empty(len(scores) + 1, np.int32), np.empty(most + SLACK, np.uint8)
    return offsets, codes[: list_fans(masks, times, flowers, offsets, codes)]
