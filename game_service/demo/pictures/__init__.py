"""Draw the demo's pictures into the assets folder; needs Pillow, which serving them does not."""
