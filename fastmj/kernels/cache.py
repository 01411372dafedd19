"""Compiled code on disk: an entry is a file with a seal, and what is not to be trusted is dropped.

The compiler's own cache looks at the file of a function, not at what it calls in others, keeps an
index that two processes can tear, unpickles and runs whatever it finds, and stops the program where
it can write nowhere. Its parts are used here all the same, by names it does not promise. Should one
be missing, each process compiles anew: numba's own cache would run old code over new tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
from numba.core import caching

from .places import places

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

#: What is used of ``numba.core.caching``, the same from numba 0.60 to 0.68.
RELIED_ON = {
    "FunctionCache": ("_index_key", "enable", "load_overload", "save_overload"),
    "CompileResultCacheImpl": ("check_cachable", "reduce", "rebuild"),
    "IndexDataCacheFile": ("_dump", "_data_path", "_load_data", "_save_data"),
}
KNOWN = all(
    hasattr(getattr(caching, owner, None), name)
    for owner, names in RELIED_ON.items()
    for name in names
)
_Cache: Any = caching.FunctionCache if KNOWN else object
_Results: Any = caching.CompileResultCacheImpl if KNOWN else object
_Files: Any = caching.IndexDataCacheFile if KNOWN else object
_config: Any = numba.config
_SEAL = sha256().digest_size


def _sources(folder: Traversable) -> Iterator[bytes]:
    """Code of the kernels, from a folder or an archive, with or without its source."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry)
        elif entry.name.endswith((".py", ".pyc")):
            yield entry.read_bytes()


@lru_cache(maxsize=1)
def stamp() -> bytes:
    """Digest of the kernels and of the compiler, which compiled code must be of; empty if unknown.

    Tables are laid out by the kernels: after an update old code would read new tables, and crash.
    """
    try:
        sources = list(_sources(files(__package__)))
    except Exception:  # a way of packing that shows nothing
        return b""
    versions = f"{numba.__version__} {llvmlite.__version__}\n".encode()
    return sha256(b"".join([versions, *sources])).digest() if sources else b""


class _Reductions(_Results):
    """What becomes of a compiled function in a file; finds no folder when it is made."""

    def __init__(self) -> None:
        pass


class _Entries(_Files):
    """Entries of a function in a folder: a file for each signature and processor, no index."""

    def __init__(self, folder: Path, function: Any):
        version = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        module = function.__module__.rpartition("kernels.")[2]
        self._stem = f"{module}.{function.__qualname__}.{version}"
        super().__init__(str(folder), self._stem, stamp())

    def _path(self, key: Any) -> Path:
        # The key has the signature, the processor, and digests of the function, which the stamp
        # has too: what replaces an entry has its name, so that no old ones gather.
        kind = repr((*key[:2], _config.BOUNDSCHECK))
        return Path(self._data_path(f"{self._stem}.{sha256(kind.encode()).hexdigest()[:16]}.nbc"))

    def _identity(self, key: Any) -> Any:
        # A file may have got the name of another, and the key sees no constants of the function.
        return self._source_stamp, self._stem, key

    def _seal(self, data: bytes) -> bytes:
        return sha256(self._source_stamp + data).digest()

    def _dump(self, content: Any) -> bytes:
        # Behind the pickle, which ends by itself.
        data: bytes = super()._dump(content)
        return data + self._seal(data)

    def load(self, key: Any) -> Any:
        """Entry of a key, or ``None``; one that is damaged or of other kernels is removed."""
        path = self._path(key)
        try:
            stored = path.read_bytes()
            if self._seal(stored[:-_SEAL]) == stored[-_SEAL:]:
                found, data = self._load_data(path.name)
                if found == self._identity(key):
                    return data
        except FileNotFoundError:
            return None
        except Exception:  # whatever is wrong with it
            pass
        self.remove(key)
        return None

    def save(self, key: Any, data: Any) -> None:
        """Write an entry beside its name and put it there whole."""
        self._save_data(self._path(key).name, (self._identity(key), data))

    def remove(self, key: Any) -> None:
        """Remove an entry, if the folder lets go of it."""
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)


class KernelCache(_Cache):
    """Cache of one function; nothing that goes wrong with it stops the program."""

    def __init__(self, function: Any):
        self._name = repr(function)
        self._py_func = function
        self._impl = _Reductions()
        self._cache_path = str(places().write)
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for a signature from the first folder that has it, or ``None``."""
        target_context.refresh()
        for folder in places().read if stamp() else ():
            with suppress(Exception):
                key = self._index_key(sig, target_context.codegen())
                entries = _Entries(folder, self._py_func)
                data = entries.load(key)
                if data is not None:
                    return self._impl.rebuild(target_context, data)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, or say why that cannot be, once."""
        _, folder, lasting = places()
        if not stamp():
            _tell("cannot be kept without the sources of the kernels")
        elif folder is None:
            _tell(f"{_NOT_KEPT} nor in a temporary one, each process compiles anew{_HINT}")
        else:
            try:
                if self._impl.check_cachable(data):
                    key = self._index_key(sig, data.codegen)
                    _Entries(folder, self._py_func).save(key, self._impl.reduce(data))
            except Exception as error:  # a full disk, say
                _tell(f"cannot be kept in {str(folder)!r} ({error}){_HINT}")
            if not lasting:
                _tell(f"{_NOT_KEPT}, only in {str(folder)!r}, which may not last{_HINT}")

    def flush(self) -> None:
        """Forget nothing: entries are of these very sources."""


_NOT_KEPT = "can be kept neither beside the package nor in the user's cache folder"
_HINT = ": set NUMBA_CACHE_DIR to a folder that can be written"
_told: list[str] = []


def _tell(problem: str) -> None:
    if not _told and sys.stderr is not None:
        _told.append(problem)
        sys.stderr.write(f"fastmj: compiled code {problem}\n")


def keep(compiled: Any) -> None:
    """Let a compiled function keep its code on disk."""
    if not hasattr(compiled, "enable_caching"):  # uncompiled, a function is what it was
        return
    if KNOWN and hasattr(compiled, "_cache"):
        compiled._cache = KernelCache(compiled.py_func)
    else:
        _tell(f"cannot be kept with numba {numba.__version__}")
