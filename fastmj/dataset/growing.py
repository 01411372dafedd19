"""The Parquet output of a job while it grows, row group by row group, and goes on after a kill.

Scores are put in straight from memory, beside columns copied from the input: writing them as files
of parts first, and reading those again, cost 20 ns a hand. For each row group that is complete the
list of the job gets a record: where it ends, and what the footer will say of it. When the job goes
on, what was copied is compared with the input, and the pages that were made with their checksums.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from .parquet import Copied, footer_of
from .parquet_footer import (
    COLUMN_ORDERS,
    MAGIC,
    PAGE_CRC,
    PAGE_PACKED,
    SCHEMA,
    Assembly,
    Chunk,
    chunk_places,
)
from .parquet_thrift import LIST, STRUCT, Reader, read_struct
from .scan import DataError
from .whole_files import NewFile, take_name

#: Rows of a row group beyond which its parts are written down instead of kept in memory until it
#: is complete: what a kill can lose is a fraction of a second of work.
_LONG = 1 << 20
_BLOCK = 1 << 20
#: Bytes in which a page header ends.
_HEADER = 1 << 12


class Growing:
    """One Parquet file of the parts of a job, which are added in their order.

    Parameters
    ----------
    path : Path
        Where it grows.
    schema : pyarrow.Schema
        Of the output.
    copied : Copied, optional
        Columns that are not in the parts.

    Attributes
    ----------
    rows : int
        In complete row groups.
    """

    def __init__(self, path: Path, schema: Any, copied: Copied | None):
        self.path, self.copied, self.rows = path, copied, 0
        self._groups: list[dict[str, Any]] = []
        self._at = 0
        self._file: NewFile | None = None
        self._assembly: Any = None
        self._begun = False
        self._pieces: list[Sequence[Chunk]] = []
        self._held = 0
        footer = footer_of(schema)
        self._footer = footer.fields
        if copied is not None:
            # Scores as pyarrow describes them, after the kept columns as the input does.
            root = self._footer[SCHEMA][1][1][0]
            scores = list(footer.columns().values())[copied.number :]
            described = [element for found, _ in scores for element in found]
            orders = self._footer[COLUMN_ORDERS][1][1][scores[0][1].start :]
            self._footer = self._footer | {
                SCHEMA: (LIST, (STRUCT, [root, *copied.elements, *described])),
                COLUMN_ORDERS: (LIST, (STRUCT, [*copied.orders, *orders])),
            }

    @property
    def long(self) -> bool:
        """Whether the row group that is being made is too long to be kept in memory."""
        groups = self.copied.groups[len(self._groups) :] if self.copied is not None else []
        return bool(groups) and groups[0][0] > _LONG

    def resume(self, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Take over what stands in the file as these records say, and return them."""
        with ThreadPoolExecutor() as pool:
            found = pool.map(self._stands, range(len(records)), records)
            for record, stands in zip(records, found, strict=True):
                if not stands:
                    break
                self._groups.append(record)
                self.rows, self._at = record["rows"], record["end"]
        return self._groups

    def _stands(self, number: int, record: dict[str, Any]) -> bool:
        try:
            group = read_struct(base64.b64decode(record["group"]))
            places = iter(chunk_places(group, record["end"]))
            with self.path.open("rb", buffering=0) as file:
                if not number and file.read(len(MAGIC)) != MAGIC:
                    return False
                for chunk, (start, _) in zip(self._kept(number), places):  # noqa: B905
                    assert isinstance(chunk.source, Path)
                    with chunk.source.open("rb", buffering=0) as source:
                        source.seek(chunk.start)
                        file.seek(start)
                        for size in _pieces(chunk.length):
                            if _exactly(file, size) != _exactly(source, size):
                                return False
                return all(_pages_stand(file, start, start + length) for start, length in places)
        except (OSError, ValueError, LookupError):
            return False

    def _kept(self, number: int) -> Sequence[Chunk]:
        groups = self.copied.groups if self.copied is not None else []
        return groups[number][1] if number < len(groups) else ()

    def begin(self) -> None:
        """Copy the kept columns of the next row group, if that has not begun.

        There is time for it while its scores are made.
        """
        if self._begun:
            return
        if self._file is None:
            self._file = NewFile(self.path, self._at)
            groups = [base64.b64decode(record["group"]) for record in self._groups]
            self._assembly = Assembly(
                self._file.write, self._footer, self._file.copy, groups, self.rows, self._at
            )
        self._begun = True
        for chunk in self._kept(len(self._groups)):
            self._assembly.put([chunk])

    def add(
        self, start: int, pieces: Iterable[tuple[int, Sequence[Chunk]]]
    ) -> Iterator[dict[str, Any]]:
        """Add the row groups, or pieces of them, of the part whose first row has this number.

        Yields what is to be listed of each row group that has become complete.
        """
        for rows, chunks in pieces:
            start += rows
            if start <= self.rows:  # it stands from an earlier run
                continue
            self.begin()
            self._pieces.append(chunks)
            self._held += rows
            if self.copied is None or self._held == self._expected():
                yield self._complete()

    def _expected(self) -> int:
        """Rows of the row group that is being made."""
        assert self.copied is not None
        number = len(self._groups)
        if number == len(self.copied.groups):
            raise DataError("the input has more rows than its row groups are said to have")
        return self.copied.groups[number][0]

    def _complete(self) -> dict[str, Any]:
        assert self._file is not None
        for chunks in zip(*self._pieces, strict=True):
            self._assembly.put(chunks)
        group = self._assembly.end(self._held)
        self._file.settle()
        self.rows += self._held
        record = {
            "group": base64.b64encode(group).decode(),
            "rows": self.rows,
            "end": self._file.tell(),
        }
        self._groups.append(record)
        self._begun, self._pieces, self._held = False, [], 0
        return record

    def become(self, output: Path) -> None:
        """Write the footer, and give the file its name.

        Raises
        ------
        DataError
            When there were fewer rows than the row groups of the input are said to have.
        """
        if self._held or (self.copied is not None and len(self._groups) < len(self.copied.groups)):
            raise DataError("the input has fewer rows than its row groups are said to have")
        self.begin()
        assert self._file is not None
        self._assembly.finish()
        self._file.close()
        take_name(self.path, output)

    def abandon(self) -> None:
        """Leave the file as it is."""
        if self._file is not None:
            self._file.abandon()


def _pieces(length: int) -> list[int]:
    """Sizes of pieces of a block at most."""
    return [_BLOCK] * (length // _BLOCK) + [length % _BLOCK] * (length % _BLOCK > 0)


def _pages_stand(file: BinaryIO, at: int, end: int) -> bool:
    """Whether pages follow one another up to a place, each with the checksum of its bytes."""
    while at < end:
        file.seek(at)
        reader = Reader(_exactly(file, min(_HEADER, end - at)))
        header = reader.struct()
        at += reader.at
        file.seek(at)
        crc = 0
        for size in _pieces(header[PAGE_PACKED][1]):
            crc = zlib.crc32(_exactly(file, size), crc)
        if crc != header[PAGE_CRC][1] & 0xFFFFFFFF:
            return False
        at += header[PAGE_PACKED][1]
    return at == end


def _exactly(file: BinaryIO, size: int) -> bytes:
    """So many bytes of a file; ``ValueError`` when it ends before."""
    data = file.read(size)
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            raise ValueError(f"{file.name} is shorter than expected")
        data += more
    return data
