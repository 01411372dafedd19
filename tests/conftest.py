"""Set-up of the test run."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
from pathlib import Path

import pytest

# The compiler's cache does not notice a changed callee in another file, so the tests use a cache
# of their own, named by what the sources say.
_package = Path(__file__).parent.parent / "fastmj"
_digest = hashlib.sha256()
for _source in sorted(_package.rglob("*.py")):
    _digest.update(_source.read_bytes())
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"fastmj-tests-{_digest.hexdigest()[:16]}")
)


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command; gives (exit code, standard output, standard error)."""

    from fastmj import cli

    def call(*arguments, stdin=None):
        if stdin is not None:
            data = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = cli.main(arguments)
        return (code, *capsys.readouterr())

    return call
