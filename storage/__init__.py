"""The database of Kiosk, with every token encrypted."""

from pathlib import Path

# The steps that make the tables; see storage/database/steps.py.
MIGRATIONS = Path(__file__).parent / "steps"
