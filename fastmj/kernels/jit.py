"""How every kernel is compiled: the one place for compiler flags."""

from __future__ import annotations

import numba

#: Cached on disk, without the interpreter lock (threads run kernels side by side), no exceptions on
#: division. Parallel compilation was tried and left: plain threads over chunks scale as well,
#: compile in half the time, and cannot abort when several Python threads call at once.
kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
#: For steps that must disappear into the loop over rows: a call that passes the tables costs more
#: than the step.
step = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
