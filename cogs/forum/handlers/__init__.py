"""What presses in the forum lead to."""
