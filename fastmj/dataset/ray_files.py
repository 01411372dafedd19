"""Scoring data files by Ray: the job of ``score_file``, its parts made by a cluster.

A worker gets the number of a part and hands over the bytes of its file. The process that was
called writes them and keeps the list, so whatever holds for ``score_file`` after a kill holds here,
and the output need not be seen from anywhere else. The bytes are the same, so either engine goes
on where the other one was killed.

Parts of Parquet files are read by the workers. The other formats can only be read from the
beginning: one process does it, on the machine that was called, and hands out the parts.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..hands.arrow import plain_allocator, require_pyarrow
from .parts import Made, Recipe
from .ray import load_kernels
from .ray_cluster import connected, first_cause, pool, quiet, require_ray
from .run import FileReport, score_file, versions
from .scan import DataError, Format, Source, open_source
from .work import Work

#: Rows of a row group, in parts, up to which each part reads it from its beginning.
_REREAD = 8


def score_file_with_ray(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    address: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> FileReport:
    """Score a data file by Ray.

    Parameters
    ----------
    source, output : path
        As for ``score_file``. A source of Parquet must be seen under the same path by all machines
        of the cluster; everything else only by this one.
    address : str, optional
        ``host:port`` of the head of a running cluster. By default Ray looks for one
        (``RAY_ADDRESS``, this machine) or starts on this machine until the file is done.
    workers : int, optional
        Processes at most that score, each on one core; by default as many as the cluster has cores.
    **options
        As for ``score_file``.

    Returns
    -------
    FileReport

    Raises
    ------
    ConnectionError
        When there is no cluster, or it has other versions of fastmj and pyarrow, or gives up on
        the way. Finished parts are left, and the same call goes on with them.
    DataError, OSError
        As ``score_file`` raises them.
    ImportError
        When Ray is not installed (``pip install 'fastmj[ray]'``).
    """
    require_ray()
    return score_file(source, output, engine=RayEngine(address, workers), **options)


@dataclass(frozen=True)
class RayEngine:
    """Makes the parts of a job by Ray Data: an engine of ``score_file``."""

    address: str | None = None
    workers: int | None = None

    def __call__(self, work: Work, source: Source, part_rows: int, threads: int) -> None:
        """Make the parts that are missing, in whatever order they come.

        Threads are those of this process, which has little to do.
        """
        if source.rows is not None and len(work.workspace.parts) == _count(source, part_rows):
            return
        try:
            # A part is a row, and a block of its own: it goes to a worker, and comes back, at once.
            with connected(self.address) as ray, quiet(ray, target_max_block_size=1):
                self._run(ray, work, source, part_rows)
        except ConnectionError:
            if not work.workspace.parts:  # nothing has been done, so nothing is left
                work.workspace.remove()
            raise

    def _run(self, ray: Any, work: Work, source: Source, part_rows: int) -> None:
        there, problems = set(work.workspace.parts), dict[int, DataError]()
        order = Order(
            source.path.resolve(), source.format, part_rows, work.recipe, tuple(versions()),
        )  # fmt: skip
        done = sum(part.rows for part in work.workspace.parts.values())
        work.tell(done)
        for answer in _answers(ray, order, _wanted(ray, order, source, set(there)), self.workers):
            if answer["problem"] is None:
                done += work.write(Made(**{name: answer[name] for name in _PART}))
                work.tell(done)
                there.add(answer["number"])
            else:
                problems[answer["number"]] = DataError(answer["problem"], answer["bad_row"])
            # The first problem of all, whichever worker is first.
            if problems and all(n in there or n in problems for n in range(min(problems))):
                raise problems[min(problems)]


@dataclass(frozen=True)
class Order:
    """What the processes of the cluster are told of a job."""

    path: Path
    input_format: Format
    part_rows: int
    recipe: Recipe
    versions: tuple[str, ...]

    def open(self) -> Source:
        """The file, of which the columns that are needed are read."""
        source = open_source(self.path, self.input_format)
        source.columns = self.recipe.options.needed(source.schema.names)
        return source


#: What ``Made`` holds.
_PART = tuple(Made.__dataclass_fields__)


def _message(**fields: Any) -> Any:
    """What processes tell each other: a table of one row.

    A part that is wanted has its number and, unless the worker is to read it, ``start`` and its
    table as ``data``; a part that is made has what ``Made`` holds; one that cannot be made
    has a problem.
    """
    pa = require_pyarrow()
    kinds = dict.fromkeys((*_PART, "start", "bad_row"), pa.int64())
    kinds |= {"data": pa.large_binary(), "errors": pa.large_binary(), "problem": pa.string()}
    if "data" in fields:
        fields["data"] = memoryview(fields["data"])
    return pa.table({name: pa.array([fields.get(name)], kind) for name, kind in kinds.items()})


def _fields(message: Any) -> dict[str, Any]:
    """What a message says; its data stays where it is."""
    fields = {name: message[name][0].as_py() for name in message.column_names if name != "data"}
    return fields | {"data": message["data"][0].as_buffer()}


class PartMaker:
    """What a worker does with each part; kept by it, so that the kernels are loaded once."""

    def __init__(self, order: Order):
        self.order = order
        load_kernels()

    def __call__(self, wanted: Any) -> Any:
        """Make the part that is wanted.

        Raises
        ------
        ConnectionError
            When the versions here are others than where the parts are written, or the file is not
            seen here.
        """
        order = self.order
        if tuple(versions()) != order.versions:
            there, here = (" with pyarrow ".join(found) for found in (versions(), order.versions))
            raise ConnectionError(f"the cluster has fastmj {there}, this process {here}")
        if not wanted.num_rows or wanted["problem"][0].is_valid:
            return wanted
        fields = _fields(wanted)
        number = fields["number"]
        try:
            with plain_allocator():
                start, table = self._table(**fields)
                made = order.recipe.make(number, start, table, order.path)
            return _message(data=b"".join(made.file), **made.about)
        except DataError as error:
            return _message(number=number, problem=str(error), bad_row=error.row)

    def _table(self, number: int, start: int, data: Any, **_: Any) -> tuple[int, Any]:
        """First row's number and table of a part, handed over or read."""
        if data is not None:
            return start, require_pyarrow().ipc.open_stream(data).read_all()
        if not self.order.path.exists():
            raise ConnectionError(f"{self.order.path} is not seen on {socket.gethostname()}")
        for read, first, table in self.order.open().parts(self.order.part_rows, range(number)):
            if read == number:
                return first, table
            break
        raise DataError(f"{self.order.path}: there are fewer rows than a moment ago")


def _wanted(ray: Any, order: Order, source: Source, finished: set[int]) -> Any:
    """Ray data set of the parts that are missing, in order."""
    if _can_be_read_anywhere(source, order.part_rows):
        numbers = range(_count(source, order.part_rows))
        missing = [number for number in numbers if number not in finished]
        return ray.data.from_arrow([_message(number=number) for number in missing])
    return ray.data.from_arrow([_message()]).map_batches(
        _read_in_order,
        fn_kwargs={"order": order, "finished": finished},
        batch_format="pyarrow",
        num_cpus=0,  # waiting for one that the workers hold would never end
        label_selector={"ray.io/node-id": ray.get_runtime_context().get_node_id()},
    )


def _count(source: Source, part_rows: int) -> int:
    """Number of parts; a file without rows has one."""
    return max(1, -(-(source.rows or 0) // part_rows))


def _can_be_read_anywhere(source: Source, part_rows: int) -> bool:
    """Whether a part can be read without much of what is before it."""
    if source.format != "parquet":
        return False
    import pyarrow.dataset

    files = pyarrow.dataset.dataset(source.path, format="parquet").get_fragments()
    longest = max((group.num_rows for file in files for group in file.row_groups), default=0)
    return bool(longest <= _REREAD * part_rows)


def _read_in_order(_: Any, order: Order, finished: set[int]) -> Iterator[Any]:
    """Read the missing parts of a file from its beginning."""
    pa = require_pyarrow()
    number = -1
    try:
        for number, start, table in order.open().parts(order.part_rows, finished):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
            yield _message(number=number, start=start, data=sink.getvalue())
    except DataError as error:
        yield _message(number=number + 1, problem=str(error), bad_row=error.row)


def _answers(ray: Any, order: Order, wanted: Any, workers: int | None) -> Iterator[dict[str, Any]]:
    """What the workers hand over, as soon as it comes."""
    made = wanted.map_batches(
        PartMaker,
        fn_constructor_args=(order,),
        batch_format="pyarrow",
        batch_size=1,
        **pool(ray, workers),
    )
    batches = made.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
    try:
        for batch in batches:
            for row in range(batch.num_rows):
                yield _fields(batch.slice(row, 1))
    except Exception as error:  # whatever it may be: what is wrong with a part is no exception
        raise ConnectionError(f"the cluster gave up: {first_cause(error)}") from error
