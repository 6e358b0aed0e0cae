"""What is owed in the background, by the one worker that is active."""
