"""Finished parts of a job and the list of them, from which a job goes on after a kill.

Parts stand in a directory beside the output. A part is written under another name and then renamed,
and after that listed in the manifest with its length and checksum. So what the manifest lists is
complete. On resuming it is verified all the same, since not all of it need be on the disk when the
power fails, and anything that is not listed or not as listed is made again. A Parquet output grows
in that directory, and the manifest lists its row groups, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .growing import Growing
from .scan import DataError
from .whole_files import become_whole, sync_directory, temporary_file, whole_file

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MANIFEST = "_manifest.jsonl"
_LOCK = "_lock"
_EDGE = 1 << 16
#: Bytes that are written at a time. For more the system takes larger pages, which it may have to
#: get first: up to 2 ns a byte instead of 0.4.
_PIECE = 1 << 18


@dataclass(frozen=True)
class Part:
    """A finished part: what the manifest says about it.

    One that has no file but stands in the growing output has the number of rows up to its ``end``.
    """

    number: int
    rows: int
    wins: int
    not_complete: int
    invalid: int
    size: int = 0
    crc32: int = 0
    errors_crc32: int = 0
    end: int | None = None


def identity(path: Path) -> dict[str, Any]:
    """What tells whether a file is still the same: length, time and its first and last 64 KiB.

    Reading all of it would take as long as scoring it.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return {str(file.relative_to(path)): identity(file) for file in files}
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        digest.update(file.read(_EDGE))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
        return {"size": size, "mtime_ns": path.stat().st_mtime_ns, "edges": digest.hexdigest()}


class Workspace:
    """The directory of parts of one job.

    Parameters
    ----------
    path : Path
        The directory; it is made if it is not there.
    suffix : str
        Of the parts' names.
    job : dict
        All that the output depends on. Parts of another job are removed.
    lasting : bool
        Whether parts are the output, and forced onto the disk.
    growing : Growing, optional
        The output, if it grows in this directory.
    there : bool
        Whether the growing output may have its name already.

    Attributes
    ----------
    parts : dict of int to Part
        Finished parts by number.
    finished, fresh : bool
        Whether the manifest says that all parts are there, and whether there was no output when
        the job began.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        job: dict[str, Any],
        *,
        lasting: bool = False,
        growing: Growing | None = None,
        there: bool = False,
    ):
        self.path, self.suffix = path, suffix
        self.lasting, self.growing, self._there = lasting, growing, there
        self.parts: dict[int, Part] = {}
        self._groups: list[dict[str, Any]] = []
        self.finished = self.fresh = False
        path.mkdir(parents=True, exist_ok=True)
        self._lock = (path / _LOCK).open("wb")
        try:
            self._take_lock()
            self._job = json.loads(json.dumps({"job": job}))
            self._load()
            self._rewrite()
            self._manifest = (path / MANIFEST).open("ab")
        except BaseException:
            self._lock.close()
            raise

    def _take_lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataError(f"another run is at work in {self.path}") from None

    def file(self, number: int) -> Path:
        """Path of a part."""
        return self.path / f"part-{number:06}{self.suffix}"

    def errors_file(self, number: int) -> Path:
        """Path of the report of a part's bad rows."""
        return self.path / f"_part-{number:06}.errors"

    def add(self, number: int, rows: int, data: Iterable[Any], errors: bytes, **tally: int) -> Part:
        """Write a part, whose data are pieces of bytes, and list it."""
        size = crc32 = 0
        with temporary_file(self.file(number), self.lasting) as file:
            for piece in data:
                view = memoryview(piece)
                size, crc32 = size + view.nbytes, zlib.crc32(view, crc32)
                for start in range(0, view.nbytes, _PIECE):
                    file.write(view[start : start + _PIECE])
        errors_crc32 = self._store_errors(number, errors)
        return self._enter(
            Part(number, rows, size=size, crc32=crc32, errors_crc32=errors_crc32, **tally)
        )

    def _store_errors(self, number: int, errors: bytes) -> int:
        if not errors:
            return 0
        with temporary_file(self.errors_file(number), self.lasting) as file:
            file.write(errors)
        return zlib.crc32(errors)

    def _enter(self, part: Part) -> Part:
        """List a part that has been stored."""
        if part.errors_crc32:
            become_whole(self.errors_file(part.number), self.lasting)
        if part.end is None:
            become_whole(self.file(part.number), self.lasting)
        self._append(asdict(part))
        self.parts[part.number] = part
        return part

    def enter_grown(self, number: int, rows: int, end: int, errors: bytes, **tally: int) -> Part:
        """List a part that stands in the growing output up to this row."""
        crc32 = self._store_errors(number, errors)
        return self._enter(Part(number, rows, end=end, errors_crc32=crc32, **tally))

    def enter_group(self, record: dict[str, Any]) -> None:
        """List a row group of the growing output."""
        self._append(record)

    def finish(self, fresh: bool) -> None:
        """List that all parts are there; ``fresh``: when the job began there was no output yet."""
        self._append({"finished": True, "fresh": fresh})
        os.fsync(self._manifest.fileno())
        self.finished = True

    def _append(self, record: dict[str, Any]) -> None:
        self._manifest.write(json.dumps(record).encode() + b"\n")
        self._manifest.flush()
        if self.lasting:
            os.fsync(self._manifest.fileno())

    def _load(self) -> None:
        """Take over the parts that the manifest lists, as far as they are what it says."""
        try:
            lines = (self.path / MANIFEST).read_bytes().split(b"\n")[:-1]  # a torn line is none
        except FileNotFoundError:
            return
        records = []
        for line in lines:
            try:
                records.append(json.loads(line))
            except ValueError:
                break
        if not records or records[0] != self._job:
            for file in self.path.iterdir():
                if file.name != _LOCK:
                    file.unlink()
            return
        listed = [Part(**record) for record in records[1:] if "number" in record]
        groups = [record for record in records if "group" in record]
        self.fresh = bool(records[-1].get("fresh"))
        self.finished = bool(records[-1].get("finished"))
        grown = self.growing
        if grown is not None and self.finished and self._there and not grown.path.exists():
            # It has got its name, and only the list was left.
            self._groups, self.parts = groups, {part.number: part for part in listed}
            return
        if grown is not None:
            self._groups = grown.resume(groups)
        with ThreadPoolExecutor() as pool:
            for part, good in zip(listed, pool.map(self._verify, listed), strict=True):
                if good:
                    self.parts[part.number] = part
        self.finished &= (len(self.parts), len(self._groups)) == (len(listed), len(groups))

    def _verify(self, part: Part) -> bool:
        if part.end is None:
            stands = _matches(self.file(part.number), part.crc32, part.size)
        else:
            stands = self.growing is not None and part.end <= self.growing.rows
        return stands and (
            not part.errors_crc32 or _matches(self.errors_file(part.number), part.errors_crc32)
        )

    def _rewrite(self) -> None:
        """Write the manifest anew without what is no longer so, and remove other files."""
        records = [self._job, *(asdict(part) for _, part in sorted(self.parts.items()))]
        records += self._groups
        if self.finished:
            records.append({"finished": True, "fresh": self.fresh})
        text = "".join(json.dumps(record) + "\n" for record in records).encode()
        with whole_file(self.path / MANIFEST) as manifest:
            manifest.write(text)
        known = {MANIFEST, _LOCK}
        known |= {f(number).name for number in self.parts for f in (self.file, self.errors_file)}
        if self.growing is not None and self._groups:
            known.add(self.growing.path.name)
        for file in self.path.iterdir():
            if file.name not in known:
                file.unlink()

    def errors(self) -> list[Path]:
        """Reports of bad rows, in the order of the rows."""
        return [self.errors_file(n) for n, part in sorted(self.parts.items()) if part.errors_crc32]

    def check(self) -> None:
        """Raise ``RuntimeError`` when a part is missing."""
        if sorted(self.parts) != list(range(len(self.parts))):
            raise RuntimeError(f"parts are missing in {self.path}")

    def files(self) -> list[Path]:
        """Files of the parts in order."""
        return [self.file(number) for number in sorted(self.parts)]

    def close(self) -> None:
        """Let go of the directory; its files stay."""
        if self.growing is not None:
            self.growing.abandon()
        self._manifest.close()
        self._lock.close()

    def remove(self) -> None:
        """Remove the directory with all that is in it."""
        self.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def become(self, output: Path) -> None:
        """Rename the directory to the output's name, with the parts and the manifest alone."""
        for file in (*self.errors(), self.path / _LOCK):
            file.unlink(missing_ok=True)
        self.close()
        old = output.with_name(output.name + ".old")
        if output.exists():
            shutil.rmtree(old, ignore_errors=True)
            output.rename(old)
        self.path.rename(output)
        sync_directory(output.parent)
        shutil.rmtree(old, ignore_errors=True)


def _matches(path: Path, crc32: int, size: int | None = None) -> bool:
    """Whether a file has this checksum, and length."""
    found, length = 0, 0
    try:
        with path.open("rb") as file:
            while block := file.read(4 << 20):
                found = zlib.crc32(block, found)
                length += len(block)
    except OSError:
        return False
    return found == crc32 and size in (None, length)
