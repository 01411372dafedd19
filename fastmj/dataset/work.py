"""Making the parts of a job: scored on several threads, and put together by one that writes."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from operator import itemgetter

from .job import Workspace
from .parquet_footer import Footer
from .parts import Made, Recipe
from .scan import DataError, Source

Progress = Callable[[int, "int | None"], None]
#: Parts that wait in memory for one before them; others are written down.
_WAITING = 8


class Work:
    """Scores parts of a source on several threads.

    Parts of a growing output are not written down one by one: they wait in memory until those
    before them are there, and their row group is complete.
    """

    def __init__(
        self, workspace: Workspace, recipe: Recipe, progress: Progress | None, total: int | None
    ):
        self.workspace, self.growing, self.recipe = workspace, workspace.growing, recipe
        self.progress, self.total = progress, total
        #: Parts in memory: those that wait for others, and those added whose row group is not
        #: complete, with the number of rows up to their ends.
        self._waiting: dict[int, Made] = {}
        self._added: deque[tuple[int, Made]] = deque()
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
                    made = self.recipe.make(int(number), start, table, source.path)
                    return writer.submit(self.write, made)
                except BaseException as error:
                    failed.append((number, error))
                    raise

            begun = writer.submit(self.grow)
            pending = deque(pool.submit(make) for _ in range(threads + 2))
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

    def write(self, made: Made) -> int:
        """Write one part, whichever it is; return its number of rows."""
        if self.growing is None:
            self._write_down(made)
        else:
            self._waiting[made.number] = made
            self.grow()
            if len(self._waiting) > _WAITING:
                self._write_down(self._waiting.pop(max(self._waiting)))
        return made.rows

    def grow(self) -> None:
        """Add to the growing output, if there is one, what parts there are after those in it."""
        grown, parts = self.growing, self.workspace.parts
        if grown is None:
            return
        grown.begin()
        while True:
            made = self._waiting.pop(self._next, None)
            if made is not None and grown.long:
                self._write_down(made)
                made = None
            if made is not None:
                groups, rows = made.groups, made.rows
                self._added.append((self._end + rows, made))
            elif self._next in parts:
                part = parts[self._next]
                stands = part.end is not None
                groups = () if stands else Footer(self.workspace.file(part.number)).groups()
                rows = part.rows
            else:
                return
            for record in grown.add(self._end, groups):
                self.workspace.enter_group(record)
            self._next += 1
            self._end += rows
            # Parts of which nothing is missing any more.
            while self._added and self._added[0][0] <= grown.rows:
                end, made = self._added.popleft()
                self.workspace.enter_grown(end=end, **made.about)

    def save(self) -> None:
        """Write down the parts in memory, before the work ends early."""
        for made in (*self._waiting.values(), *(made for _, made in self._added)):
            self._write_down(made)
        self._waiting.clear()
        self._added.clear()

    def _write_down(self, made: Made) -> None:
        """Write a part as a file of its own."""
        self.workspace.add(data=made.file, **made.about)

    def tell(self, done: int) -> None:
        """Say how many rows are done."""
        if self.progress is not None:
            self.progress(done, None if self.total is None else max(done, self.total))
