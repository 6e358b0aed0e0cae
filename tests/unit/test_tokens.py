"""What of a pasted access token is the token."""

import pytest

from bot.features.accounts import bare_token


@pytest.mark.parametrize(
    "pasted",
    [
        "a-b=c",
        "  a-b=c\n",
        "Bearer a-b=c",
        "bearer  a-b=c",
        "Authorization: Bearer a-b=c",
        '"a-b=c"',
        "'Bearer a-b=c'",
        'Bearer "a-b=c"',
        "`a-b=c`",
        "„a-b=c“",
    ],
)
def test_what_comes_along_when_a_token_is_copied_is_dropped(pasted: str) -> None:
    assert bare_token(pasted) == "a-b=c"


def test_a_token_that_starts_like_the_scheme_stays_whole() -> None:
    assert bare_token("bearer-of-news") == "bearer-of-news"
    assert bare_token("Bearer") == ""
