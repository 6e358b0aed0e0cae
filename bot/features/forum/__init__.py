"""The game's forum, as members read it."""
