"""Scoring with Ray Data, on this machine or a cluster: the same scores as in this process."""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..files import DataError
from ..hands.arrow import require_pyarrow
from ..hands.tiles import Honors
from ..rules import GB98, RulesLike, resolve_rules
from ..scoring.arrow import FanNames, Fans
from .parts import PartsFolder
from .scan import Source
from .score import Options, choose_options, score_columns

#: Rows that a worker scores at a time.
BATCH_ROWS = 65_536
#: Seconds after which a cluster that says nothing is taken to be none.
_PATIENCE = 10.0


def score_ray(
    dataset: Any,
    *,
    column: str | None = None,
    rules: RulesLike = GB98,
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
        Processes at most that score, each on one core, or at least and at most.
    batch_rows : int
        Rows that a process scores at a time.

    Returns
    -------
    ray.data.Dataset
        The kept columns and the scores; lazy, as Ray's are. A process that dies is replaced and its
        batches are scored again. Rows keep their order where Ray is told to preserve it.

    Notes
    -----
    Needs Ray (``pip install 'fastmj[ray]'``); fastmj must be installed where the processes run.
    """
    schema = dataset.schema()
    if schema is None:
        raise DataError("the data set has no columns")
    options = choose_options(
        schema.base_schema, column=column, keep=keep,
        rules=resolve_rules(rules), fans=fans, names=names,
        prefix=prefix, honors=honors,
    )  # fmt: skip
    return _scored(require_ray(), dataset, options, strict, workers, batch_rows)


class Scorer:
    """What a worker does with each batch; kept by it, so that the kernels are loaded once."""

    def __init__(self, options: Options, strict: bool):
        self.options, self.strict = options, strict

    def __call__(self, table: Any) -> Any:
        """Table with the scores beside its kept columns."""
        scored = score_columns(table, self.options)
        if self.strict and scored.bad:
            raise DataError(f"a row is no possible hand: {scored.bad[0].message}")
        return scored.table


def _scored(
    ray: Any, dataset: Any, options: Options, strict: bool,
    workers: int | tuple[int, int] | None, batch_rows: int = BATCH_ROWS,
) -> Any:  # fmt: skip
    cores = int(ray.cluster_resources().get("CPU", 0))
    if cores < 1:
        raise ConnectionError("the cluster has no processor for the workers")
    most = workers or cores
    # One core is not taken as long as others want it: what reads for the workers would wait without
    # end for a core that they hold.
    least, most = most if isinstance(most, tuple) else (min(most, max(1, cores - 1)), most)
    return dataset.map_batches(
        Scorer,
        fn_constructor_args=(options, strict),
        batch_format="pyarrow",
        batch_size=batch_rows,
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        num_cpus=1 if cores > 1 else 0,
    )


# --- files


def write_parts(
    source: Source, options: Options, workers: int | None, address: str | None, strict: bool,
    folder: PartsFolder, compression: str | None,
) -> None:  # fmt: skip
    """Let Ray's workers read, score and write, into a directory that then becomes the output."""
    fresh = folder.path.with_name(f".{folder.path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with _connected(address) as ray, _failures_told(source):
            scored = _scored(ray, _read(ray, source, options), options, strict, workers)
            scored.write_parquet(str(fresh), compression=compression or "snappy")
        folder.become(fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _read(ray: Any, source: Source, options: Options) -> Any:
    """Data set of the columns that are wanted."""
    columns = options.needed(source.schema.names)
    if source.format == "parquet" and source.filesystem is not None:
        found = ray.data.read_parquet(
            source.files, filesystem=source.filesystem, file_extensions=None
        )
        return found.select_columns(columns)

    def tables(files: Any) -> Iterator[Any]:
        """Read files as they are read here, one a task."""
        for number in files.column("item").to_pylist():
            for batch in source.batches(columns, number):
                yield require_pyarrow().Table.from_batches([batch])

    numbers = ray.data.from_items(list(range(len(source.files))))
    return numbers.map_batches(tables, batch_format="pyarrow", batch_size=1)


# --- clusters


def require_ray() -> Any:
    """Load the module ``ray``, or say how to get it."""
    try:
        import ray.data
    except ImportError as error:
        said = "scoring on a cluster needs Ray Data: pip install 'fastmj[ray]'"
        raise ImportError(said) from error
    return ray


@contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to a cluster: ``host:port`` of its head, or what is there, or a new one.

    One that is begun here ends with it; if the process is connected already, it stays so.
    """
    ray = require_ray()
    begun = not ray.is_initialized()
    if begun:
        _look_for(address or os.environ.get("RAY_ADDRESS", ""))
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        # Ray ends the process when it gives up on a cluster.
        except (Exception, SystemExit) as error:
            where = f"at {address}" if address else "on this machine"
            said = f"no Ray cluster {where} takes this process: {_first_cause(error)}"
            if address and "RAY_AUTH_MODE" not in os.environ:
                said += " (if it wants a token, set RAY_AUTH_MODE=token)"
            raise ConnectionError(said) from None
    context = ray.data.DataContext.get_current()
    before = context.enable_progress_bars
    loggers = [logging.getLogger(name) for name in ("ray.data", "ray")]
    levels = [logger.level for logger in loggers]
    try:
        context.enable_progress_bars = False
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)  # errors are raised as well
        yield ray
    finally:
        context.enable_progress_bars = before
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if begun:
            ray.shutdown()


def _look_for(address: str) -> None:
    """Say soon that nothing answers, for which Ray would take minutes."""
    if address.startswith("ray://"):
        raise ConnectionError(
            f"Ray Data does not run over {address}: run this on a machine of the cluster, with "
            "the address host:port of its head"
        )
    found = re.fullmatch(r"\[?(.+?)\]?:(\d+)", address)
    if found is not None:
        try:
            socket.create_connection((found[1], int(found[2])), _PATIENCE).close()
        except (OSError, OverflowError) as error:
            said = getattr(error, "strerror", None) or error
            raise ConnectionError(f"no Ray cluster at {address}: {said}") from None


@contextmanager
def _failures_told(source: Source) -> Iterator[None]:
    """Turn what goes wrong in a worker into one line: bad input, or a cluster that is lost."""
    import ray.exceptions as ray_errors

    try:
        yield
    except ray_errors.RayTaskError as error:
        said = _first_cause(error)
        if "DataError" in said:
            raise DataError(f"{source.name}: {said.partition('DataError: ')[2]}") from None
        raise ConnectionError(f"a worker failed: {said}") from None
    except ray_errors.RayError as error:
        raise ConnectionError(f"the cluster was lost: {_first_cause(error)}") from None


def _first_cause(error: BaseException) -> str:
    """What went wrong in a worker, in one line, without the way it came."""
    # The texts of the errors on the way stand in Ray's, the one that began it first.
    said = re.search(r"^(?!ray\.)[\w.]*(?:Error|Exception|Interrupt): .+", str(error), re.MULTILINE)
    if said is None:
        return next(iter(str(error).strip().splitlines()), type(error).__name__)
    return said[0].removeprefix("ConnectionError: ")
