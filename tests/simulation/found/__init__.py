"""Plans of walks that failed once, each named for what was wrong."""
