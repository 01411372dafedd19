"""What PyInstaller has to know; it asks by the entry point ``pyinstaller40``."""

from __future__ import annotations

from .folders import hook_folders

__all__ = ["hook_folders"]
