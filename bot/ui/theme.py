"""Colours and signs that every card shares."""

from discord import Colour

FORUM = Colour(0x4F9D69)
SHOP = Colour(0xE0A030)
ACCOUNT = Colour(0x5B7FDB)
CALM = Colour(0x6B7280)
GOOD = Colour(0x3BA55D)
PROBLEM = Colour(0xD9534F)
# Marks what a manager has to fix.
WRONG = "⚠️ "
