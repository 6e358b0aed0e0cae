"""What Kiosk keeps: links, names and orders, in one database with every token sealed."""

from pathlib import Path

# What makes the tables; see storage/database/schema.py.
MIGRATIONS = Path(__file__).parent / "schema.sql"
