"""Kiosk beside the usual way of building it, measured in one run and told as ratios."""
