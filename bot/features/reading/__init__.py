"""The threads and catalogs of the game, as members read them."""
