"""Kiosk: a Discord bot that brings a mobile game's forum and shop into Discord."""

__version__ = "2.0.0"
