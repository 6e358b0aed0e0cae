"""What members ask the game to do: texts and orders, each asked for once."""
