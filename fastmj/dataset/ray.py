"""Scoring Ray data sets: the same columns as ``score_file``, on one machine or a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..hands.tiles import Honors
from ..rules import GB98, Rules
from ..scoring.arrow import FanNames, Fans
from .ray_cluster import pool, require_ray
from .scan import DataError
from .score import Options, choose_options, score_columns
from .write import plain_schema

#: Rows that a worker scores at a time.
BATCH_ROWS = 65_536


def load_kernels() -> None:
    """Load what scoring needs, and compile it where it has never been."""
    from ..hands.batch import HandBatch
    from ..scoring.batch import score_batch

    score_batch(HandBatch.from_hands([]), fan_counts=True)


class Scorer:
    """What a worker does with each batch; kept by it, so that the kernels are loaded once."""

    def __init__(self, options: Options, strict: bool = False):
        self.options, self.strict = options, strict
        load_kernels()

    def __call__(self, table: Any) -> Any:
        """Table with the scores beside its kept columns."""
        scored = score_columns(table, self.options)
        if self.strict and len(scored.bad):
            raise DataError(f"a row is no possible hand: {scored.messages[0]}")
        return scored.table.cast(plain_schema(scored.table.schema))


def score_ray(
    dataset: Any,
    *,
    column: str | None = None,
    rules: Rules = GB98,
    fans: Fans = "list",
    names: FanNames = "zh",
    prefix: str = "",
    keep: Sequence[str] | None = None,
    honors: Honors = "chinese",
    strict: bool = False,
    workers: int | tuple[int, int] | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Any:
    """Score the hands of a Ray data set.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Columns as ``score_file`` reads them.
    column, rules, fans, names, prefix, keep, honors, strict
        As for ``score_file``.
    workers : int or (int, int), optional
        Processes at most that score, each on one core, or at least and at most; by default as many
        as the cluster has cores.
    batch_rows : int
        Rows that a process scores at a time.

    Returns
    -------
    ray.data.Dataset
        The kept columns and the scores; lazy, as Ray's are. A process that dies is replaced and
        its batches are scored again. The order of the rows is Ray's to keep: it does with
        ``ray.data.DataContext.get_current().execution_options.preserve_order = True``.

    Raises
    ------
    DataError
        When there are no hands in the data set, or of the wrong type.
    ConnectionError
        When the cluster has no core.

    Notes
    -----
    Needs Ray (``pip install 'fastmj[ray]'``); fastmj must be installed where the processes run.
    """
    ray = require_ray()
    schema = dataset.schema()
    if schema is None:
        raise DataError("the data set has no columns")
    options = choose_options(
        schema.base_schema, column=column, keep=keep, rules=rules, fans=fans, names=names,
        prefix=prefix, honors=honors,
    )  # fmt: skip
    return dataset.map_batches(
        Scorer,
        fn_constructor_args=(options, strict),
        batch_format="pyarrow",
        batch_size=batch_rows,
        zero_copy_batch=True,
        **pool(ray, workers, spare=1),
    )
