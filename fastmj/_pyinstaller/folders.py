"""Where the hook is."""

from __future__ import annotations

from pathlib import Path


def hook_folders() -> list[str]:
    """Folders with hooks."""
    return [str(Path(__file__).parent)]
