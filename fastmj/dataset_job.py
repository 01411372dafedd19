"""Finished parts of a job and the list of them, from which a job goes on after a kill.

Parts stand in a directory beside the output. A part is written under another name, forced onto the
disk and then renamed, and after that listed in the manifest with its length and checksum, likewise
forced onto the disk. So what the manifest lists is complete; on resuming it is verified all the
same, and anything that is not listed or not as listed is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .dataset_read import DataError
from .dataset_write import become_whole, sync_directory, temporary_file, write_whole

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MANIFEST = "_manifest.jsonl"
_LOCK = "_lock"
_EDGE = 1 << 20
#: Bytes that are written at a time. For more the system takes larger pages, which it may have to
#: get first: up to 2 ns a byte instead of 0.4.
_PIECE = 1 << 18


@dataclass(frozen=True)
class Part:
    """A finished part: what the manifest says about it."""

    number: int
    rows: int
    size: int
    crc32: int
    wins: int
    not_complete: int
    invalid: int
    errors_crc32: int = 0


def identity(path: Path) -> dict[str, Any]:
    """What tells whether a file is still the same: length, time and its first and last MiB.

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

    Attributes
    ----------
    parts : dict of int to Part
        Finished parts by number.
    finished, fresh : bool
        Whether the manifest says that all parts are there, and whether there was no output when
        the job began.
    """

    def __init__(self, path: Path, suffix: str, job: dict[str, Any]):
        self.path, self.suffix = path, suffix
        self.parts: dict[int, Part] = {}
        self.finished = self.fresh = False
        self._mutex = threading.Lock()
        path.mkdir(parents=True, exist_ok=True)
        self._lock = (path / _LOCK).open("wb")
        try:
            self._take_lock()
            self._job = json.loads(json.dumps({"job": job}))
            self.other_job = not self._load()
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

    def add(self, number: int, rows: int, data: Any, errors: bytes, **tally: int) -> Part:
        """Write a part and list it; threads may do so side by side."""
        return self.enter(self.store(number, rows, data, errors, **tally))

    def store(self, number: int, rows: int, data: Any, errors: bytes, **tally: int) -> Part:
        """Write a part that is not listed yet, nor forced onto the disk.

        It is better done by the thread that has made it, in whose cache it is.
        """
        errors_crc32 = zlib.crc32(errors) if errors else 0
        part = Part(number, rows, len(data), zlib.crc32(data), **tally, errors_crc32=errors_crc32)
        with temporary_file(self.file(number)) as file:
            view = memoryview(data)
            for start in range(0, len(view), _PIECE):
                file.write(view[start : start + _PIECE])
        if errors:
            with temporary_file(self.errors_file(number)) as file:
                file.write(errors)
        return part

    def enter(self, part: Part) -> Part:
        """Force a part onto the disk, and list it."""
        if part.errors_crc32:
            become_whole(self.errors_file(part.number))
        become_whole(self.file(part.number))
        with self._mutex:
            self._append(asdict(part))
            self.parts[part.number] = part
        return part

    def finish(self, fresh: bool) -> None:
        """List that all parts are there; ``fresh``: when the job began there was no output yet."""
        self._append({"finished": True, "fresh": fresh})
        self.finished = True

    def _append(self, record: dict[str, Any]) -> None:
        self._manifest.write(json.dumps(record).encode() + b"\n")
        self._manifest.flush()
        os.fsync(self._manifest.fileno())

    def _load(self) -> bool:
        """Take over the parts that the manifest lists, as far as they are what it says.

        Returns whether there was nothing of another job.
        """
        try:
            lines = (self.path / MANIFEST).read_bytes().split(b"\n")[:-1]  # a torn line is none
        except FileNotFoundError:
            return True
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
            return not records
        listed = [Part(**record) for record in records[1:] if "number" in record]
        with ThreadPoolExecutor() as pool:
            for part, good in zip(listed, pool.map(self._verify, listed), strict=True):
                if good:
                    self.parts[part.number] = part
        last = records[-1]
        self.finished = bool(last.get("finished")) and len(self.parts) == len(listed)
        self.fresh = bool(last.get("fresh"))
        return True

    def _verify(self, part: Part) -> bool:
        return _matches(self.file(part.number), part.crc32, part.size) and (
            not part.errors_crc32 or _matches(self.errors_file(part.number), part.errors_crc32)
        )

    def _rewrite(self) -> None:
        """Write the manifest anew without what is no longer so, and remove other files."""
        records = [self._job, *(asdict(part) for _, part in sorted(self.parts.items()))]
        if self.finished:
            records.append({"finished": True, "fresh": self.fresh})
        text = "".join(json.dumps(record) + "\n" for record in records).encode()
        write_whole(self.path / MANIFEST, lambda file: file.write(text))
        known = {MANIFEST, _LOCK}
        known |= {f(number).name for number in self.parts for f in (self.file, self.errors_file)}
        for file in self.path.iterdir():
            if file.name not in known:
                file.unlink()

    def errors(self) -> list[Path]:
        """Reports of bad rows, in the order of the rows."""
        return [self.errors_file(n) for n, part in sorted(self.parts.items()) if part.errors_crc32]

    def files(self) -> list[Path]:
        """Parts in order.

        Raises
        ------
        RuntimeError
            When one is missing.
        """
        if sorted(self.parts) != list(range(len(self.parts))):
            raise RuntimeError(f"parts are missing in {self.path}")
        return [self.file(number) for number in range(len(self.parts))]

    def close(self) -> None:
        """Let go of the directory; its files stay."""
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
