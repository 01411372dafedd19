"""What is asked of numba-cuda: a device, its streams, arrays of others, tables kept on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

_ON_DEVICES = (2, 13)  # of DLPack: memory of a GPU, and memory that it shares with the processor
_LEGACY_STREAM = 1  # what DLPack calls the default stream
#: Threads of a block; and blocks of a grid at least, of which numba-cuda warns otherwise.
THREADS, LEAST_BLOCKS = 128, 128


@lru_cache(maxsize=1)
def require_cuda() -> Any:
    """The module ``numba.cuda``.

    Raises
    ------
    RuntimeError
        When numba-cuda is missing or does not fit, or there is no GPU.
    """
    try:
        if find_spec("numba_cuda") is None:
            raise ImportError("numba-cuda is not installed")
        from numba import cuda
    except Exception as error:  # versions that do not fit numba's say anything
        raise RuntimeError(
            "fastmj.cuda needs numba-cuda: pip install 'fastmj[cuda]', or 'fastmj[cuda12]' for a "
            f"driver of CUDA 12 ({error})"
        ) from error
    if not cuda.is_available():
        why = " ".join(str(cuda.cuda_error() or "CUDA's libraries are not found").split())
        raise RuntimeError(f"fastmj.cuda needs a CUDA GPU: {why}")
    return cuda


def stream_of(stream: Any) -> Any:
    """Stream from what users pass: none, a pointer, or one of numba's; 0 is the default one."""
    if isinstance(stream, int) and stream:
        return require_cuda().external_stream(stream)
    return stream or 0


def blocks_of(rows: int) -> int:
    """Blocks of a grid with a thread a row."""
    return max(LEAST_BLOCKS, -(-rows // THREADS))


def new_array(shape: tuple[int, ...], dtype: npt.DTypeLike, stream: Any) -> Any:
    """Array on the current device whose content is not set."""
    return require_cuda().device_array(shape, np.dtype(dtype), stream=stream)


def taken(
    name: str, values: Any, dtype: npt.DTypeLike, tail: tuple[int, ...], length: Any, stream: Any
) -> Any:
    """Array of numba where ``values`` lie, whose content is there when the stream comes to it.

    Raises
    ------
    TypeError
        When they are no device array, or of another dtype.
    ValueError
        When the shape is another, or the rows do not lie one behind the other.
    """
    array = _device_array(name, values, stream)
    if array.dtype != np.dtype(dtype):
        raise TypeError(f"{name} must be of dtype {np.dtype(dtype)}, got {array.dtype}")
    shape, rows = tuple(array.shape), length
    if length is None:
        rows = shape[0] if shape else 0
    if shape != (rows, *tail):
        raise ValueError(f"{name} must have the shape {(rows, *tail)}, got {shape}")
    if not array.is_c_contiguous():
        raise ValueError(f"{name} must be C-contiguous")
    return array


def _device_array(name: str, values: Any, stream: Any) -> Any:
    cuda = require_cuda()
    if getattr(values, "__cuda_ndarray__", False):  # numba's own
        return _in_order(cuda, values, values.stream, stream)
    if hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] in _ON_DEVICES:
        from cuda.core.utils import StridedMemoryView

        # The producer lets the stream wait for what it has still to do.
        order = int(stream) if stream else _LEGACY_STREAM
        view = StridedMemoryView.from_dlpack(values, stream_ptr=order)
        size = view.dtype.itemsize
        layout = {
            "version": 3,
            "shape": view.shape,
            "strides": view.strides and tuple(size * step for step in view.strides),
            "typestr": view.dtype.str,
            "data": (view.ptr, view.readonly),
        }
        return cuda.from_cuda_array_interface(layout, owner=view, sync=False)
    interface = getattr(values, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(
            f"{name} must be a device array, got {type(values).__name__}; "
            "DeviceBatch.from_host(batch) copies a HandBatch to the device"
        )
    array = cuda.from_cuda_array_interface(interface, owner=values, sync=False)
    return _in_order(cuda, array, array.stream, stream)


def _in_order(cuda: Any, array: Any, before: Any, stream: Any) -> Any:
    """Let a stream wait for the one that an array is made on, where it says so."""
    if before and int(before) != int(stream):
        event = cuda.event(timing=False)
        event.record(before)
        event.wait(stream)
    return array


def on_device(load: Callable[..., Any], *arguments: Any) -> Any:
    """Tables on the current device, copied to it once: a named tuple of device arrays."""
    return _copied(require_cuda().get_current_device().uuid, load, *arguments)


@lru_cache(maxsize=64)
def _copied(device: str, load: Callable[..., Any], *arguments: Any) -> Any:
    tables = load(*arguments)
    return type(tables)(*map(require_cuda().to_device, tables))
