"""What Kiosk is about, as plain values that storage, features and cogs share."""
