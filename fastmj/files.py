"""Files that are written whole or not at all, and nothing of others replaced."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

REPLACE = "(overwrite=True or --force replaces it)"


class DataError(ValueError):
    """Data that cannot be read, scored or written, in one line.

    Attributes
    ----------
    row : int or None
        Number of the row, from 0, if the error is about one.
    """

    def __init__(self, message: str, row: int | None = None):
        super().__init__(" ".join(message.split()))
        self.row = row


def resolve_file(path: Path, overwrite: bool, others: Sequence[Path]) -> Path:
    """Where to write a file that is asked for: what links lead to, if it may be written.

    Raises
    ------
    DataError
        When it is one of the others or lies in one, or something is there that must not be
        replaced: what is no regular file, or any file without ``overwrite``.
    """
    target = Path(os.path.realpath(path))
    for other in others:
        real = Path(os.path.realpath(other))
        same = target == real or (path.exists() and other.exists() and path.samefile(other))
        if same or real in target.parents:
            raise DataError(f"{path} would replace {other}, or stand in it: it is in use")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(mode):
        raise DataError(f"{path} is there and no regular file: it is not written to")
    if not overwrite:
        raise DataError(f"{path} is there already {REPLACE}")
    return target


@contextmanager
def whole_file(target: Path, overwrite: bool = True) -> Iterator[Path]:
    """A fresh file to write, which, forced to the disk, takes the target's place at the end.

    After an error it is removed; after a kill it stays under its own name, which begins with a dot.
    """
    fresh = target.with_name(f".{target.name[:80]}.{os.urandom(8).hex()}.tmp")
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        if target.exists():
            shutil.copymode(target, fresh)
        yield fresh
        _force(fresh)
        if not overwrite and target.exists():
            raise DataError(f"{target} has come into being meanwhile: not replaced")
        fresh.replace(target)
        _force(target.parent)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _force(path: Path) -> None:
    """Force what is written of a file or directory to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
