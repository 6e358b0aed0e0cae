"""What is owed in the background: by the one active worker, whichever process it is in."""
