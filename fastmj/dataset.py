"""Scoring data files of any size: Parquet, Arrow IPC, CSV and JSON lines.

``score_file`` reads a file in parts, writes the scores beside its columns and goes on where it was
when it is killed. ``parse_hands`` reads many hand texts at once, ``score_ray`` scores a Ray data
set, ``stats_of_file`` counts what is in a scored file. All but ``parse_hands`` of a list need
pyarrow (``pip install 'fastmj[data]'``).
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .arrow import FanNames, Fans, plain_allocator, require_pyarrow
from .dataset_job import Part, Workspace, identity
from .dataset_parquet import Joining, PartWriter, copied_columns
from .dataset_ray import score_ray
from .dataset_read import DataError, Format, ParquetSource, Source, format_of, open_source
from .dataset_score import Options, choose_options, output_schema, score_columns
from .dataset_stats import FileStats, plot_stats, stats_of_file
from .dataset_texts import ParsedHands, parse_hands
from .dataset_write import check_writable, encode, join, whole_file, write_whole
from .rules import GB98, Rules
from .status import Status
from .threads import resolve_threads
from .tiles import Honors

__all__ = [
    "BadRow",
    "DataError",
    "FileReport",
    "FileStats",
    "ParsedHands",
    "parse_hands",
    "plot_stats",
    "score_file",
    "score_ray",
    "stats_of_file",
]

#: Rows of a part: 10 MB of hands, a fraction of a second of work that a kill can lose.
PART_ROWS = 1 << 18
#: Bad rows that a report holds; a file gets them all.
_SHOWN = 5

Progress = Callable[[int, "int | None"], None]
#: Makes the missing parts of some work from a source, of so many rows, on so many threads.
Engine = Callable[["Work", Source, int, int], None]


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

    Memory is bounded by ``part_rows`` and ``threads``. Finished parts are kept in the directory
    ``OUTPUT.parts`` until the output is complete: the same call after a kill verifies them and
    makes only what is missing, and the output is the same to the byte. Nothing stands under the
    output's name before it is complete.

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
        Of the output; by default none for Arrow IPC, and lz4 for Parquet, where columns that are
        kept from a Parquet file stay as they are.
    part_rows : int
        Rows of a part. Row groups of the output are those of a Parquet input whose columns can be
        copied, else parts.
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
    asked, compression = compression, compression or ("lz4" if kind == "parquet" else "none")
    try:
        options = choose_options(
            read.schema, column=column, keep=keep, rules=rules, fans=fans, names=names,
            prefix=prefix, honors=honors,
        )  # fmt: skip
    except DataError as error:
        raise DataError(f"{read.path}: {error}") from None
    plain = kind == "csv" and fans == "list"
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
    workspace = Workspace(parts, _suffix(kind), job)
    kept = len(workspace.parts)
    if there and not overwrite and not (workspace.finished and workspace.fresh):
        workspace.close()
        raise DataError(f"{written} is there already (overwrite=True or --force replaces it)")
    work = Work(workspace, options, kind, compression, strict, plain, progress, read.rows)

    def finish_parts() -> FileReport:
        if not workspace.finished:
            with plain_allocator():
                (engine or Work.run)(work, read, int(part_rows), threads)
            workspace.files()
        if strict:
            _stop_at_bad(workspace, read.path)
        if copied and identity(read.path) != origin:
            raise DataError(f"{read.path} has changed while it was read")
        report = _report(workspace, written, kept, began)
        if errors is not None:
            write_whole(Path(errors), lambda file: file.writelines(
                path.read_bytes() for path in workspace.errors()
            ))  # fmt: skip
        if not workspace.finished:
            workspace.finish(fresh=not there)
        return report

    try:
        if directory:
            report = finish_parts()
            workspace.become(written)
        elif there and not overwrite:  # it is complete, but for the parts that are still there
            report = finish_parts()
            workspace.remove()
        else:
            with whole_file(written) as file:
                if kind == "parquet":
                    schema = output_schema(read.schema, options)
                    work.joining = Joining(file, schema, copied)
                    report = finish_parts()
                    work.join_ready()
                    work.joining.finish()
                else:
                    report = finish_parts()
                    join(workspace.files(), file, kind, compression)
            workspace.remove()
    except DataError:
        workspace.remove()
        raise
    except BaseException:
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


class Work:
    """Scores parts of a source on several threads."""

    def __init__(
        self,
        workspace: Workspace,
        options: Options,
        kind: Format,
        compression: str,
        strict: bool,
        plain: bool,
        progress: Progress | None,
        total: int | None,
    ):
        self.workspace, self.options, self.kind = workspace, options, kind
        self.compression, self.strict, self.plain = compression, strict, plain
        self.progress, self.total = progress, total
        #: Takes up the parts while others are made, if there is one.
        self.joining: Joining | None = None
        self.joined = 0

    def run(self, source: Source, part_rows: int, threads: int) -> None:
        """Make the parts that are missing; hardly more at a time than there are threads."""
        done = sum(part.rows for part in self.workspace.parts.values())
        self.tell(done)
        pending: deque[Future[Future[int]]] = deque()
        # Writing waits for the disk, so it has a thread of its own.
        with ThreadPoolExecutor(1) as writer, ThreadPoolExecutor(threads) as pool:

            def make(*part: Any) -> Future[int]:
                return writer.submit(self._enter, self.workspace.store(**self.encode(*part)))

            joined = writer.submit(self.join_ready)
            try:
                for number, start, table in source.parts(part_rows, set(self.workspace.parts)):
                    self.total = source.expected
                    pending.append(pool.submit(make, number, start, table, source.path))
                    while len(pending) > threads + 2:
                        done += pending[0].result().result()
                        pending.popleft()
                        self.tell(done)
                self.total = source.expected
                for future in pending:
                    done += future.result().result()
                    self.tell(done)
                joined.result()
            except BaseException as error:
                pool.shutdown(wait=True, cancel_futures=True)
                if isinstance(error, DataError):
                    # The first part that failed, before what may be wrong further on in the file.
                    for future in pending:
                        if not future.cancelled():
                            future.result()
                raise

    def make(self, number: int, start: int, table: Any, path: Path) -> int:
        """Score one part and write it; return its number of rows."""
        return self.write(self.encode(number, start, table, path))

    def write(self, made: dict[str, Any]) -> int:
        """Write one part and join what can be joined; return its number of rows."""
        return self._enter(self.workspace.store(**made))

    def _enter(self, part: Part) -> int:
        self.workspace.enter(part)
        self.join_ready()
        return part.rows

    def join_ready(self) -> None:
        """Join the parts that are there and follow those that are joined."""
        while self.joining is not None and self.joined in self.workspace.parts:
            self.joining.add(self.workspace.file(self.joined))
            self.joined += 1

    def encode(self, number: int, start: int, table: Any, path: Path) -> dict[str, Any]:
        """Score one part: what ``Workspace.add`` wants."""
        try:
            if self.kind == "parquet":
                writer = PartWriter(table.schema, self.options, self.compression)
                data, blocks = writer.write(table, start)
            else:
                scored = score_columns(table, self.options)
                blocks, whole = [scored], scored.table
                if self.plain:
                    whole = _joined_names(whole, self.options.prefix)
                data = encode(whole, self.kind, self.compression, number == 0)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        errors = io.StringIO()
        tally = dict.fromkeys(("wins", "not_complete", "invalid"), 0)
        for block in blocks:
            status = block.scores.status
            for position, message in zip(block.bad.tolist(), block.messages, strict=True):
                row = start + position
                if self.strict:
                    raise DataError(f"{path}: row {row} (from 0): {message}", row)
                record = {"row": row, "status": Status(status[position]).name, "message": message}
                errors.write(json.dumps(record, ensure_ascii=False) + "\n")
            tally["wins"] += int(block.scores.wins.sum())
            tally["not_complete"] += int((status == Status.NOT_COMPLETE).sum())
            tally["invalid"] += len(block.bad)
            start += len(block.scores)
        return {
            "number": number, "rows": table.num_rows, "data": data,
            "errors": errors.getvalue().encode(), **tally,
        }  # fmt: skip

    def tell(self, done: int) -> None:
        """Say how many rows are done."""
        if self.progress is not None:
            self.progress(done, None if self.total is None else max(done, self.total))


def _joined_names(table: Any, prefix: str) -> Any:
    """Table with the lists of fans as texts."""
    import pyarrow.compute as pc

    pa = require_pyarrow()
    position = table.schema.get_field_index(f"{prefix}fans")
    lists = table.column(position).cast(pa.list_(pa.string()))
    return table.set_column(position, f"{prefix}fans", pc.binary_join(lists, ";"))


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
