"""The service's comments page beside the same page as most would write it."""
