"""What Kiosk keeps: links, names and orders, in one database with every token sealed."""
