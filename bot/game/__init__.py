"""The client of the game interface; it knows neither Discord nor storage."""
