"""How much of one member is taken in at the same time."""

import asyncio
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
    kind: discord.InteractionType = COMMAND,
    data: Mapping[str, object] | None = None,
) -> discord.Interaction[Any]:
    who = {"user": SimpleNamespace(id=member), "guild_id": None, "locale": ENGLISH}
    sent = SimpleNamespace(id=number, created_at=at, type=kind, data=data or {}, **who)
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


async def test_nobody_types_too_fast_but_a_program_does() -> None:
    incoming = Incoming()

    async def has_suggestions(at: datetime = NOW, member: int = 1) -> bool:
        keystroke = arriving(1, member, at=at, kind=discord.InteractionType.autocomplete)
        begun = await incoming.begin(keystroke)
        assert begun or not await incoming.may_refuse(keystroke)
        return begun

    assert [await has_suggestions() for _ in range(50)].count(True) == 40
    assert await has_suggestions(member=2)
    second = NOW + timedelta(seconds=1)
    assert [await has_suggestions(second) for _ in range(50)].count(True) == 10


async def test_who_hurries_waits_for_those_who_do_not() -> None:
    incoming = Incoming()
    for number in range(10):
        await incoming.begin(arriving(number))
        incoming.end(arriving(number))
    calm = arriving(20, member=2)
    await incoming.begin(calm)

    hurried = asyncio.create_task(incoming.begin(arriving(21)))
    also_calm = arriving(22, member=3)
    assert await incoming.begin(also_calm)
    incoming.end(calm)
    await asyncio.sleep(0)
    assert not hurried.done()
    incoming.end(also_calm)

    assert await hurried


async def test_a_thousand_who_come_and_go_do_not_make_forgotten_who_hurries() -> None:
    incoming = Incoming()
    for number in range(1010):
        await incoming.begin(arriving(number, member=max(number - 9, 1)))
        incoming.end(arriving(number))
    calm = arriving(2000, member=2000)
    await incoming.begin(calm)

    hurried = asyncio.create_task(incoming.begin(arriving(2001, member=1)))
    await asyncio.sleep(0)
    assert not hurried.done()
    incoming.end(calm)

    assert await hurried


async def test_two_who_hurry_are_answered_one_after_the_other() -> None:
    incoming = Incoming()
    for number in range(20):
        interaction = arriving(number, member=number % 2)
        await incoming.begin(interaction)
        incoming.end(interaction)
    first = arriving(30, member=0)
    assert await incoming.begin(first)

    second = asyncio.create_task(incoming.begin(arriving(31, member=1)))
    await asyncio.sleep(0)
    assert not second.done()
    incoming.end(first)

    assert await second


async def test_who_has_slowed_down_waits_for_nobody() -> None:
    incoming = Incoming()
    for number in range(11):
        await incoming.begin(arriving(number))
        incoming.end(arriving(number))
    later = NOW + timedelta(seconds=1)
    await incoming.begin(arriving(20, member=2, at=later))

    assert await incoming.begin(arriving(21, at=later))


async def test_who_hurries_waits_for_a_second_at_most() -> None:
    incoming = Incoming()
    for number in range(10):
        await incoming.begin(arriving(number))
        incoming.end(arriving(number))
    await incoming.begin(arriving(20, member=2))

    assert await incoming.begin(arriving(21))


async def test_halves_of_surrogate_pairs_are_replaced_wherever_they_stand() -> None:
    sent = arriving(1, data={"values": [{"value": "a\ud800b"}, "\ud83d\ude00", {"x": 7}]})

    await Incoming().begin(sent)

    assert sent.data == {"values": [{"value": "a\ufffdb"}, "😀", {"x": 7}]}


async def flood(incoming: Incoming) -> None:
    """Let a member send more than they wait for, until one of theirs is in hand."""
    for number in range(100, 125):
        await incoming.begin(arriving(number, member=9))
    for number in range(100, 105):
        incoming.end(arriving(number, member=9))


async def test_a_flood_waits_for_who_hurries_and_until_they_had_time_to_go_on() -> None:
    incoming = Incoming()
    for number in range(12):
        await incoming.begin(arriving(number))
        incoming.end(arriving(number))
    hurried = arriving(12)
    await incoming.begin(hurried)
    await flood(incoming)
    flooding = asyncio.create_task(incoming.begin(arriving(130, member=9)))
    incoming.end(hurried)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not flooding.done()

    incoming.end(arriving(105, member=9))
    assert await incoming.begin(arriving(13))
    incoming.end(arriving(13))
    assert await flooding


async def test_a_flood_is_refused_slowly_while_others_are_answered_and_not_without_end() -> None:
    incoming = Incoming()
    await flood(incoming)
    assert await incoming.may_refuse(arriving(129, member=9))
    await incoming.begin(arriving(1))

    refusals = [
        asyncio.create_task(incoming.may_refuse(arriving(number, member=9)))
        for number in range(130, 211)
    ]
    await asyncio.sleep(0)
    assert [task.result() for task in refusals if task.done()] == [False]
    stopping = asyncio.create_task(incoming.stop())
    assert all(await asyncio.gather(*refusals[:-1]))
    stopping.cancel()
