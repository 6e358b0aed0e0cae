"""How the game's own words reach a member."""

import json

import pytest
from pydantic import SecretStr

from bot.game import errors
from bot.game.protocol import Answer, Caller, GameProtocol

GAME = GameProtocol("https://game.example")


def refusal(body: object, status: int = 422, **headers: str) -> errors.GameError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    exchange = GAME.purchase(Caller(1, SecretStr("secret-of-ann")), 1)
    with pytest.raises(errors.GameError) as caught:
        exchange.decipher(Answer(status, headers, content, received_at=1_700_000_000.0))
    return caught.value


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "  Not\nenough\tacorns. "}, "Not enough acorns."),
        ({"message": "x" * 301}, "x" * 299 + "…"),
        ({"message": "x" * 300}, "x" * 300),
        ({"message": "secret-of-ann is unknown"}, "••• is unknown"),
        ({"message": "SECRET-OF-ANN is unknown"}, "••• is unknown"),
        ({"message": "Unknown: secret-o***"}, "Unknown: •••***"),
        ({"message": "Basic YW5uOnNlY3JldC1vZi1hbm4="}, "Basic YW5uOn•••"),
        ({"message": "Bearer c2VjcmV0LW9mLWFubg== is unknown"}, "Bearer ••• is unknown"),
        ({"message": "s e c r e t - o f - a n n is unknown"}, "•••"),
        ({"message": "s\u200be\u200bc\u200br\u200be\u200bt\u200b-\u200bof-\u200bann"}, "•••"),
        ({"message": "secr-et-o-f-an-n"}, "•••"),
        ({"message": "".join(chr(ord(each) + 0xFEE0) for each in "secret-of-ann")}, "•••"),
        ({"message": "%73%65%63%72%65%74%2D%6F%66%2D%61%6E%6E"}, "•••"),
        ({"message": "7365637265742D6F662D616E6E is unknown"}, "•••"),
        ({"message": "&#115;&#101;&#99;&#114;&#101;&#x74;&#x2d;&#x6f;&#x66;"}, "•••"),
        ({"message": r"\x73\x65\x63\x72\x65\x74\x2d\x6f\x66"}, "•••"),
        ({"message": r"\u0073\u0065\u0063\u0072\u0065\u0074\u002d\u006f"}, "•••"),
        ({"message": "&#" + "9" * 1000 + "; is no secret"}, "&#" + "9" * 297 + "…"),
        ({"message": ""}, None),
        ({"message": None}, None),
        ({"message": {"en": "No."}}, None),
        ({"error": "No."}, None),
        (["No."], None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_a_message_is_carried_as_one_plain_line(body: object, message: str | None) -> None:
    assert refusal(body).message == message


def test_the_texts_for_each_field_are_carried() -> None:
    body = {"errors": {"content": ["Too long.", "Rude.", 5], "item_id": "Unknown.", "x": None}}
    error = refusal(body)

    assert isinstance(error, errors.Invalid)
    assert error.errors == {"content": ("Too long.", "Rude."), "item_id": ("Unknown.",), "x": ()}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30),
        ("1.5", 1.5),
        ("999999", 300),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
        ("Tue, 99 Nov 2023 22:00:00 GMT", None),
    ],
)
def test_a_wait_is_read_as_seconds_or_as_a_date(value: str, seconds: float | None) -> None:
    assert refusal({}, 429, **{"retry-after": value}).retry_after == seconds


def test_an_unknown_outcome_tells_what_came_instead() -> None:
    cause = refusal({"message": "Down for tea."}, 503, **{"retry-after": "9"})
    unknown = errors.UnknownOutcome(cause)

    assert unknown.cause is cause
    assert (unknown.message, unknown.status, unknown.retry_after) == ("Down for tea.", 503, 9)
