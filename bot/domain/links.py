"""A member's link to their game account."""

import re
from datetime import datetime

from msgspec import Struct
from pydantic import SecretStr

# What comes along when a token is copied out of a request.
_AROUND = " \t\r\n\"'`\u201c\u201d\u201e\u201a\u2018\u2019\u00ab\u00bb"
_SCHEME = re.compile(r"(authorization\s*:\s*)?bearer(\s+|$)", re.IGNORECASE)


class TokenSource(Struct, frozen=True):
    """Where members get their access token, in the operator's words; either may be empty."""

    text: str = ""
    url: str = ""


def bare_token(typed: str) -> str:
    """Return a pasted token without `Bearer`, quotes and blanks around it."""
    return _SCHEME.sub("", typed.strip(_AROUND), count=1).strip(_AROUND)


class Link(Struct, frozen=True):
    """A member's game account: who they are in Discord, and the token that acts for them.

    `token_key` is a keyed hash of the token, by which two links to one account are known.
    """

    member_id: int
    token: SecretStr
    is_refused: bool
    linked_at: datetime
    player_id: int | None
    player_name: str | None
    token_key: str
    sealed: bytes

    def __repr__(self) -> str:
        # What is sealed is not for logs, nor is what names an account.
        return f"<Link of {self.member_id} since {self.linked_at}>"
