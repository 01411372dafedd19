"""Scoring data files: scanned, scored and written a record batch at a time."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from ..hands.arrow import require_pyarrow
from ..hands.status import Status
from ..hands.tiles import Honors
from ..rules import GB98, Rules
from ..scoring.arrow import FanNames, Fans
from ..threads import resolve_threads
from .errors import DataError
from .flow import score_batches
from .parts import OneFile, PartsFolder
from .scan import Format, Place, Source, ending_of, format_of, is_uri
from .score import (
    BadRow,
    Options,
    Scored,
    choose_options,
    kept_schema,
    output_schema,
)
from .stats import stats_of_file
from .text_files import TextOptions
from .write import Form, check_writable, resolve_file, whole_file

Engine = Literal["local", "ray"]
#: Called with the number of rows that are done and of all, as far as that is known.
Progress = Callable[[int, "int | None"], None]

#: Rows of a part of a directory: 10 MB of hands.
PART_ROWS = 250_000
#: Bad rows that a report holds; a file gets them all.
_SHOWN = 5


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
    source: Place | Sequence[Place],
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
    encoding: str = "utf-8",
    delimiter: str | None = None,
    compression: str | None = None,
    part_rows: int = PART_ROWS,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = "local",
    address: str | None = None,
) -> FileReport:
    """Score the hands of data files, however large, into another one or a directory of parts.

    Memory is bounded: some hundred thousand rows are held at a time. A file stands under the
    output's name when it is whole and forced to the disk, or not at all. A directory gets numbered
    parts, each whole or not there; the same call after a kill makes those that are missing. Large
    jobs write directories.

    Parameters
    ----------
    source : path or URI, or a sequence of them
        Files or directories of them, of one format: Parquet, Arrow IPC, CSV with a header or JSON
        lines, by the names' endings: ``.parquet .pq .arrow .arrows .ipc .feather .csv .tsv .jsonl
        .ndjson``, the last four also packed, ``.gz .bz2 .zst``. A URI (``s3://bucket/hands``) is
        read by the file systems of pyarrow.
    output : path
        Likewise; a name without an ending is a directory, of Parquet files by default. What links
        lead to is written.
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
        Whether to replace a regular file, or a directory that holds nothing but parts of such a
        job; the same for ``errors``. Nothing else is ever replaced.
    input_format, output_format : {"parquet", "ipc", "csv", "jsonl"}, optional
        Instead of what the names say.
    encoding, delimiter : str
        Of CSV and JSON lines that are read; by default UTF-8, and a comma, or a tab in ``.tsv``.
    compression : {"none", "lz4", "zstd", "snappy"}, optional
        Of the output; by default what pyarrow takes: snappy for Parquet, none for Arrow IPC.
    part_rows : int
        Rows of a part of a directory.
    threads : int, optional
        Threads, with Ray processes, that score; by default one a core. The result does not depend
        on it.
    progress : callable, optional
        Called with the number of rows that are done and of all: if the files do not say how many
        there are, what is to be expected, or None.
    engine : {"local", "ray"}
        Whether this process works or Ray's, on this machine or a cluster.
    address : str, optional
        Of a running Ray cluster, ``host:port``; else ``RAY_ADDRESS``, one that runs on this machine
        or a new one.

    Returns
    -------
    FileReport

    Raises
    ------
    DataError
        When the input cannot be read or holds no hands, a row is impossible and ``strict`` is set,
        or something is in the place of the output that is not to be replaced.
    OSError
        When the output cannot be written, for example on a full disk.
    ConnectionError
        When there is no such cluster.

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
    if engine not in ("local", "ray"):
        raise ValueError(f"engine must be 'local' or 'ray', got {engine!r}")
    if is_uri(os.fspath(output)):
        raise ValueError(f"{output}: outputs are written to paths of this machine")
    places = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    read, written = Source(places, input_format, TextOptions(encoding, delimiter)), Path(output)
    kind = format_of(str(written), output_format)
    try:
        options = choose_options(
            read.schema, column=column, keep=keep, rules=rules, fans=fans, names=names,
            prefix=prefix, honors=honors, coded=kind == "ipc",
        )  # fmt: skip
    except DataError as error:
        raise DataError(f"{read.name}: {error}") from None
    check_writable(kept_schema(read.schema, options), kind, compression)
    form, inputs = Form(kind, output_schema(read.schema, options), compression), read.in_use()
    log: Any = nullcontext()
    if errors is not None:
        log = whole_file(resolve_file(Path(errors), overwrite, [*inputs, written]), overwrite)
    with log as lines:
        tally = _Tally(read, prefix, strict, lines, progress)
        # Ray's workers write Parquet directories by themselves.
        there = engine == "ray" and kind == "parquet" and errors is None
        parts: OneFile | PartsFolder
        if ending_of(written.name):
            parts = OneFile(resolve_file(written, overwrite, inputs))
        else:
            job = _describe(read, options, form, "Ray" if there else int(part_rows))
            parts = PartsFolder(written, kind, job, overwrite, inputs, int(part_rows))
        tally.kept = len(parts.finished())
        if isinstance(parts, PartsFolder) and there:
            from .ray import write_parts

            if not tally.kept:
                write_parts(read, options, threads, address, strict, parts, compression)
            for part in parts.finished():
                tally.keep(parts.place(part), named=True)
        else:
            scored = partial(score_batches, read, options, resolve_threads(threads))
            if engine == "ray":
                from .ray import score_there

                scored = partial(score_there, read, options, threads, address)
            _write(tally, scored, parts, form, overwrite)
    return tally.report(written, time.perf_counter() - began)


def _write(
    tally: _Tally,
    scored: Callable[[int, Collection[int]], Generator[tuple[int, Scored], None, None]],
    parts: OneFile | PartsFolder,
    form: Form,
    overwrite: bool,
) -> None:
    """Make the parts that are missing, and count those that are there."""
    finished = parts.finished()
    sound = {part for part in finished if tally.keep(parts.place(part))}
    with closing(scored(parts.size, sound)) as found:
        for part, batches in groupby(found, lambda one: one[0] // parts.size):
            if part in finished:  # only for its bad rows to be named
                for start, batch in batches:
                    tally.add(start, batch)
            else:
                _write_part(parts.place(part), form, tally, batches, overwrite)
    if not tally.parts:
        _write_part(parts.place(0), form, tally, (), overwrite)


def _write_part(
    place: Path, form: Form, tally: _Tally, batches: Iterable[tuple[int, Scored]], overwrite: bool
) -> None:
    with whole_file(place, overwrite) as sink, form.opened(sink) as file:
        for start, batch in batches:
            file.write(batch.table)
            tally.add(start, batch)
    tally.parts += 1


class _Tally:
    """What is done so far: counts, the bad rows, progress."""

    def __init__(
        self, source: Source, prefix: str, strict: bool, log: Any, progress: Progress | None
    ):
        self._source, self._prefix, self._strict = source, prefix, strict
        self._log, self._progress = log, progress
        self.rows = self.wins = self.not_complete = self.invalid = self.parts = self.kept = 0
        self._bad: list[BadRow] = []
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            expected = self._source.expected
            self._progress(self.rows, None if expected is None else max(self.rows, expected))

    def add(self, start: int, batch: Scored) -> None:
        """Count a batch, and name its bad rows."""
        for bad in batch.bad:
            row = start + bad.row
            if self._strict:
                raise DataError(f"{self._source.name}: row {row} (from 0): {bad.message}", row)
            if len(self._bad) < _SHOWN:
                self._bad.append(BadRow(row, bad.status, bad.message))
            if self._log is not None:
                record = {"row": row, "status": bad.status.name, "message": bad.message}
                self._log.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        self._count(batch.rows, batch.wins, batch.not_complete, len(batch.bad))

    def keep(self, part: Path, named: bool = False) -> bool:
        """Count a part that is there, unless it has bad rows which are still to be named."""
        self.parts += 1
        stats = stats_of_file(part, prefix=self._prefix, fans=False)
        if stats.invalid and not named:
            return False
        incomplete = stats.statuses[Status.NOT_COMPLETE]
        self._count(stats.rows, stats.wins, incomplete, stats.invalid)
        return True

    def _count(self, rows: int, wins: int, not_complete: int, invalid: int) -> None:
        self.rows += rows
        self.wins += wins
        self.not_complete += not_complete
        self.invalid += invalid
        self._tell()

    def report(self, path: Path, seconds: float) -> FileReport:
        """What has been done."""
        return FileReport(
            path, self.rows, self.wins, self.not_complete, self.invalid, self.parts, self.kept,
            tuple(self._bad), seconds,
        )  # fmt: skip


def _describe(source: Source, options: Options, form: Form, part_rows: int | str) -> dict[str, Any]:
    """What the parts of a directory depend on, as JSON."""
    rules = {
        option.name: getattr(options.rules, option.name)
        for option in dataclasses.fields(options.rules)
    }
    rules["values"] = sorted(dict(rules["values"]).items())
    columns = [f"{entry.name}: {entry.type}" for entry in form.schema]
    return {
        "inputs": source.identity(),
        "hands": options.column,
        "honors": options.honors,
        "names": options.names,
        "rules": rules,
        "columns": columns,
        "format": form.kind,
        "compression": form.compression,
        "part_rows": part_rows,
        "versions": {"fastmj": _version(), "pyarrow": require_pyarrow().__version__},
    }


def _version() -> str:
    try:
        return version("fastmj")
    except PackageNotFoundError:  # not installed, but on the path
        return "unknown"
