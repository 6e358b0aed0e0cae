"""What answers the presses of moderators."""
