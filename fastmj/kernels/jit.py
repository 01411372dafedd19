"""How every kernel is compiled: the one place for compiler flags."""

from __future__ import annotations

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

kernel = numba.njit(**FLAGS)
#: For kernels that allocate nothing.
bare_kernel = numba.njit(**FLAGS, **BARE)
#: For the parts of a kernel.
step = numba.njit(**FLAGS, **BARE, **INLINED)
