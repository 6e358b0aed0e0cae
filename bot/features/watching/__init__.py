"""What members watch in the shop."""
