"""The database of Kiosk, with every token encrypted."""

from pathlib import Path

# The steps that make the tables. See storage/database/steps.py.
MIGRATIONS = Path(__file__).parent / "steps"
