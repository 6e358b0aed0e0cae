"""A drill of upgrades: `python -m tools.upgrading`."""
