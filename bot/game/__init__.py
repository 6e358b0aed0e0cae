"""The client of the game interface, which knows neither Discord nor storage."""
