"""How much of one member is taken in at the same time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import discord

from bot.ui.incoming import Incoming

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ENGLISH = discord.Locale.american_english
COMMAND = discord.InteractionType.application_command


def arriving(
    number: int,
    member: int = 1,
    *,
    at: datetime = NOW,
    data: Mapping[str, object] | None = None,
) -> discord.Interaction[Any]:
    who = {"user": SimpleNamespace(id=member), "guild_id": None, "locale": ENGLISH}
    sent = SimpleNamespace(id=number, created_at=at, type=COMMAND, data=data or {}, **who)
    return cast("discord.Interaction[Any]", sent)


async def test_so_many_of_one_member_are_answered_at_once_and_the_others_all_the_same() -> None:
    incoming = Incoming()
    begun = [arriving(number) for number in range(6)]
    for interaction in begun:
        assert await incoming.begin(interaction)

    assert not await incoming.begin(arriving(7))
    assert await incoming.begin(arriving(8, member=2))
    incoming.end(arriving(8, member=2))
    incoming.end(begun[0])
    assert await incoming.begin(arriving(9))


async def test_what_nobody_said_the_end_of_is_over_after_a_minute() -> None:
    incoming = Incoming()
    for number in range(6):
        await incoming.begin(arriving(number))

    assert await incoming.begin(arriving(7, at=NOW + timedelta(seconds=61)))


async def test_halves_of_surrogate_pairs_are_replaced_wherever_they_stand() -> None:
    sent = arriving(1, data={"values": [{"value": "a\ud800b"}, "\ud83d\ude00", {"x": 7}]})

    await Incoming().begin(sent)

    assert sent.data == {"values": [{"value": "a\ufffdb"}, "😀", {"x": 7}]}
