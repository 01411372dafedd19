"""Loading table data, files made by ``python -m fastmj.tables.<room>.build``; packing buffers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_LINE = 64
#: Where data files are, which need not be a folder: the package may lie in an archive.
DATA = files(__package__) / "data"
DATA_FILE = DATA / "tables.npz"
#: Digest of the arrays in the file (not of the file, whose compression may differ).
DATA_DIGEST = "a365e3560bdf7d08ba7646a4309e8a6460802a4bb6b78b3375aea91e3f8cc883"


def digest(arrays: dict[str, npt.NDArray[Any]]) -> str:
    """Digest of named arrays: names, types, shapes and contents."""
    state = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        state.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(array.tobytes())
    return state.hexdigest()


def pack(
    lengths: Mapping[str, int], dtype: npt.DTypeLike, arrays: Mapping[str, npt.ArrayLike]
) -> npt.NDArray[Any]:
    """One read-only buffer of named arrays, end to end in the order of ``lengths``."""
    parts: list[npt.NDArray[Any]] = []
    for name, length in lengths.items():
        part = np.asarray(arrays[name]).ravel()
        if length >= 0 and len(part) != length:
            raise AssertionError(f"table {name} has {len(part)} entries, {length} are laid out")
        parts.append(part.astype(dtype))
    # Records of 64 bytes lie in one line of the cache each.
    memory = np.zeros(sum(map(len, parts)) * np.dtype(dtype).itemsize + _LINE, np.uint8)
    begin = -memory.ctypes.data % _LINE
    buffer = memory[begin : len(memory) - _LINE + begin].view(dtype)
    np.concatenate(parts, out=buffer)
    buffer.flags.writeable = False
    return buffer


def load_arrays(file: Traversable, expected: str) -> dict[str, npt.NDArray[Any]]:
    """Arrays of a data file, read-only.

    Raises
    ------
    RuntimeError
        When the file is damaged: the digest of its arrays is not the expected one.
    """
    with np.load(BytesIO(file.read_bytes()), allow_pickle=False) as stored:
        arrays: dict[str, npt.NDArray[Any]] = {name: stored[name] for name in stored.files}
    if digest(arrays) != expected:
        raise RuntimeError(f"{file} is damaged: reinstall fastmj")
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


@lru_cache(maxsize=1)
def load_data() -> dict[str, npt.NDArray[Any]]:
    """Arrays of the data file.

    Raises
    ------
    RuntimeError
        When the file is damaged.
    """
    return load_arrays(DATA_FILE, DATA_DIGEST)
