"""Kiosk's queued messages, which the active worker sends, edits and deletes on Discord."""
