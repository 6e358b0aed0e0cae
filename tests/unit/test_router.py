"""How much of one member is taken in at the same time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from bot.game.errors import TooManyAtOnce
from bot.ui.answers import Interaction
from bot.ui.router import Router

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


async def test_so_many_of_one_member_are_answered_at_once_and_the_others_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[type[Exception]] = []

    async def say_why_not(_: Interaction, error: Exception) -> None:
        told.append(type(error))

    monkeypatch.setattr("bot.ui.router.say_why_not", say_why_not)
    router = Router()
    begun = [arriving(number) for number in range(6)]
    for interaction in begun:
        assert await router.begin(interaction, "")

    assert not await router.begin(arriving(7), "")
    assert told == [TooManyAtOnce]
    assert await router.begin(arriving(8, member=2), "")
    router.end(arriving(8, member=2))
    router.end(begun[0])
    assert await router.begin(arriving(9), "")


async def test_what_nobody_said_the_end_of_is_over_after_a_minute() -> None:
    router = Router()
    for number in range(6):
        await router.begin(arriving(number), "")

    assert await router.begin(arriving(7, at=NOW + timedelta(seconds=61)), "")


async def test_halves_of_surrogate_pairs_are_replaced_wherever_they_stand() -> None:
    sent = arriving(1, data={"values": [{"value": "a\ud800b"}, "\ud83d\ude00", {"x": 7}]})

    await Router().begin(sent, "")

    assert sent.data == {"values": [{"value": "a\ufffdb"}, "😀", {"x": 7}]}
