"""Compare Kiosk with the usual way of building it, in one run, as ratios."""
