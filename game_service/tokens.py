"""Make access tokens, of which only hashes are stored."""

import hashlib
import secrets


def new_token() -> str:
    """Make a token that no one can guess."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the hash to store for a token. Tokens are random, so it needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
