"""Set-up of the test run."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

# The compiler's cache does not notice a changed callee in another file, so the tests use a cache
# of their own, named by what the sources say.
_package = Path(__file__).parent.parent / "fastmj"
_digest = hashlib.sha256()
for _source in sorted(_package.rglob("*.py")):
    _digest.update(_source.read_bytes())
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"fastmj-tests-{_digest.hexdigest()[:16]}")
)
