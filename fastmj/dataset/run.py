"""Scoring data files: scanned, scored and written a record batch at a time."""

from __future__ import annotations

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

from ..files import DataError, resolve_file, whole_file
from ..hands.arrow import require_pyarrow
from ..hands.status import Status
from ..hands.tiles import Honors
from ..quoting import quoted
from ..rules import GB98, RulesLike, resolve_rules
from ..scoring.arrow import FanNames, Fans
from .flow import score_batches
from .parts import PartsFolder
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
from .write import Form, check_writable

#: Called with the number of rows that are done and of all, as far as that is known.
Progress = Callable[[int, "int | None"], None]

#: Rows of a part of a directory: 10 MB of hands.
PART_ROWS = 250_000
_SHOWN = 5  # bad rows that a report holds; a file gets them all


@dataclass
class FileReport:
    """What ``score_file`` did.

    Rows in all, and how many win, are not complete, and are impossible; the parts of which the
    output is made, and how many of them stood from an earlier run; the first few impossible rows.
    """

    path: Path
    rows: int = 0
    wins: int = 0
    not_complete: int = 0
    invalid: int = 0
    parts: int = 0
    kept: int = 0
    bad: tuple[BadRow, ...] = ()
    seconds: float = 0.0


def score_file(
    source: Place | Sequence[Place],
    output: str | os.PathLike[str],
    *,
    column: str | None = None,
    rules: RulesLike = GB98,
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
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
) -> FileReport:
    r"""Score the hands of data files, however large, into another one or a directory of parts.

    Some hundred thousand rows are held at a time. A file stands under the output's name when it is
    whole and forced to the disk. A directory gets numbered parts, each whole or not there; the same
    call after a kill makes those that are missing: large jobs write directories.

    Parameters
    ----------
    source : path or URI, or a sequence of them
        Files or directories of them, of one format, by the endings of their names: ``.parquet .pq
        .arrow .arrows .ipc .feather .csv .tsv .jsonl .ndjson``, the last four also packed: ``.gz
        .bz2 .zst``. A URI is read by the file systems of pyarrow.
    output : path
        Likewise; a name without an ending is a directory, of Parquet files by default. What links
        lead to is written.
    column : str, optional
        Column of hand texts. By default the columns of ``HandBatch.to_arrow``, else ``hand``.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one: gb98, wmo2006, regional.
    fans, names, prefix
        How scores are written, as for ``ScoreBatch.to_arrow``, each fan as often as it counts. In
        CSV the names of a list are one text with ``;`` between them.
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
        Of the output; by default snappy for Parquet, none for Arrow IPC.
    part_rows : int
        Rows of a part of a directory.
    threads : int, optional
        Threads, with Ray processes, that score; by default one a core.
    progress : callable, optional
        Called with the number of rows that are done and of all, which is None where the files do
        not say.
    engine : {"local", "ray"}
        Whether this process works or Ray's, which write directories of Parquet files.
    address : str, optional
        ``host:port`` of a running Ray cluster; else ``RAY_ADDRESS``, one on this machine, or a new
        one.

    Returns
    -------
    FileReport

    Raises
    ------
    DataError, OSError, ConnectionError
        When the input cannot be read or holds no hands, a row is impossible and ``strict`` is set,
        or the output must not be replaced; when it cannot be written; when there is no cluster.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "hands.csv").write_text("hand\n123456789m12355p\n")
    >>> report = score_file(folder / "hands.csv", folder / "scored.csv", names="key")
    >>> print((folder / "scored.csv").read_text().splitlines()[report.rows])
    "123456789m12355p",23,23,true,0,"pure_straight;concealed_hand;all_chows;mixed_double_chow;one_voided_suit;single_wait"
    """
    began = time.perf_counter()
    if isinstance(part_rows, bool) or int(part_rows) != part_rows or part_rows < 1:
        raise ValueError(f"part_rows must be a whole number of at least 1, got {quoted(part_rows)}")
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ValueError(f"a delimiter is one ASCII character, got {quoted(delimiter)}")
    if engine not in ("local", "ray"):
        raise ValueError(f"engine must be 'local' or 'ray', got {quoted(engine)}")
    if is_uri(os.fspath(output)):
        raise ValueError(f"{output}: outputs are written to paths of this machine")
    places = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    read, written = Source(places, input_format, TextOptions(encoding, delimiter)), Path(output)
    kind = format_of(str(written), output_format)
    try:
        options = choose_options(
            read.schema, column=column, keep=keep,
            rules=resolve_rules(rules), fans=fans, names=names,
            prefix=prefix, honors=honors, coded=kind == "ipc",
        )  # fmt: skip
    except DataError as error:
        raise DataError(f"{read.name}: {error}") from None
    check_writable(kept_schema(read.schema, options), kind, compression)
    form, inputs = Form(kind, output_schema(read.schema, options), compression), read.in_use()
    if engine == "ray" and (kind != "parquet" or ending_of(written.name) or errors is not None):
        raise ValueError(
            "Ray's workers write directories of Parquet files: name an output without an ending, "
            "and look for impossible hands in its status column, not in a file of errors"
        )
    if engine == "ray":
        from .ray import require_ray, write_parts

        require_ray()
    log: Any = nullcontext()
    if errors is not None:
        log = whole_file(resolve_file(Path(errors), overwrite, [*inputs, written]), overwrite)
    with log as path, nullcontext() if path is None else path.open("wb") as lines:
        tally = _Tally(FileReport(written), read, prefix, strict, lines, progress)
        scored = partial(score_batches, read, options, threads)
        if ending_of(written.name):
            target = resolve_file(written, overwrite, inputs)
            _write(tally, scored, form, overwrite, lambda _: target, 1 << 62, set())
        else:
            size = int(part_rows)
            job = _describe(read, options, form, size if engine == "local" else "Ray's")
            folder = PartsFolder(written, kind, job, overwrite, inputs)
            tally.report.kept = len(folder.finished())
            if engine == "local":
                _write(tally, scored, form, overwrite, folder.place, size, folder.finished())
            else:
                if not folder.finished():
                    write_parts(read, options, threads, address, strict, folder, compression)
                for part in folder.finished():
                    tally.keep(folder.place(part), named=True)
    tally.report.seconds = time.perf_counter() - began
    return tally.report


def _write(
    tally: _Tally,
    scored: Callable[[int, Collection[int]], Generator[tuple[int, Scored], None, None]],
    form: Form,
    overwrite: bool,
    place: Callable[[int], Path],
    size: int,
    finished: set[int],
) -> None:
    """Make the parts, of so many rows, that are missing, and count those that are there."""
    sound = {part for part in finished if tally.keep(place(part))}
    with closing(scored(size, sound)) as found:
        for part, batches in groupby(found, lambda one: one[0] // size):
            if part in finished:  # only for its bad rows to be named
                for start, batch in batches:
                    tally.add(start, batch)
            else:
                _write_part(place(part), form, tally, batches, overwrite)
    if not tally.report.parts:
        _write_part(place(0), form, tally, (), overwrite)


def _write_part(
    place: Path, form: Form, tally: _Tally, batches: Iterable[tuple[int, Scored]], overwrite: bool
) -> None:
    sink = require_pyarrow().OSFile
    with (
        whole_file(place, overwrite) as path,
        sink(str(path), "wb") as out,
        form.opened(out) as file,
    ):
        for start, batch in batches:
            file.write(batch.table)
            tally.add(start, batch)
    tally.report.parts += 1


class _Tally:
    """Keeps the report of what is done, names the bad rows, and tells the progress."""

    def __init__(
        self, report: FileReport, source: Source, prefix: str, strict: bool, log: Any,
        progress: Progress | None,
    ):  # fmt: skip
        self.report = report
        self._source, self._prefix, self._strict = source, prefix, strict
        self._log, self._progress = log, progress
        self._count(0, 0, 0, 0)

    def add(self, start: int, batch: Scored) -> None:
        """Count a batch, and name its bad rows."""
        for bad in batch.bad:
            row = start + bad.row
            if self._strict:
                raise DataError(f"{self._source.name}: row {row} (from 0): {bad.message}", row)
            if len(self.report.bad) < _SHOWN:
                self.report.bad += (BadRow(row, bad.status, bad.message),)
            if self._log is not None:
                record = {"row": row, "status": bad.status.name, "message": bad.message}
                self._log.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        self._count(batch.rows, batch.wins, batch.not_complete, len(batch.bad))

    def keep(self, part: Path, named: bool = False) -> bool:
        """Count a part that is there, unless it has bad rows which are still to be named."""
        self.report.parts += 1
        stats = stats_of_file(part, prefix=self._prefix, fans=False)
        if stats.invalid and not named:
            return False
        incomplete = stats.statuses[Status.NOT_COMPLETE]
        self._count(stats.rows, stats.wins, incomplete, stats.invalid)
        return True

    def _count(self, rows: int, wins: int, not_complete: int, invalid: int) -> None:
        report = self.report
        report.rows, report.wins = report.rows + rows, report.wins + wins
        report.not_complete += not_complete
        report.invalid += invalid
        if self._progress is not None:
            self._progress(report.rows, self._source.rows)


def _describe(source: Source, options: Options, form: Form, part_rows: int | str) -> dict[str, Any]:
    """What the parts of a directory depend on, as JSON."""
    try:
        own = version("fastmj")
    except PackageNotFoundError:  # not installed, but on the path
        own = "unknown"
    return {
        "inputs": source.identity(),
        "hands": options.column,
        "honors": options.honors,
        "names": options.names,
        "rules": f"{type(options.rules).__name__} {options.rules.digest}",
        "columns": [f"{entry.name}: {entry.type}" for entry in form.schema],
        "format": form.kind,
        "compression": form.compression,
        "part_rows": part_rows,
        "versions": {"fastmj": own, "pyarrow": require_pyarrow().__version__},
    }
