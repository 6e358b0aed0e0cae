"""What presses in the shop lead to."""
