"""What all plots share: the figure and its title, where it goes, and whether it can go there."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..quoting import quoted, shown

#: A file, whose ending says the format, or a stream of bytes, which gets a PNG.
PlotTarget: TypeAlias = "str | os.PathLike[str] | BinaryIO"


@contextmanager
def plot(
    target: PlotTarget, title: str, size: tuple[float, float], columns: int
) -> Iterator[list[Any]]:
    """Give axes to draw on, side by side, and write the picture at the end.

    Parameters
    ----------
    target : path or binary stream
        PNG, SVG or PDF, by its ending; a stream gets a PNG.
    title : str
        Above the picture.
    size : (float, float)
        Width and height in inches, of 120 pixels each.
    columns : int
        Number of axes.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    figure = _figure(figsize=size, layout="constrained")
    figure.suptitle(shown(title, 120), parse_math=False)
    axes = list(figure.subplots(1, columns, squeeze=False)[0])
    yield axes
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the fonts that come along have no Chinese
        figure.savefig(target, dpi=120)


def check_plot(target: PlotTarget) -> None:
    """Raise, before the work that is to be drawn, what drawing it would raise.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    ValueError
        For an ending that is no format of pictures.
    OSError
        When the file cannot be written.
    """
    figure = _figure()
    if not isinstance(target, (str, os.PathLike)):
        return
    path = Path(target)
    known = sorted(figure.canvas.get_supported_filetypes())
    if path.suffix[1:].lower() not in known:
        ending = quoted(path.suffix) if path.suffix else "nothing"
        raise ValueError(f"no format of pictures is called {ending}: use one of {', '.join(known)}")
    code = None
    if path.is_dir():
        code = errno.EISDIR
    elif not path.parent.is_dir():
        code = errno.ENOENT
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        code = errno.EACCES
    if code is not None:
        raise OSError(code, os.strerror(code), str(path))


def _figure(**options: Any) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'fastmj[plot]'") from error
    return Figure(**options)
