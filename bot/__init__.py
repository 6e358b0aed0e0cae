"""Kiosk: a Discord bot that brings a mobile game's forum and shop into Discord."""

__version__ = "3.0.0.dev0"
