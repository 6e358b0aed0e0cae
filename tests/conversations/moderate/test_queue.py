"""The queue: what waits for review, the oldest first, one at a time."""

import re
from typing import Any

import pytest
import simcord
from discord import Permissions

from bot.ui.shared_actions import ShowQueue
from playground.simulation import speak_language
from storage.moderation import Subject
from tests.conversations.moderate.conftest import Beat, second_moderator
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.forum import EMPTY, can_press
from tests.support.owed import tried
from tests.support.presses import press_again


@pytest.fixture
async def log_channel(beat: Beat) -> simcord.ChannelHandle:
    log = beat.world.guild.create_text_channel("log")
    await beat.world.manage("Moderation", log_channel_id=[log])
    return log


async def hold_back(beat: Beat, count: int) -> None:
    """Let the member write comments that contain a watched word, and a friend read them."""
    await beat.world.watch_words("toadstool")
    for number in range(count):
        await beat.post(f"Toadstool number {number}")
    await beat.read(EMPTY, beat.world.friend)
    await beat.world.bot.tasks.until_finished()
    await tried(beat.world)


async def queue(beat: Beat) -> Any:
    return await beat.world.slash("moderate queue", beat.world.moderator)


@pytest.mark.usefixtures("log_channel")
async def test_a_case_is_decided_by_one_press_and_next_leads_on(beat: Beat) -> None:
    assert "Nothing is waiting for review" in text_of(await queue(beat))
    await hold_back(beat, 2)
    shown = await queue(beat)
    assert "1 of 2 waiting for review" in text_of(shown)
    first = text_of(shown).partition("Toadstool number ")[2][:1]
    assert {"Remove comment…", "Show", "Next"} <= buttons_of(shown).keys()

    second = text_of(await beat.press(shown, "Next", beat.world.moderator))
    assert "2 of 2 waiting for review" in second

    shown = await beat.press(shown, "Previous", beat.world.moderator)
    number = re.findall(r"· #(\d+)", text_of(shown))[0]
    moved = await beat.press(shown, "Show", beat.world.moderator)
    assert f"**#{number}** is now shown." in text_of(moved)
    assert "1 of 1 waiting for review" in text_of(moved)
    assert text_of(moved).partition("Toadstool number ")[2][:1] != first
    assert "Next" not in buttons_of(moved)
    setup = text_of(await beat.world.slash("setup show", beat.world.moderator))
    assert "**Queue** · 1 waiting for review" in setup
    helped = await beat.world.slash("help", beat.world.moderator)
    assert "**Queue** · 1 waiting for review" in text_of(helped)
    assert "Toadstool" in text_of(await beat.press(helped, "Queue", beat.world.moderator))


@pytest.mark.usefixtures("log_channel")
async def test_all_that_waits_of_one_player_is_closed_by_one_press(beat: Beat) -> None:
    await beat.world.known(beat.world.member)
    await hold_back(beat, 9)
    shown = await queue(beat)
    closed = await beat.press(shown, "Mute and close all 9", beat.world.moderator)
    assert "Nothing is waiting for review" in text_of(closed)
    assert "**Juniper** is muted. All entries about this player" in text_of(closed)
    assert "in the queue are closed." in text_of(closed)
    assert "Toadstool" not in await beat.read_here()
    assert "Juniper" in await beat.log()


async def test_only_moderators_see_it(beat: Beat) -> None:
    world = beat.world
    card = answer_of(await world.slash("help"))
    forged = await press_again(world.member, world.channel, card, ShowQueue().custom_id())
    assert "Only moderators can do this" in text_of(forged)


@pytest.mark.usefixtures("log_channel")
async def test_it_speaks_german(beat: Beat) -> None:
    await hold_back(beat, 2)
    speak_language(beat.world.env, "de")
    shown = await queue(beat)
    assert "1 von 2, die auf Prüfung warten" in text_of(shown)
    assert "Stummschalten und alle 2 erledigen" in buttons_of(shown)


@pytest.mark.usefixtures("log_channel")
async def test_next_passes_over_what_was_left_though_one_was_decided(beat: Beat) -> None:
    for text in ("First words", "Second words", "Third words"):
        _, message = await beat.share(text)
        await beat.report(beat.world.friend, message, "Rude")
    shown = await queue(beat)
    assert "> First words" in text_of(shown)
    shown = await beat.press(shown, "Next", beat.world.moderator)
    assert "> Second words" in text_of(shown)
    shown = await beat.press(shown, "Dismiss", beat.world.moderator)
    assert "> Third words" in text_of(shown)
    assert "2 of 2 waiting for review" in text_of(shown)
    assert not can_press(shown, "Next")
    shown = await beat.press(shown, "Dismiss", beat.world.moderator)
    assert "> First words" in text_of(shown)


@pytest.mark.usefixtures("log_channel")
async def test_a_removal_and_a_mute_in_the_queue_lead_on(beat: Beat) -> None:
    await beat.world.known(beat.world.member)
    moderator = beat.world.moderator
    for text in ("First words", "Second words", "Third words"):
        comment_id, message = await beat.share(text)
        await beat.report(beat.world.friend, message, "Rude")
    card = answer_of(await beat.press(await queue(beat), "Next", moderator))
    assert "> Second words" in text_of(card)

    form = await beat.press(card, "Remove comment…", moderator)
    moved = await fill_in(moderator, form, reason="Insults")

    assert answer_of(moved).id == card.id
    assert text_of(moved).startswith(f"**Removed: comment #{comment_id - 1} by Juniper**\n")
    assert "public message isn't deleted yet" in text_of(moved)
    assert "> Third words" in text_of(moved)
    assert "2 of 2 waiting for review" in text_of(moved)
    restored = await beat.press(moved, "Restore", moderator)
    assert f"Comment #{comment_id - 1} restored" in text_of(restored)

    form = await beat.press(moved, "Mute Juniper…", moderator)
    bad = await fill_in(moderator, form, until="sometime")
    form = await beat.press(bad, "Try again", moderator)
    asked = await fill_in(moderator, form, until="7d")
    assert "> Third words" in text_of(await beat.press(asked, "Back", moderator))
    asked = await fill_in(moderator, await beat.press(card, "Mute Juniper…", moderator), until="7d")
    moved = await beat.press(asked, "Mute from now on", moderator)

    assert answer_of(moved).id == card.id
    assert "**Juniper is muted here**\nThe mute ends <t:" in text_of(moved)
    assert "Nothing is waiting for review" in text_of(moved)
    unmuted = await beat.press(moved, "Unmute", moderator)
    assert "Juniper is no longer muted here" in text_of(unmuted)


async def report_some(beat: Beat, count: int, *, by: int = 900, players: int = 1) -> list[int]:
    """Let a member report comments of some players; return the comments."""
    first = 5000 + by
    for number in range(first, first + count):
        player = number % players
        subject = Subject(number, 3, 700 + player, f"Sprig {player}", f"Words {number}")
        reports = beat.world.bot.features.moderation.reports
        assert await reports.add(beat.world.guild.id, subject, by, "Rude", "en-GB")
    return list(range(first, first + count))


@pytest.mark.usefixtures("log_channel")
async def test_twenty_reports_of_mixed_players_are_decided_in_twenty_presses(beat: Beat) -> None:
    comments = await report_some(beat, 20, players=7)
    shown = await queue(beat)
    for number, comment_id in enumerate(comments, 1):
        assert f"> Words {comment_id}" in text_of(shown)
        shown = await beat.press(shown, "Dismiss", beat.world.moderator)
        assert f"Reports about **#{comment_id}** dismissed." in text_of(shown)
        assert number == len(comments) or "1 of " in text_of(shown)
    assert "Nothing is waiting for review" in text_of(shown)


@pytest.mark.usefixtures("log_channel")
async def test_the_queue_is_filtered_by_kind_and_by_player(beat: Beat) -> None:
    moderator = beat.world.moderator
    await report_some(beat, 5, players=2)
    await hold_back(beat, 1)
    shown = await queue(beat)
    assert "1 of 6 waiting for review" in text_of(shown)

    shown = await beat.press(shown, "Only Sprig 0 (3)", moderator)
    assert "1 of 3 waiting for review" in text_of(shown)
    shown = await beat.press(shown, "Dismiss", moderator)
    assert "1 of 2 waiting for review" in text_of(shown)
    assert "**Sprig 0**" in text_of(shown)
    shown = await beat.press(shown, "All players", moderator)
    assert "of 5 waiting for review" in text_of(shown)

    shown = await choose(beat, shown, "Held back (1)")
    assert "1 of 1 waiting for review" in text_of(shown)
    assert "> Toadstool" in text_of(shown)
    shown = await beat.press(shown, "Show", moderator)
    assert "Nothing else matches this filter" in text_of(shown)
    shown = await beat.press(shown, "All (4)", moderator)
    assert "1 of 4 waiting for review" in text_of(shown)


@pytest.mark.usefixtures("log_channel")
async def test_a_removal_and_a_mute_lead_on_within_the_filter(beat: Beat) -> None:
    moderator = beat.world.moderator
    await report_some(beat, 5, players=2)
    await hold_back(beat, 1)
    shown = await choose(beat, await queue(beat), "Reports (5)")
    shown = await beat.press(shown, "Only Sprig 0 (3)", moderator)

    form = await beat.press(shown, "Remove comment…", moderator)
    shown = await fill_in(moderator, form, reason="Insults")
    assert "by Sprig 0**" in text_of(shown)
    assert "1 of 2 waiting for review" in text_of(shown)
    form = await beat.press(shown, "Mute Sprig 0…", moderator)
    shown = await fill_in(moderator, form)

    assert "**Sprig 0 is muted here**" in text_of(shown)
    assert "Nothing else matches this filter" in text_of(shown)
    assert "1 of 3 waiting for review" in text_of(await beat.press(shown, "All (3)", moderator))


async def choose(beat: Beat, shown: Any, label: str) -> Any:
    (listed,) = selects_of(shown)
    (value,) = (entry["value"] for entry in listed["options"] if entry["label"] == label)
    moderator = beat.world.moderator
    return await moderator.select(answer_of(shown), [value], custom_id=listed["custom_id"])


@pytest.mark.usefixtures("log_channel")
async def test_two_moderators_who_decide_at_once_are_both_led_on(beat: Beat) -> None:
    first, _ = await report_some(beat, 2)
    shown = await queue(beat)
    other = await second_moderator(beat)
    theirs = await beat.world.slash("moderate queue", other)

    await beat.press(shown, "Dismiss", beat.world.moderator)
    led_on = text_of(await beat.press(theirs, "Dismiss", other))

    assert f"**#{first}** was already decided." in led_on
    assert "1 of 1 waiting for review" in led_on


@pytest.mark.usefixtures("log_channel")
async def test_what_was_shown_and_is_reported_is_dismissed(beat: Beat) -> None:
    await hold_back(beat, 1)
    await beat.press(await queue(beat), "Show", beat.world.moderator)
    await beat.press(await beat.open_first(beat.world.member), "Share")
    await beat.report(beat.world.friend, beat.world.channel.last_message, "Rude")

    shown = await queue(beat)
    assert "A member reported a comment" in text_of(shown)
    await beat.press(shown, "Dismiss", beat.world.moderator)
    assert "Nothing is waiting for review" in text_of(await queue(beat))


async def test_setup_says_once_what_waits_for_a_lost_log(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    for text in ("First words", "Second words"):
        comment_id, message = await beat.share(text)
        await beat.report(world.friend, message, "Rude")
    await beat.remove(comment_id)
    await beat.moderate("restore", removed=str(comment_id))
    everyone, nothing = world.guild.default_role.id, str(Permissions(send_messages=True).value)
    await world.bot.http.edit_channel_permissions(log_channel.id, everyone, "0", nothing, 0)

    shown = text_of(await world.slash("setup show", world.moderator))

    assert "Reports can't be posted" in shown
    assert shown.count("waiting for review") == 1
    assert "**Queue** · 1 waiting for review" in shown
    assert "1 of 1 waiting for review" in text_of(await queue(beat))


@pytest.mark.usefixtures("log_channel")
async def test_a_restored_comment_waits_once_it_is_reported_anew(beat: Beat) -> None:
    comment_id, message = await beat.share()
    await beat.report(beat.world.friend, message, "Rude")
    await beat.remove(comment_id)
    await beat.moderate("restore", removed=str(comment_id))
    assert "Nothing is waiting for review" in text_of(await queue(beat))

    await beat.press(await beat.open_first(beat.world.member), "Share")
    await beat.report(beat.world.moderator, beat.world.channel.last_message, "Rude")
    assert "1 of 1 waiting for review" in text_of(await queue(beat))


async def test_the_writer_of_what_is_removed_is_muted_too_and_never_for_less(beat: Beat) -> None:
    await beat.world.known(beat.world.member)
    moderator = beat.world.moderator
    _, first = await beat.share("Very unkind words")
    _, second = await beat.share("More of it")
    form = await beat.menu(first)
    bad = await fill_in(moderator, form, reason="Insults", mute="sometime")
    assert "“sometime”" in text_of(bad)
    form = await beat.press(bad, "Try again", moderator)
    removed = text_of(await fill_in(moderator, form, reason="Insults", mute="7d"))
    assert "**Juniper** is muted until <t:" in removed
    assert "Juniper" not in await beat.read_here()

    form = await beat.menu(second)
    again = text_of(await fill_in(moderator, form, reason="Insults", mute="1h"))
    assert again.rpartition("until ")[2] == removed.rpartition("until ")[2]


async def test_the_writer_of_what_is_held_back_is_muted_though_the_game_is_down(beat: Beat) -> None:
    await hold_back(beat, 1)
    moderator = beat.world.moderator
    # What the game said before is no longer at hand.
    await beat.world.restart()

    async with beat.proxy.closed():
        form = await beat.press(await queue(beat), "Remove comment…", moderator)
        removed = text_of(await fill_in(moderator, form, reason="Insults", mute="7d"))

    assert "**Juniper** is muted until <t:" in removed
