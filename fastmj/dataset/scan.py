"""Reading data files in pieces: Parquet, Arrow IPC, CSV and JSON lines, each behind ``Source``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

from ..hands.arrow import HAND_COLUMNS, byte_array, require_pyarrow
from .parquet_hands import UnusualError, read_hands

Format = Literal["parquet", "ipc", "csv", "jsonl"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".arrows": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
#: Bytes of text that are read at a time.
_TEXT_BLOCK = 4 << 20
#: Bytes of a column chunk that are read at a time: one may be as large as the file. A buffer of
#: 1 MiB costs 10 ns a hand more. A mapped file would spare 8 more, and count as memory.
_PARQUET_BUFFER = 1 << 16
#: Rows of Parquet that are read at a time: more leave the caches, and take fresh memory each.
_ROWS = 1 << 17
#: What pyarrow calls compressions that outputs may have; zstd stands for all others.
_COMPRESSIONS = {"UNCOMPRESSED": "none", "LZ4": "lz4", "SNAPPY": "snappy"}


class DataError(ValueError):
    """Input that cannot be read or scored, in one line.

    Attributes
    ----------
    row : int or None
        Number of the row, from 0, if the error is about one.
    """

    def __init__(self, message: str, row: int | None = None):
        super().__init__(" ".join(message.split()))
        self.row = row


def format_of(path: Path, given: str | None = None) -> Format:
    """Format of a file by its name; a directory is one of Parquet parts."""
    if given is not None:
        for known in get_args(Format):
            if known == given:
                return known  # type: ignore[no-any-return]
        raise ValueError(f"a format is one of {', '.join(get_args(Format))}, got {given!r}")
    if path.is_dir() or not path.suffix:
        return "parquet"
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise DataError(
            f"{path}: no format is known for names that end in {path.suffix!r}; "
            f"known are {' '.join(SUFFIXES)}, or say which of {', '.join(get_args(Format))} it is"
        )
    return found


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong in reading into one line that names the file."""
    pa = require_pyarrow()
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (pa.ArrowException, OSError, EOFError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if said.startswith("CSV parse error: Expected"):
            said += " (a hand with a comma in it must stand in quotes)"
        raise DataError(f"cannot read {path}: {said}") from None


class Source(ABC):
    """A data file that is read from the beginning, in record batches.

    Attributes
    ----------
    path : Path
    format : Format
    schema : pyarrow.Schema
    rows : int or None
        Number of rows, where the file says so.
    columns : list of str or None
        Columns that are wanted; a format that cannot leave out the others reads them too.
    compression : str
        Of a Parquet output that is to be like this: that of the first column of Parquet, else lz4.
    """

    format: Format
    schema: Any
    rows: int | None = None
    columns: list[str] | None = None
    compression = "lz4"
    _guessed: int | None = None

    def __init__(self, path: Path):
        self.path = path

    @property
    def expected(self) -> int | None:
        """Number of rows, as far as it is known or can be guessed."""
        return self._guessed if self.rows is None else self.rows

    def _text_batches(self, reader: Any) -> Iterator[tuple[int, Any]]:
        """Batches of a reader of text, of which each is made of a block."""
        start, size = 0, self.path.stat().st_size
        for number, batch in enumerate(reader, 1):
            yield start, batch
            start += batch.num_rows
            self._guessed = start * size // max(1, min(number * _TEXT_BLOCK, size))
        self._guessed = start

    @abstractmethod
    def _read(self, first: int, size: int) -> Iterator[tuple[int, Any]]:
        """Batches from one that begins at or before a row on, each with its first row's number."""

    def batches(self, first: int, size: int) -> Iterator[tuple[int, Any]]:
        """Record batches with the number of their first row.

        Parameters
        ----------
        first : int
            Row from which on they are needed; some before it may come too.
        size : int
            Rows a batch, roughly.

        Raises
        ------
        DataError
            When the file cannot be read.
        """
        with _reading(self.path):
            yield from self._read(first, size)

    def parts(self, size: int, finished: Collection[int]) -> Iterator[tuple[int, int, Any]]:
        """Tables of ``size`` rows (the last one may be shorter) that are not yet finished.

        Yields the number of the part, its first row's number and the table. A file without rows has
        one part without rows.
        """
        pa = require_pyarrow()
        first = 0
        while first in finished:
            first += 1
        held: list[Any] = []
        end = 0
        for start, batch in self.batches(first * size, size):
            end = start + batch.num_rows
            at = max(start, first * size)
            while at < end:
                number = at // size
                stop = min(end, (number + 1) * size)
                if number not in finished:
                    held.append(batch.slice(at - start, stop - at))
                if stop == (number + 1) * size and held:
                    yield number, number * size, pa.Table.from_batches(held)
                    held = []
                at = stop
        if held:
            number = (end - 1) // size
            yield number, number * size, pa.Table.from_batches(held)
        if not end and 0 not in finished:
            yield 0, 0, self.schema.empty_table()


class ParquetSource(Source):
    """A Parquet file, or a directory of them, whose columns must be the same.

    Attributes
    ----------
    files : list of Path
        In the order of the rows.
    """

    format: Format = "parquet"

    def __init__(self, path: Path):
        super().__init__(path)
        with _reading(path):
            self.files = [path]
            if path.is_dir():
                named = sorted(path.glob("*.parquet"))
                self.files = [file for file in named if not file.name.startswith(("_", "."))]
                if not self.files:
                    raise DataError(f"{path}: there are no Parquet files in this directory")
            self.rows = 0
            for position, name in enumerate(self.files):
                with self._open(name) as file:
                    if not position:
                        self.schema = file.schema_arrow
                        if file.num_row_groups and self.schema.names:
                            used = file.metadata.row_group(0).column(0).compression
                            self.compression = _COMPRESSIONS.get(used, "zstd")
                    elif not file.schema_arrow.equals(self.schema):
                        raise DataError(f"{name}: its columns differ from {self.files[0].name}")
                    self.rows += file.metadata.num_rows

    @staticmethod
    def _open(path: Path) -> Any:
        import pyarrow.parquet as pq

        return pq.ParquetFile(
            path,
            buffer_size=_PARQUET_BUFFER,
            pre_buffer=False,  # it would hold what has been read of the file until its end
            page_checksum_verification=True,
        )

    def _read(self, first: int, size: int) -> Iterator[tuple[int, Any]]:
        start, quick = 0, True
        for name in self.files:
            with self._open(name) as file:
                for group in range(file.num_row_groups):
                    end = start + file.metadata.row_group(group).num_rows
                    if end > first:
                        # One by one: batches must not depend on where the reading begins.
                        done = start
                        try:
                            for batch in self._hands(name, group) if quick else ():
                                yield done, batch
                                done += batch.num_rows
                        except UnusualError:
                            quick = False
                        if done < end:
                            at = start
                            # Threads that score are reading; pyarrow's own would be too many.
                            for batch in file.iter_batches(
                                _ROWS, [group], self.columns, use_threads=False
                            ):
                                if at >= done:
                                    yield at, batch
                                at += batch.num_rows
                    start = end

    def _hands(self, name: Path, group: int) -> Iterator[Any]:
        """Batches of a row group, read by ourselves if only columns of hands are wanted."""
        pa = require_pyarrow()
        columns = self.columns or []
        schema = pa.schema([self.schema.field(column) for column in columns])
        for field in schema:
            width = HAND_COLUMNS.get(field.name)
            if width is None or field.type != (pa.uint8() if width == 1 else pa.binary(width)):
                raise UnusualError(field.name)
        for arrays in read_hands(name, columns, group, _ROWS):
            yield pa.RecordBatch.from_arrays(list(map(byte_array, arrays)), schema=schema)


class IpcSource(Source):
    """An Arrow IPC file (which is mapped into memory, not read) or stream."""

    format: Format = "ipc"

    def __init__(self, path: Path):
        super().__init__(path)
        pa = require_pyarrow()
        with _reading(path):
            self._map = pa.memory_map(str(path))
            self._file: Any = None
            try:
                self._file = pa.ipc.open_file(self._map)
                self.schema = self._file.schema
            except pa.ArrowInvalid as error:
                self._map.seek(0)
                if self._map.read(6) == b"ARROW1":
                    raise DataError(f"cannot read {path}: damaged or cut short: {error}") from None
                self._map.seek(0)
                self.schema = pa.ipc.open_stream(self._map).schema
        if self._file is not None:
            import pyarrow.dataset

            with _reading(path):
                self.rows = pyarrow.dataset.dataset(path, format="ipc").count_rows()

    def _read(self, first: int, size: int) -> Iterator[tuple[int, Any]]:
        start = 0
        if self._file is not None:
            found = map(self._file.get_batch, range(self._file.num_record_batches))
        else:
            self._map.seek(0)
            found = iter(require_pyarrow().ipc.open_stream(self._map))
        for batch in found:
            # Offsets out of a damaged file would lead a kernel anywhere.
            batch.validate(full=True)
            yield start, batch
            start += batch.num_rows


class CsvSource(Source):
    """A CSV file with a header line; cells stay the texts that they are."""

    format: Format = "csv"

    def __init__(self, path: Path):
        super().__init__(path)
        pa = require_pyarrow()
        with _reading(path), self._open({}) as reader:
            names = reader.schema.names
        self.schema = pa.schema([(name, pa.string()) for name in names])

    def _open(self, types: dict[str, Any]) -> Any:
        from pyarrow import csv

        return csv.open_csv(
            self.path,
            read_options=csv.ReadOptions(block_size=_TEXT_BLOCK),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False),
        )

    def _read(self, first: int, size: int) -> Iterator[tuple[int, Any]]:
        with self._open({field.name: field.type for field in self.schema}) as reader:
            yield from self._text_batches(reader)


class JsonLinesSource(Source):
    """JSON objects one a line; the first 4 MB tell which fields there are and of what kind."""

    format: Format = "jsonl"

    def __init__(self, path: Path):
        super().__init__(path)
        pa = require_pyarrow()
        with _reading(path), self._open(None) as reader:
            # What looks like a time may be none further on.
            fields = [
                field.with_type(pa.string()) if pa.types.is_timestamp(field.type) else field
                for field in reader.schema
            ]
        self.schema = pa.schema(fields)

    def _open(self, schema: Any) -> Any:
        from pyarrow import json

        return json.open_json(
            self.path,
            read_options=json.ReadOptions(block_size=_TEXT_BLOCK),
            parse_options=json.ParseOptions(
                explicit_schema=schema,
                unexpected_field_behavior="infer" if schema is None else "error",
            ),
        )

    def _read(self, first: int, size: int) -> Iterator[tuple[int, Any]]:
        with self._open(self.schema) as reader:
            yield from self._text_batches(reader)


def open_source(path: Path, given: str | None = None) -> Source:
    """Source of a file by its format.

    Raises
    ------
    DataError
        When it cannot be read, or has two columns of the same name.
    """
    kinds = {
        "parquet": ParquetSource,
        "ipc": IpcSource,
        "csv": CsvSource,
        "jsonl": JsonLinesSource,
    }
    source: Source = kinds[format_of(path, given)](path)  # type: ignore[abstract]
    names = source.schema.names
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path}: there are several columns {name!r}")
    return source
