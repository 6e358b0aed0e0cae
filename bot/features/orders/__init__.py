"""Buying and redeeming: never twice, never unknown for long."""
