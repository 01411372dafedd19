"""Hands and results as columns on a device, in the layout of the processor's."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from ..distance.results import FORMS
from ..hands.batch import HandBatch
from ..hands.tiles import KINDS
from ..rules import FANS
from .device import new_array, require_cuda, stream_of, taken

_Columns = TypeVar("_Columns", bound="DeviceColumns")
#: Type of each column, and how many numbers it has a row.
_Layout = Mapping[str, tuple[npt.DTypeLike, tuple[int, ...]]]
_BYTE: tuple[npt.DTypeLike, tuple[int, ...]] = (np.uint8, ())


class DeviceColumns(SimpleNamespace):
    """Columns of equal length on a device: any arrays that speak one of the protocols."""

    layout: ClassVar[_Layout]
    optional: ClassVar[str] = ""

    @classmethod
    def new(cls: type[_Columns], length: int, stream: Any, leave_out: str = "") -> _Columns:
        """Columns whose content is not set yet."""
        return cls(**{
            name: new_array((length, *tail), dtype, stream)
            for name, (dtype, tail) in cls.layout.items()
            if name != leave_out
        })  # fmt: skip

    @classmethod
    def take(cls: type[_Columns], source: Any, length: int | None, stream: Any) -> _Columns:
        """Columns of a mapping or an object, as arrays of numba for work on a stream, not copied.

        Without ``length`` the first one says it.
        """
        named = isinstance(source, Mapping)
        columns: dict[str, Any] = {}
        for name, (dtype, tail) in cls.layout.items():
            values = source.get(name) if named else getattr(source, name, None)
            if values is not None or name != cls.optional:
                columns[name] = taken(name, values, dtype, tail, length, stream)
                length = columns[name].shape[0]
        return cls(**columns)

    def to_host(self, stream: Any = None) -> dict[str, npt.NDArray[Any]]:
        """The columns as numpy arrays; waits until they are there."""
        order = stream_of(stream)
        columns = vars(self.take(self, None, order))
        host = {name: column.copy_to_host(stream=order) for name, column in columns.items()}
        if order:
            order.synchronize()
        return host


class DeviceBatch(DeviceColumns):
    """Hands at the moment of winning: the columns of a ``HandBatch``, all of uint8.

    Attributes
    ----------
    counts, melds : device array, shape (N, 34), (N, 4)
    win_tile, circumstances, seat_wind, prevalent_wind, flowers : device array, shape (N,)
    """

    layout: ClassVar[_Layout] = {
        "counts": (np.uint8, (KINDS,)),
        "melds": (np.uint8, (4,)),
        **dict.fromkeys(
            ("win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers"), _BYTE
        ),
    }

    @classmethod
    def from_host(cls, batch: HandBatch, stream: Any = None) -> DeviceBatch:
        """Copy a batch to the current device."""
        cuda, order = require_cuda(), stream_of(stream)
        columns = (cuda.to_device(column, stream=order) for column in batch.columns)
        return cls(**dict(zip(cls.layout, columns, strict=True)))


class DeviceScores(DeviceColumns):
    """Scores: the columns of a ``ScoreBatch``.

    Attributes
    ----------
    total, base : device array of int16, shape (N,)
    fan_mask : device array of int64, shape (N, 2)
    wins : device array of bool, shape (N,)
    status : device array of uint8, shape (N,)
    fan_counts : device array of uint8, shape (N, 82)
        Only where it was asked for.
    """

    layout: ClassVar[_Layout] = {
        "total": (np.int16, ()),
        "base": (np.int16, ()),
        "fan_mask": (np.int64, (2,)),
        "wins": (np.bool_, ()),
        "status": _BYTE,
        "fan_counts": (np.uint8, (len(FANS),)),
    }
    optional = "fan_counts"


class DeviceShanten(DeviceColumns):
    """Shanten: the columns of a ``ShantenBatch``.

    Attributes
    ----------
    regular, seven_pairs, thirteen_orphans, honors_knitted, knitted_straight, best : device array \
of int8, shape (N,)
    status : device array of uint8, shape (N,)
    """

    layout: ClassVar[_Layout] = {
        **dict.fromkeys((*FORMS, "best"), (np.int8, ())),
        "status": _BYTE,
    }
