"""Compare Kiosk's `/forum read` with the same command in a bot of thirty lines."""
