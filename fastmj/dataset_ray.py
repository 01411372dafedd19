"""Scoring Ray data sets: the same columns as ``score_file``, on one machine or a cluster."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .arrow import FanNames, Fans
from .dataset_read import DataError, Format, format_of
from .dataset_score import Options, choose_options, score_columns
from .dataset_write import plain_schema
from .rules import GB98, Rules
from .tiles import Honors

#: Rows that a worker scores at a time.
BATCH_ROWS = 65_536


def require_ray() -> Any:
    """Load the module ``ray``, or say how to get it."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ImportError("scoring on a cluster needs Ray: pip install 'fastmj[ray]'") from error
    return ray


class Scorer:
    """What a worker does with each batch; kept by it, so that the kernels are loaded once."""

    def __init__(self, options: Options, strict: bool = False):
        from .batches import HandBatch
        from .scoring import score_batch

        self.options, self.strict = options, strict
        score_batch(HandBatch.from_hands([]), fan_counts=True)

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
        Processes that score, each on one core; by default as many as the cluster has cores, at
        least one.
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
    if workers is None:
        workers = (1, max(1, int(ray.cluster_resources().get("CPU", 1))))
    return dataset.map_batches(
        Scorer,
        fn_constructor_args=(options, strict),
        batch_format="pyarrow",
        batch_size=batch_rows,
        zero_copy_batch=True,
        num_cpus=1,
        concurrency=workers,
    )


def score_file_with_ray(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    address: str | None = None,
    input_format: Format | None = None,
    overwrite: bool = False,
    **options: Any,
) -> int:
    """Score data files by Ray into a directory of Parquet files.

    Parameters
    ----------
    source : path
        Parquet (also a directory), CSV or JSON lines, where all machines of the cluster see it.
    output : path
        Directory; it appears when everything is written.
    address : str, optional
        Of a running cluster; by default Ray looks for one (``RAY_ADDRESS``) or starts on this
        machine.
    input_format, overwrite
        As for ``score_file``.
    **options
        As for ``score_ray``.

    Returns
    -------
    int
        Number of rows.
    """
    ray = require_ray()
    import pyarrow.parquet as pq

    path, target = Path(source), Path(output)
    kind = format_of(path, input_format)
    if not path.exists():
        raise DataError(f"{path}: there is no such file")
    if target.exists() and not overwrite:
        raise DataError(f"{target} is there already (overwrite=True or --force replaces it)")
    readers = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}
    if kind not in readers:
        raise DataError("Ray reads Parquet, CSV and JSON lines here, not Arrow IPC")
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    dataset = getattr(ray.data, readers[kind])(str(path.resolve()))
    scored = score_ray(dataset, **options)
    made = target.resolve().with_name(target.name + ".parts")
    shutil.rmtree(made, ignore_errors=True)
    try:
        scored.write_parquet(str(made))
    except ray.exceptions.RayError as error:
        shutil.rmtree(made, ignore_errors=True)
        raise DataError(f"{path}: {_cause(error)}") from None
    if target.exists():
        shutil.rmtree(target)
    made.rename(target)
    files = [file for file in target.iterdir() if file.suffix == ".parquet"]
    return sum(int(pq.read_metadata(file).num_rows) for file in files)


def _cause(error: BaseException) -> str:
    """What went wrong in a worker, in one line, without the way it came."""
    found = re.search(r"DataError: (.*)", str(error))
    if found:
        return found[1]
    while (inner := getattr(error, "cause", None) or error.__cause__) and inner is not error:
        error = inner
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
