"""What shall be in Discord: sent, drawn anew and deleted by the one worker that is active."""
