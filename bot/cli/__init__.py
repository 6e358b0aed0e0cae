"""The commands of `python -m bot` that look after keys and data."""
