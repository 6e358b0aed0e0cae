"""Kiosk's `/forum read` beside the same command in a bot of thirty lines."""
