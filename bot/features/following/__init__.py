"""Posting the new comments of threads in channels."""
