"""The Discord face of each feature."""
