"""Scoring data files of any size: Parquet, Arrow IPC, CSV and JSON lines.

``score_file`` reads a file in parts, writes the scores beside its columns and goes on where it was
when it is killed. ``parse_hands`` reads many hand texts at once, ``score_ray`` scores a Ray data
set, ``stats_of_file`` counts what is in a scored file. All but ``parse_hands`` of a list need
pyarrow (``pip install 'fastmj[data]'``).
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..hands.arrow import plain_allocator, require_pyarrow
from ..hands.status import Status
from ..hands.tiles import Honors
from ..rules import GB98, Rules
from ..scoring.arrow import FanNames, Fans
from ..threads import resolve_threads
from .growing import Growing
from .job import Workspace, identity
from .parquet import copied_columns
from .parts import Recipe
from .scan import DataError, Format, ParquetSource, Source, format_of, open_source
from .score import Options, choose_options, output_schema
from .whole_files import whole_file
from .work import Progress, Work
from .write import check_writable, join

#: Rows of a part: 10 MB of hands, a fraction of a second of work that a kill can lose.
PART_ROWS = 250_000
#: Bad rows that a report holds; a file gets them all.
_SHOWN = 5

#: Makes the missing parts of some work from a source, of so many rows, on so many threads.
Engine = Callable[[Work, Source, int, int], None]


@dataclass(frozen=True)
class BadRow:
    """A row that is no possible hand: its number from 0, the cause, and what is wrong."""

    row: int
    status: Status
    message: str


@dataclass(frozen=True)
class FileReport:
    """What ``score_file`` did.

    Attributes
    ----------
    path : Path
        The output.
    rows, wins, not_complete, invalid : int
        Rows in all, and how many win, are not complete, and are impossible.
    parts, kept : int
        Parts of which the output is made, and how many of them stood from an earlier run.
    bad : tuple of BadRow
        The first few impossible rows.
    seconds : float
    """

    path: Path
    rows: int
    wins: int
    not_complete: int
    invalid: int
    parts: int
    kept: int
    bad: tuple[BadRow, ...]
    seconds: float


def score_file(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    column: str | None = None,
    rules: Rules = GB98,
    fans: Fans = "list",
    names: FanNames = "zh",
    prefix: str = "",
    keep: Sequence[str] | None = None,
    honors: Honors = "chinese",
    strict: bool = False,
    errors: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    input_format: Format | None = None,
    output_format: Format | None = None,
    compression: str | None = None,
    part_rows: int = PART_ROWS,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> FileReport:
    """Score the hands of a data file, however large, into another one.

    Memory is bounded by ``part_rows`` and ``threads``. What is finished is kept in the directory
    ``OUTPUT.parts`` until the output is complete: parts, and of a Parquet file row groups, of which
    those that are copied from the input may have several parts; for each that has up to 2**20 rows
    its parts are in memory until then. The same call after a kill verifies what is there and makes
    only what is missing, and the output is the same to the byte. Nothing stands under the output's
    name before it is complete.

    Parameters
    ----------
    source : path
        Parquet (also a directory of files), Arrow IPC, CSV with a header or JSON lines, by the
        name's ending: ``.parquet .pq .arrow .arrows .ipc .feather .csv .jsonl .ndjson``.
    output : path
        Likewise; a name without an ending is a directory of Parquet files, one a part.
    column : str, optional
        Column of hand texts. By default the columns of ``HandBatch.to_arrow`` are read where they
        are (all but ``counts`` and ``win_tile`` may be missing), else the texts of ``hand``.
    rules : Rules
        Rule profile.
    fans, names, prefix
        How scores are written, as for ``ScoreBatch.to_arrow``: ``total``, ``base``, ``wins``,
        ``status`` and the fans, each as often as it counts. In CSV the names of the list are one
        text with ``;`` between them.
    keep : sequence of str, optional
        Columns of the input to write before the scores; by default all.
    honors : {"chinese", "riichi"}
        What ``5z 6z 7z`` mean in texts.
    strict : bool
        Whether to stop at a row that is no possible hand, rather than to give it a status.
    errors : path, optional
        Write a line of JSON for each such row: ``row`` (from 0), ``status``, ``message``.
    overwrite : bool
        Whether the output may be there already.
    input_format, output_format : {"parquet", "ipc", "csv", "jsonl"}, optional
        Instead of what the names say.
    compression : {"none", "lz4", "zstd", "snappy"}, optional
        Of the output; by default none for Arrow IPC, and for Parquet that of a Parquet input, else
        lz4. Columns that are kept from a Parquet file stay as they are, if this does not say
        otherwise.
    part_rows : int
        Rows of a part. Row groups of a Parquet output are those of a Parquet input whose columns
        can be copied, else parts.
    threads : int, optional
        Threads to use, by default one a core. The result does not depend on it.
    progress : callable, optional
        Called with the number of rows that are done and of all; if the file does not say how many
        there are, with what is to be expected, or None at first.
    engine : callable, optional
        What makes the parts instead of threads of this process. The output is the same.

    Returns
    -------
    FileReport

    Raises
    ------
    DataError
        When the input cannot be read or holds no hands, a row is impossible and ``strict`` is set,
        or the output is there already. No output is left, nor parts.
    OSError
        When the output cannot be written, for example on a full disk. No output is left; finished
        parts are.

    Examples
    --------
    >>> import tempfile, pyarrow.parquet
    >>> from fastmj import random_wins
    >>> folder = Path(tempfile.mkdtemp())
    >>> pyarrow.parquet.write_table(random_wins(1000, seed=1).to_arrow(), folder / "hands.parquet")
    >>> report = score_file(folder / "hands.parquet", folder / "scored.parquet", names="en")
    >>> report.rows, report.invalid
    (1000, 0)
    >>> pyarrow.parquet.read_table(folder / "scored.parquet").column_names[-5:]
    ['total', 'base', 'wins', 'status', 'fans']
    """
    began = time.perf_counter()
    if isinstance(part_rows, bool) or int(part_rows) != part_rows or part_rows < 1:
        raise ValueError(f"part_rows must be a whole number of at least 1, got {part_rows!r}")
    threads = resolve_threads(threads)
    read, written = open_source(Path(source), input_format), Path(output)
    kind = format_of(written, output_format)
    asked = compression
    if compression is None:
        compression = read.compression if kind == "parquet" else "none"
    try:
        options = choose_options(
            read.schema, column=column, keep=keep, rules=rules, fans=fans, names=names,
            prefix=prefix, honors=honors,
        )  # fmt: skip
    except DataError as error:
        raise DataError(f"{read.path}: {error}") from None
    kept_schema = output_schema(read.schema, dataclasses.replace(options, fans="none"))
    check_writable(kept_schema, kind, compression)
    parts = written.with_name(written.name + ".parts")
    if written.resolve() == read.path.resolve():
        raise DataError(f"{written}: the output would replace the input")
    there, directory = written.exists(), not written.suffix
    if there and not overwrite and not parts.exists():
        raise DataError(f"{written} is there already (overwrite=True or --force replaces it)")
    origin, copied = identity(read.path), None
    if isinstance(read, ParquetSource) and kind == "parquet" and options.keep and not directory:
        copied = copied_columns(read.files, options.keep, asked)
        options = dataclasses.replace(options, copied=copied.ends if copied else None)
    job = {
        "source": origin,
        "options": _describe(options),
        "part_rows": int(part_rows),
        "format": kind,
        "compression": compression,
        "versions": versions(),
    }
    read.columns = options.needed(read.schema.names)
    growing = None
    if kind == "parquet" and not directory:
        growing = Growing(parts / "_output", output_schema(read.schema, options), copied)
    workspace = Workspace(
        parts, _suffix(kind), job, lasting=directory, growing=growing, there=there and not overwrite
    )
    kept = len(workspace.parts)
    if there and not overwrite and not (workspace.finished and workspace.fresh):
        workspace.close()
        raise DataError(f"{written} is there already (overwrite=True or --force replaces it)")
    work = Work(workspace, Recipe(options, kind, compression, strict), progress, read.rows)
    try:
        if not workspace.finished:
            with plain_allocator():
                (engine or Work.run)(work, read, int(part_rows), threads)
            workspace.check()
        if strict:
            _stop_at_bad(workspace, read.path)
        if copied and identity(read.path) != origin:
            raise DataError(f"{read.path} has changed while it was read")
        report = _report(workspace, written, kept, began)
        if errors is not None:
            with whole_file(Path(errors)) as file:
                file.writelines(path.read_bytes() for path in workspace.errors())
        if not workspace.finished:
            workspace.finish(fresh=not there)
        if directory:
            workspace.become(written)
        else:
            if there and not overwrite:
                pass  # it is complete, but for the parts that are still there
            elif growing is not None:
                growing.become(written)
            else:
                with whole_file(written) as file:
                    join(workspace.files(), file, kind, compression)
            workspace.remove()
    except DataError:
        workspace.remove()
        raise
    except BaseException as error:
        try:
            if isinstance(error, (Exception, KeyboardInterrupt)):
                work.save()
        except OSError:  # a full disk: less is kept
            pass
        finally:
            workspace.close()
        raise
    return dataclasses.replace(report, seconds=time.perf_counter() - began)


def _suffix(kind: Format) -> str:
    return {"parquet": ".parquet", "ipc": ".arrow", "csv": ".csv", "jsonl": ".jsonl"}[kind]


def versions() -> list[str]:
    """Versions that the bytes of the output depend on."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("fastmj")
    except PackageNotFoundError:
        own = "unknown"
    return [own, require_pyarrow().__version__]


def _describe(options: Options) -> dict[str, Any]:
    """Options as JSON."""
    described = {name: getattr(options, name) for name in ("column", "keep", "fans", "names")}
    described |= {"prefix": options.prefix, "honors": options.honors}
    described["copied"] = options.copied is not None
    rules = {
        field.name: getattr(options.rules, field.name)
        for field in dataclasses.fields(options.rules)
    }
    rules["values"] = sorted(dict(rules["values"]).items())
    return described | {"rules": rules}


def _bad_rows(workspace: Workspace, most: int) -> tuple[BadRow, ...]:
    found: list[BadRow] = []
    for path in workspace.errors():
        with path.open(encoding="utf-8") as file:
            for line in file:
                if len(found) == most:
                    return tuple(found)
                record = json.loads(line)
                found.append(BadRow(record["row"], Status[record["status"]], record["message"]))
    return tuple(found)


def _stop_at_bad(workspace: Workspace, path: Path) -> None:
    """Parts of an earlier run, that was not strict, may have bad rows."""
    for bad in _bad_rows(workspace, 1):
        raise DataError(f"{path}: row {bad.row} (from 0): {bad.message}", bad.row)


def _report(workspace: Workspace, path: Path, kept: int, began: float) -> FileReport:
    parts = workspace.parts.values()
    return FileReport(
        path,
        sum(part.rows for part in parts),
        sum(part.wins for part in parts),
        sum(part.not_complete for part in parts),
        sum(part.invalid for part in parts),
        len(parts),
        kept,
        _bad_rows(workspace, _SHOWN),
        time.perf_counter() - began,
    )
