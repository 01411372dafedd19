"""How every kernel is compiled: the one place for compiler flags."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

#: Cached on disk, without the interpreter lock (threads run kernels side by side), no exceptions on
#: division. Parallel compilation was left: plain threads over chunks cannot abort when several
#: Python threads call at once.
FLAGS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
#: Arrays are not reference-counted inside. A loop over rows that hands arrays to a step otherwise
#: counts every one of them up and down, atomically, for each row (70 ns a hand when scoring).
BARE: dict[str, Any] = {"_nrt": False}
#: Steps must disappear into the loop over rows: a call that passes the tables costs more than the
#: step.
INLINED: dict[str, Any] = {"forceinline": True}


def _sources_digest() -> str:
    state = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        state.update(source.read_bytes())
    return state.hexdigest()


_DIGEST = _sources_digest()


def _compiled(**options: Any) -> Callable[[Any], Any]:
    """Decorator that compiles a function, and trusts compiled code of these very sources only.

    The compiler's own cache looks at the file of the function, not at what it calls in others:
    after an update it would run old code over new tables, and crash.
    """

    def decorate(function: Any) -> Any:
        compiled = numba.njit(**options)(function)
        index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if hasattr(index, "_source_stamp"):
            index._source_stamp = (index._source_stamp, _DIGEST)
        return compiled

    return decorate


kernel = _compiled(**FLAGS)
#: For kernels that allocate nothing.
bare_kernel = _compiled(**FLAGS, **BARE)
#: For the parts of a kernel.
step = _compiled(**FLAGS, **BARE, **INLINED)
