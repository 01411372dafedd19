"""What is wrong with a data file, in one line that names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..files import DataError
from ..hands.arrow import require_pyarrow
from ..quoting import shown


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn whatever goes wrong in reading into one line that names the file."""
    pa = require_pyarrow()
    try:
        yield
    except DataError as error:
        raise DataError(f"cannot read {path}: {error}", error.row) from None
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as error:
        byte = f"byte {error.object[error.start]:#04x}"
        raise DataError(
            f"cannot read {path}: it is not {error.encoding} ({byte}): give its encoding"
        ) from None
    except (pa.ArrowException, OSError, EOFError, ValueError, LookupError, OverflowError) as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if "invalid UTF8" in said:
            said = f"it is not utf-8: give its encoding ({said})"
        raise DataError(f"cannot read {path}: {shown(said, 400)}") from None
