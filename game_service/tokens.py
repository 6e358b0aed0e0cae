"""Access tokens: made here, and stored as hashes only."""

import hashlib
import secrets


def new_token() -> str:
    """Make a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Give what is stored in a token's place; tokens are random, so no salt is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
