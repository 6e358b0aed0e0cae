"""Messages: what Kiosk owes to Discord, sent, drawn anew and deleted by the active worker."""
