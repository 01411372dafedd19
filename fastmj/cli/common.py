"""What several commands share: options, errors, the notice of a compilation."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import RenderableType

from ..quoting import quoted
from ..rules import PROFILES, AnyRules, Rules
from .render import make_console, note, show

# Typer does not name the base of BadParameter, which lives in click or in typer's own copy of it.
UsageError: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "UsageError")


class RulesName(str, Enum):
    """National rule profiles: what games and values are about."""

    GB98 = "gb98"
    WMO2006 = "wmo2006"

    @property
    def profile(self) -> Rules:
        """The profile itself."""
        profile = PROFILES[self.value]
        assert isinstance(profile, Rules)
        return profile


class AnyRulesName(str, Enum):
    """All rule profiles: what scores hands."""

    GB98 = "gb98"
    WMO2006 = "wmo2006"
    REGIONAL = "regional"

    @property
    def profile(self) -> AnyRules:
        """The profile itself."""
        return PROFILES[self.value]


class HonorsName(str, Enum):
    """Meanings of ``5z 6z 7z``."""

    CHINESE = "chinese"
    RIICHI = "riichi"


class CompressionName(str, Enum):
    """Compressions of columnar files."""

    NONE = "none"
    LZ4 = "lz4"
    ZSTD = "zstd"
    SNAPPY = "snappy"


class Names(str, Enum):
    """Languages of fan names."""

    BOTH = "both"
    ZH = "zh"
    EN = "en"


def _check_encoding(name: str) -> str:
    try:
        " ".encode(name)
    except (LookupError, ValueError):
        raise typer.BadParameter(f"no encoding of texts is called {quoted(name)}") from None
    return name


RulesOption = Annotated[
    RulesName, typer.Option("--rules", "-r", case_sensitive=False, help="Rule profile.")
]
AnyRulesOption = Annotated[
    AnyRulesName, typer.Option("--rules", "-r", case_sensitive=False, help="Rule profile.")
]
HonorsOption = Annotated[
    HonorsName,
    typer.Option(
        case_sensitive=False, help="5z 6z 7z: red green white, or white green red (riichi)."
    ),
]
EncodingOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        callback=_check_encoding,
        help="Encoding of the texts in the input: utf-8, gb18030, utf-16 ...",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Write JSON, one object a line, instead of text.")
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Replace what is there: a file, or a directory of our parts."),
]
CompressionOption = Annotated[
    CompressionName | None,
    typer.Option(
        case_sensitive=False,
        show_default=False,
        help="By default snappy for scores, zstd for decisions in Parquet, none for Arrow IPC.",
    ),
]


def _check_plot(name: Path | None) -> Path | None:
    """End with what is wrong before there is anything to draw."""
    if name is not None:
        from ..pictures.figures import check_plot

        try:
            check_plot(plot_target(name))
        except (ImportError, ValueError, OSError) as error:
            fail(f"cannot draw {name}: {getattr(error, 'strerror', None) or error}")
    return name


def plot_target(name: Path) -> Any:
    """Where a picture goes: a file, or standard output."""
    return sys.stdout.buffer if str(name) == "-" else name


PlotOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=_check_plot,
        show_default=False,
        help="Draw a picture, of the format that the ending says; - writes a PNG, and nothing "
        "else, to standard output.",
    ),
]


def text_of(argument: str) -> str:
    """Text of an argument, which is in UTF-8 even where the locale knows ASCII alone."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def texts_of(arguments: list[str] | None) -> list[str]:
    """Texts of arguments."""
    return list(map(text_of, arguments or ()))


@contextmanager
def compilation_notice() -> Iterator[None]:
    """Say so on standard error when the compiler runs, and how long it took."""
    try:
        from numba.core import event
    except ImportError:
        yield
        return
    begun: list[float] = []
    kernels: Counter[str] = Counter()

    class Listener(event.Listener):  # type: ignore[misc]
        """Speaks at the first compilation, and counts kernels by their room."""

        def on_start(self, event: Any) -> None:
            room = event.data["dispatcher"].py_func.__module__.split(".")
            if room[:2] == ["fastmj", "kernels"]:  # the compiler compiles parts of its own, too
                kernels[room[2]] += 1
            if not begun:
                begun.append(time.perf_counter())
                note("compiling kernels, once on this machine ...")

        def on_end(self, event: Any) -> None:
            """Nothing: kernels end inside one another."""

    with event.install_listener("numba:compile", Listener()):
        yield
    if begun:
        from ..kernels.places import places

        later = "; later runs load them" if places().write else ""
        rooms = ", ".join(f"{number} of {room}" for room, number in kernels.most_common())
        note(f"compiled in {time.perf_counter() - begun[0]:.1f} s: {rooms}{later}")


def show_view(view: Iterable[RenderableType]) -> None:
    """Write the parts of a view on standard output."""
    console = make_console(sys.stdout)
    for part in view:
        show(console, part)


def complain(message: str) -> None:
    """Write one error line on standard error."""
    note(f"error: {message}")


def fail(message: str) -> NoReturn:
    """Write one error line and end with exit code 2."""
    complain(message)
    raise typer.Exit(2)
