"""What Kiosk keeps: links, names and orders, in one database with every token sealed."""

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
