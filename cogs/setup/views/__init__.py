"""What moderators, and members of the panel, see of how a server is set up."""
