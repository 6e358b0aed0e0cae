"""Kiosk: a Discord bot that brings a mobile game's forum and shop into Discord."""
