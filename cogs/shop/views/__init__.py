"""What members see of the shop."""
