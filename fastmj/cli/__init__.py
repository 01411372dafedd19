"""The command ``fastmj``: it knows every room, and no room knows it."""

from __future__ import annotations

from .command import app, main

__all__ = ["app", "main"]
