"""Making the parts of a job: scored on several threads, and put together by one that writes."""

from __future__ import annotations

import io
import json
import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path
from typing import Any

from .arrow import require_pyarrow
from .dataset_job import Workspace
from .dataset_parquet import PartWriter
from .dataset_read import DataError, Format, Source
from .dataset_score import Options, score_columns
from .dataset_write import encode
from .parquet_footer import Footer
from .status import Status

Progress = Callable[[int, "int | None"], None]
#: Parts that wait in memory for one before them; others are written down.
_WAITING = 8


class Work:
    """Scores parts of a source on several threads.

    Parts of a growing output are not written down one by one: they wait in memory until those
    before them are there, and their row group is complete.
    """

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
        self.growing = workspace.growing if workspace is not None else None
        self._writer: PartWriter | None = None
        #: Parts in memory: those that wait for others, and those added whose row group is not
        #: complete, with the number of rows up to their ends.
        self._waiting: dict[int, dict[str, Any]] = {}
        self._added: deque[tuple[int, dict[str, Any]]] = deque()
        self._next = self._end = 0

    def run(self, source: Source, part_rows: int, threads: int) -> None:
        """Make the parts that are missing; hardly more at a time than there are threads."""
        done = sum(part.rows for part in self.workspace.parts.values())
        self.tell(done)
        parts = source.parts(part_rows, set(self.workspace.parts))
        reading = threading.Lock()
        failed: list[tuple[float, BaseException]] = []
        # Writing waits for the disk, so it has a thread of its own.
        with ThreadPoolExecutor(1) as writer, ThreadPoolExecutor(threads) as pool:

            def make() -> Future[int] | None:
                """Make the next part, read by the thread that scores it: it is in its cache."""
                number = math.inf
                try:
                    with reading:
                        number, start, table = next(parts, (math.inf, 0, None))
                        self.total = source.expected
                    if table is None:
                        return None
                    made = self.encode(int(number), start, table, source.path)
                    return writer.submit(self.write, made)
                except BaseException as error:
                    failed.append((number, error))
                    raise

            begun = writer.submit(self.grow)
            pending = deque(pool.submit(make) for _ in range(2 * threads + 2))
            try:
                while pending:
                    entered = pending.popleft().result()
                    if entered is not None:
                        pending.append(pool.submit(make))
                        done += entered.result()
                        self.tell(done)
                begun.result()
            except BaseException as error:
                pool.shutdown(wait=True, cancel_futures=True)
                if isinstance(error, DataError) and failed:
                    # Of the first part that failed, before what may be wrong further on.
                    raise min(failed, key=itemgetter(0))[1] from None
                raise

    def write(self, made: dict[str, Any]) -> int:
        """Write one part, whichever it is; return its number of rows."""
        if self.growing is None:
            return self.workspace.add(**made).rows
        self._waiting[made["number"]] = made
        self.grow()
        if len(self._waiting) > _WAITING:
            self._write_down(self._waiting.pop(max(self._waiting)))
        return int(made["rows"])

    def grow(self) -> None:
        """Add to the growing output, if there is one, what parts there are after those in it."""
        grown, workspace = self.growing, self.workspace
        if grown is None:
            return
        grown.begin()
        while True:
            made = self._waiting.pop(self._next, None)
            if made is not None and grown.long:
                self._write_down(made)
                made = None
            if made is not None:
                rows, pieces = made["rows"], made["data"]
                if not isinstance(pieces, Sequence):  # the bytes of a file
                    pieces = list(Footer(memoryview(pieces)).groups())
            elif (part := workspace.parts.get(self._next)) is not None:
                rows = part.rows
                in_it = part.end is not None
                pieces = () if in_it else Footer(workspace.file(self._next)).groups()
            else:
                return
            grown.add(self._end, pieces)
            self._next += 1
            self._end += rows
            if made is not None:
                self._added.append((self._end, made))
            self._list_grown()

    def _list_grown(self) -> None:
        """List row groups that have become complete, and parts of which nothing is missing."""
        assert self.growing is not None
        for record in self.growing.records:
            self.workspace.enter_group(record)
        self.growing.records.clear()
        while self._added and self._added[0][0] <= self.growing.rows:
            end, made = self._added.popleft()
            self.workspace.enter_grown(end=end, **{k: v for k, v in made.items() if k != "data"})

    def save(self) -> None:
        """Write down the parts in memory, before the work ends early."""
        for made in (*self._waiting.values(), *(made for _, made in self._added)):
            self._write_down(made)
        self._waiting.clear()
        self._added.clear()

    def _write_down(self, made: dict[str, Any]) -> None:
        """Write a part as a file of its own."""
        data = made["data"]
        if isinstance(data, list):
            assert self._writer is not None
            data = self._writer.file(data)
        self.workspace.add(**made | {"data": data})

    def encode(self, number: int, start: int, table: Any, path: Path) -> dict[str, Any]:
        """Score one part: what ``Workspace.add`` wants, or pieces of a growing output."""
        try:
            if self.kind == "parquet":
                writer = PartWriter(table.schema, self.options, self.compression)
                pieces, blocks = writer.write(table, start)
                self._writer = writer
                data: Any = pieces if self.growing is not None else writer.file(pieces)
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
