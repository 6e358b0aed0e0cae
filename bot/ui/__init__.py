"""The look that every card shares."""
