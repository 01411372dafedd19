"""Where compiled code is kept: folders that can be trusted, the best one first.

A folder that is given (``NUMBA_CACHE_DIR``), else beside the package, else the user's cache, else a
private folder of the temporary directory. Code is looked for in all of them up to the first that
can be written, which takes what is new: so what was compiled into an image by its maker serves
those who can only read there.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.misc.appdirs import AppDirs

_config: Any = numba.config
KERNELS = Path(__file__).parent
#: Compiled code, also of numba's own making, and what a killed process left half written.
FILES = "*.nb[ci]*"


class Places(NamedTuple):
    """Folders to read compiled code from, in turn, and the one that takes it."""

    read: tuple[Path, ...]
    write: Path | None
    lasting: bool
    """Whether what is written stays: not in a temporary directory."""


@lru_cache(maxsize=1)
def places() -> Places:
    """Folders of this process."""
    read: list[Path] = []
    for folder, lasting in _candidates(make=True):
        read.append(folder)
        if _can_write(folder):
            return Places(tuple(read), folder, lasting)
    return Places(tuple(read), None, False)


def clear() -> Iterator[tuple[Path, int, int]]:
    """Remove compiled code of this installation: folders, files removed, files that stay.

    What stays is in a folder that cannot be written.
    """
    for folder, _ in _candidates(make=False):
        files = list(folder.glob(FILES))
        if folder.parent == KERNELS:  # numba itself keeps code in the folder of each room
            files = list(KERNELS.glob(f"**/__pycache__/{FILES}"))
        left = 0
        for file in files:
            try:
                file.unlink(missing_ok=True)
            except OSError:
                left += 1
        if files:
            yield folder, len(files) - left, left


def _candidates(make: bool) -> Iterator[tuple[Path, bool]]:
    """Folders that may be used, and whether they last; private ones are made on demand."""
    frozen = getattr(sys, "frozen", False)
    # What a frozen program unpacks lies elsewhere each time.
    origin = sys.executable if frozen else str(KERNELS)
    name = "fastmj-" + sha256(os.fsencode(origin)).hexdigest()[:16]
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR).absolute() / name, True
    if KERNELS.is_dir() and not frozen:  # not in an archive
        yield KERNELS / "__pycache__", True
    user = Path(AppDirs("fastmj", appauthor=False).user_cache_dir)
    if user.is_absolute() and _is_private(user, make):
        yield user / name, True
    with suppress(OSError):  # there may be no such directory
        temporary = Path(tempfile.gettempdir())
        own = temporary / (f"fastmj-{os.getuid()}" if hasattr(os, "getuid") else "fastmj")
        if _is_sticky(temporary) and _is_private(own, make):
            yield own / name, False


def _is_private(folder: Path, make: bool) -> bool:
    """Whether a folder is the user's, and nobody else's to write; made if asked and not there."""
    try:
        if make:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):  # a link may lead to anybody's
        return False
    return not hasattr(os, "getuid") or (
        found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _is_sticky(folder: Path) -> bool:
    """Whether others cannot put something of theirs in the place of what is in a folder."""
    mode = folder.stat().st_mode
    return os.name == "nt" or not mode & stat.S_IWOTH or bool(mode & stat.S_ISVTX)


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
