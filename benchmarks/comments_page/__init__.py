"""Compare the service's comments page with the same page as most would write it."""
