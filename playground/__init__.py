"""Kiosk on a simulated Discord in the browser."""
