"""Reading data files: which there are, and every kind of them by pyarrow, in record batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from ..files import DataError
from ..hands.arrow import require_pyarrow
from ..quoting import quoted
from .errors import reading
from .text_files import CsvFile, JsonLinesFile, TextOptions

Format = Literal["parquet", "ipc", "csv", "jsonl"]
#: A file or directory, by a path or by a URI of a file system that pyarrow knows.
Place: TypeAlias = "str | os.PathLike[str]"

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".arrows": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
#: Endings of compressed text files, which pyarrow unpacks.
PACKED = (".gz", ".bz2", ".zst")
#: Bytes of a column chunk of Parquet that are read at a time: one may be as large as the file.
_CHUNK = 1 << 16
#: Rows of Parquet that are read at a time: more leave the caches, and take fresh memory each.
_ROWS = 1 << 17


def format_of(name: str, given: str | None = None) -> Format:
    """Format of a file by its name; a name without an ending is a directory of Parquet files."""
    if given is not None:
        if given not in get_args(Format):
            known = ", ".join(get_args(Format))
            raise ValueError(f"a format is one of {known}, got {quoted(given)}")
        return cast(Format, given)
    ending = ending_of(name)
    if not ending:
        return "parquet"
    if ending not in SUFFIXES:
        raise DataError(
            f"{name}: no format is known for names that end in {quoted(ending)}; "
            f"known are {' '.join(SUFFIXES)}, or say which of {', '.join(get_args(Format))} it is"
        )
    return SUFFIXES[ending]


def ending_of(name: str) -> str:
    """Ending of a name that tells the format, in small letters; that of a packed file's inside."""
    path = Path(name)
    packed = path.suffix.lower() in PACKED
    return Path(path.stem if packed else path.name).suffix.lower()


def is_uri(place: Place) -> bool:
    """Whether a place is a URI, not a path on this machine."""
    return isinstance(place, str) and "://" in place


class Source:
    """Data files of one format with the same columns, read from the beginning in record batches.

    ``name`` is for messages, ``rows`` None where the files do not say how many there are.
    """

    def __init__(self, places: Sequence[Place], given: str | None, text: TextOptions):
        self._places, self._text = places, text
        self.name = ", ".join(os.fspath(place) for place in places[:3]) + ", ..." * (
            len(places) > 3
        )
        if not places:
            raise ValueError("no input is given")
        found = [one for place in places for one in _files_of(place, given)]
        self.files = [path for _, path in found]
        self._systems = [system for system, _ in found]
        formats = {format_of(path, given) for path in self.files}
        if len(formats) > 1:
            raise DataError(f"{self.name}: files of several formats: {', '.join(sorted(formats))}")
        self.format: Format = formats.pop()
        self.schema: Any = None
        counts: list[int | None] = []
        for path, file in self._opened():
            if self.schema is None:
                self.schema = file.schema
                for name in file.schema.names:
                    if file.schema.names.count(name) > 1:
                        raise DataError(f"{path}: there are several columns {quoted(name)}")
            elif self.format != "jsonl" and not (
                file.schema.names == self.schema.names
                and (self.format == "csv" or file.schema.equals(self.schema))
            ):
                raise DataError(f"{path}: its columns differ from those of {self.files[0]}")
            counts.append(file.rows)
        self.rows = None if None in counts else sum(counts)  # type: ignore[arg-type]

    def identity(self) -> list[list[Any]]:
        """Name, size and time of each file: whether they are the same ones later."""
        found = []
        for system, path in zip(self._systems, self.files, strict=True):
            info = system.get_file_info(path)
            found.append([path, info.size, info.mtime_ns])
        return found

    def in_use(self) -> list[Path]:
        """Files that lie on this machine, and directories whose files are read."""
        folders = [Path(place) for place in self._places if not is_uri(place)]
        return [folder for folder in folders if folder.is_dir()] + [
            Path(path)
            for system, path in zip(self._systems, self.files, strict=True)
            if system.type_name == "local"
        ]

    @property
    def filesystem(self) -> Any:
        """The file system of all files, or None if they have several."""
        first, *others = self._systems
        return first if all(first == other for other in others) else None

    def batches(self, columns: Sequence[str], only: int | None = None) -> Iterator[Any]:
        """Record batches with some of the columns, of all files or one of them."""
        for path, file in self._opened(self.schema, only):
            with reading(path):
                yield from file.batches(list(columns))

    def _opened(self, schema: Any = None, only: int | None = None) -> Iterator[tuple[str, Any]]:
        """Each file, opened; text files with the types of the first one."""
        which = slice(None) if only is None else slice(only, only + 1)
        for system, path in zip(self._systems[which], self.files[which], strict=True):
            with reading(path):
                text = self._text
                if text.delimiter is None and ending_of(path) == ".tsv":
                    text = text._replace(delimiter="\t")
                # Packed texts are unpacked by their ending.
                packed = Path(path).suffix.lower() in PACKED
                opened = system.open_input_stream if packed else system.open_input_file
                file = FILES[self.format](partial(opened, path), text, schema)
                _ = file.schema.names  # damaged ones are no texts
            yield path, file


def _files_of(place: Place, given: str | None) -> list[tuple[Any, str]]:
    """File systems and paths of a file, or of the files of a directory by their names."""
    require_pyarrow()
    from pyarrow import fs

    system, path = fs.LocalFileSystem(), os.fspath(place)
    with reading(path):
        if is_uri(place):
            system, path = fs.FileSystem.from_uri(place)
        info = system.get_file_info(path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError
        if info.type == fs.FileType.Unknown:
            raise DataError("it is no regular file, nor a directory of them")
        if info.type != fs.FileType.Directory:
            return [(system, path)]
        names = [one.path for one in system.get_file_info(fs.FileSelector(path)) if one.is_file]
        seen = [name for name in sorted(names) if not Path(name).name.startswith(("_", "."))]
        files = [name for name in seen if given is not None or ending_of(name) in SUFFIXES]
    if not files:
        raise DataError(f"{place}: there are no data files in this directory")
    return [(system, name) for name in files]


class ParquetFile:
    """A Parquet file; damaged pages are noticed by their checksums, where they have some."""

    def __init__(self, opened: Callable[[], Any], text: TextOptions, schema: Any = None):
        from pyarrow import parquet

        # ``pre_buffer`` would hold what has been read of the file until its end.
        self._file = parquet.ParquetFile(
            opened(), buffer_size=_CHUNK, pre_buffer=False, page_checksum_verification=True
        )
        self.schema, self.rows = self._file.schema_arrow, self._file.metadata.num_rows

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Record batches."""
        yield from self._file.iter_batches(_ROWS, columns=columns)


class IpcFile:
    """An Arrow IPC file or stream; read, not mapped: a file that shrinks would end the process."""

    rows = None

    def __init__(self, opened: Callable[[], Any], text: TextOptions, schema: Any = None):
        self._stream = opened()
        self._is_file = self._stream.read(6) == b"ARROW1"
        self._stream.seek(0)
        self.schema = self._reader(None).schema
        if self._is_file:
            from pyarrow import dataset

            self.rows = dataset.IpcFileFormat().make_fragment(self._stream).count_rows()

    def _reader(self, columns: list[str] | None) -> Any:
        ipc = require_pyarrow().ipc
        fields = [self.schema.get_field_index(name) for name in columns or ()]
        options = ipc.IpcReadOptions(included_fields=fields)  # an empty list means all
        return (ipc.open_file if self._is_file else ipc.open_stream)(self._stream, options=options)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Record batches."""
        self._stream.seek(0)
        reader = self._reader(columns)
        if self._is_file:
            found = map(reader.get_batch, range(reader.num_record_batches))
        else:
            found = iter(reader)
        for batch in found:
            # Offsets out of a damaged file would lead a kernel anywhere.
            batch.validate(full=True)
            yield batch


#: The files of each format, made of what opens them and, for texts, how they are written and their
#: schema; each has ``schema``, ``rows`` or None, and ``batches``.
FILES: dict[Format, Any] = {
    "parquet": ParquetFile,
    "ipc": IpcFile,
    "csv": CsvFile,
    "jsonl": JsonLinesFile,
}
