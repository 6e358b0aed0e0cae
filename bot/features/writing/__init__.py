"""Writes: texts and orders that members send to the game, each sent once."""
