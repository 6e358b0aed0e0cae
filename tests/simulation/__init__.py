"""Walks through a simulated world, held against a model of what Kiosk promises."""
