"""Following: poll catalogs and threads, and announce the news."""
