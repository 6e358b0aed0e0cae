"""How much of one member is taken in at the same time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import discord

from bot.ui.incoming import Incoming

NOW = datetime(2026, 1, 1, tzinfo=UTC)
COMMAND = discord.InteractionType.application_command


def arriving(
    number: int,
    member: int = 1,
    *,
    at: datetime = NOW,
    kind: discord.InteractionType = COMMAND,
    data: Mapping[str, object] | None = None,
) -> discord.Interaction[Any]:
    user = SimpleNamespace(id=member)
    sent = SimpleNamespace(id=number, user=user, created_at=at, type=kind, data=data or {})
    return cast("discord.Interaction[Any]", sent)


def test_so_many_of_one_member_are_answered_at_once_and_the_others_all_the_same() -> None:
    incoming = Incoming()
    begun = [arriving(number) for number in range(6)]
    for interaction in begun:
        assert incoming.begin(interaction)

    assert not incoming.begin(arriving(7))
    assert incoming.begin(arriving(8, member=2))
    incoming.end(begun[0])
    assert incoming.begin(arriving(9))


def test_what_nobody_said_the_end_of_is_over_after_a_minute() -> None:
    incoming = Incoming()
    for number in range(6):
        incoming.begin(arriving(number))

    assert incoming.begin(arriving(7, at=NOW + timedelta(seconds=61)))


def test_typing_is_never_too_much() -> None:
    incoming = Incoming()
    for number in range(20):
        assert incoming.begin(arriving(number, kind=discord.InteractionType.autocomplete))


def test_halves_of_surrogate_pairs_are_replaced_wherever_they_stand() -> None:
    sent = arriving(
        1, data={"options": [{"value": "a\ud800b"}, {"value": "\ud83d\ude00"}, {"x": 7}]}
    )

    Incoming().begin(sent)

    assert sent.data == {"options": [{"value": "a\ufffdb"}, {"value": "😀"}, {"x": 7}]}
