"""Following: look at catalogs and threads again, and announce the news."""
