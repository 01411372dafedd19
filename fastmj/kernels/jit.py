"""How every kernel is compiled: the one place for compiler flags."""

from __future__ import annotations

import numba

#: Cached on disk, without the interpreter lock (threads run kernels side by side), no exceptions on
#: division. Parallel compilation was left: plain threads over chunks cannot abort when several
#: Python threads call at once.
kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
#: For kernels that allocate nothing: arrays are not reference-counted inside. A loop over rows that
#: hands arrays to a step otherwise counts every one of them up and down, atomically, for each row
#: (70 ns a hand when scoring).
bare_kernel = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
#: For steps that must disappear into the loop over rows: a call that passes the tables costs more
#: than the step.
step = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
