"""The memory that a bot needs for each server it is in."""
