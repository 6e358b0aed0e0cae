"""What members see of the forum."""
