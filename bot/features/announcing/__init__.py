"""Noticing what is new in the game's catalogs, and who is to hear of it."""
