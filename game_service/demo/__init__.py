"""A small world to play in: its players, threads, catalogs and pictures."""
