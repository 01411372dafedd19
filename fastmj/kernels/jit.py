"""How every kernel is compiled: the one place for compiler flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types

from .cache import keep

#: Without the interpreter lock (threads run kernels side by side), no exceptions on
#: division. Parallel compilation was left: plain threads over chunks cannot abort when several
#: Python threads call at once. No way in from C: nobody takes it, and it takes a while to compile.
FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
#: Arrays are not reference-counted inside. A loop over rows that hands arrays to a step otherwise
#: counts every one of them up and down, atomically, for each row (70 ns a hand when scoring).
BARE: dict[str, Any] = {"_nrt": False}
#: Steps must disappear into the loop over rows: a call that passes the tables costs more than the
#: step.
INLINED: dict[str, Any] = {"forceinline": True}
#: A kernel that a step calls must say that it stays one: it would take over the step's flag, and
#: what is seldom needed would be laid into every loop, whose registers it takes.
APART: dict[str, Any] = {"forceinline": False}
#: No way in from Python: where only kernels call, it takes a fifth of the time to compile.
INNER: dict[str, Any] = {"no_cpython_wrapper": True}


def _without_literals(compiled: Any) -> None:
    """Let kernels that call this one share compiled code whatever constants they pass.

    The compiler makes a copy for every constant argument, and one more for every variable that
    begins as a constant: four fifths of the time to compile. Steps lose nothing, for their
    constants are seen once they are inlined.
    """
    template: Any = getattr(compiled, "get_call_template", None)

    def plain(args: Any, kws: Any) -> Any:
        return template(
            tuple(types.unliteral(kind) for kind in args),
            {name: types.unliteral(kind) for name, kind in kws.items()},
        )

    if template is not None:
        compiled.get_call_template = plain


def _only_for_kernels(compiled: Any) -> None:
    """Refuse calls from Python: nothing compiled could take them."""

    def refuse(*_: Any, **__: Any) -> None:
        raise TypeError(f"{compiled.__name__} is called by kernels alone, not from Python")

    def add_overload(result: Any) -> None:
        compiled.overloads[tuple(result.signature.args)] = result

    compiled.add_overload = add_overload
    compiled._compile_for_args = refuse


def _compiled(**options: Any) -> Callable[[Any], Any]:
    """Decorator that compiles a function, once on a machine."""

    def decorate(function: Any) -> Any:
        compiled = numba.njit(**options)(function)
        keep(compiled)
        _without_literals(compiled)
        if "no_cpython_wrapper" in options and hasattr(compiled, "py_func"):
            _only_for_kernels(compiled)
        return compiled

    return decorate


kernel = _compiled(**FLAGS, **APART)
#: For kernels that allocate nothing.
bare_kernel = _compiled(**FLAGS, **BARE, **APART)
#: For those that only kernels call.
inner_kernel = _compiled(**FLAGS, **BARE, **APART, **INNER)
#: For the parts of a kernel.
step = _compiled(**FLAGS, **BARE, **INLINED, **INNER)


def device_kernel(function: Any) -> Any:
    """Decorator that compiles a kernel for a GPU, at its first call; needs numba-cuda.

    The steps that it calls are compiled for it anew, with the flags that they have above.
    """
    from numba import cuda

    return cuda.jit(function)
