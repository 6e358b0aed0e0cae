"""Kiosk: a Discord bot that brings a mobile game's forum and shop into Discord."""

import sys

__version__ = "3.0.0"
# What operators type: only the wheel brings a command of its own.
COMMAND = "kiosk" if sys.argv[0].removesuffix(".exe").endswith("kiosk") else "python -m bot"
