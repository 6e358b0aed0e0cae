"""What players do in the game, and the game's makers."""
