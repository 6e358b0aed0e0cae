"""How the game's own words reach a member."""

import json

import pytest
from pydantic import SecretStr

from bot.game import errors
from bot.game.transport import Answer, Caller, Request


def refusal(body: object, status: int = 422, **headers: str) -> errors.GameError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request("POST", "/items/1/purchase", bytes, Caller(1, SecretStr("secret-of-ann")))
    with pytest.raises(errors.GameError) as caught:
        request.result(Answer(status, headers, content, received_at=1_700_000_000.0))
    return caught.value


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "  Not\nenough\tacorns. "}, "Not enough acorns."),
        ({"message": "x" * 301}, "x" * 299 + "…"),
        ({"message": "x" * 300}, "x" * 300),
        ({"message": "secret-of-ann is unknown"}, "••• is unknown"),
        ({"message": "SECRET-OF-ANN is unknown"}, "••• is unknown"),
        ({"message": "secret%2dof%2Dann is unknown"}, "••• is unknown"),
        ({"message": "%73%65%63%72%65%74%2D%6F%66%2D%61%6E%6E"}, "•••"),
        ({"message": "&#" + "9" * 1000 + "; is no secret"}, "&#" + "9" * 297 + "…"),
        ({"message": "half \ud83d a letter"}, "half � a letter"),
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
