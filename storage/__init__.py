"""The database of Kiosk, with every token encrypted."""

from pathlib import Path

# What makes the tables; see storage/database/schema.py.
MIGRATIONS = Path(__file__).parent / "schema.sql"
