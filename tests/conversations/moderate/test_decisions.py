"""What follows from decisions: lines in the log, a rule that mutes, writers who are told why."""

import re
from typing import Any

import pytest
import simcord
from pydantic import SecretStr

from playground.simulation import speak_language
from tests.conversations.moderate.conftest import Beat, second_moderator, shown_in
from tests.support.cards import answer_of, buttons_of, components, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.forum import EMPTY, number_of
from tests.support.owed import try_again
from tests.support.world import SUBSCRIBER

# In microseconds.


async def switch(beat: Beat, name: str) -> str:
    """Turn one of the rules over; return the card of all."""
    card = answer_of(await beat.world.slash("moderate rules", beat.world.moderator))
    ids = (str(part.get("custom_id")) for part in components(card))
    turn = next(custom_id for custom_id in ids if f"rule:{name}:" in custom_id)
    pressed = await beat.world.moderator.click(card, custom_id=turn)
    return text_of(pressed)


async def ask_to_hear(beat: Beat) -> str:
    return text_of(await beat.press(await beat.world.slash("account show"), "Turn on"))


def told(beat: Beat) -> list[Any]:
    member: Any = beat.world.member
    return list(member.user.dm_channel.history()) if member.user.dm_channel else []


async def hold_back(beat: Beat, *texts: str) -> None:
    for text in texts:
        await beat.post(text)
    await beat.read(EMPTY, beat.world.friend)
    await beat.world.bot.tasks.until_finished()
    await beat.settled()


async def test_the_log_has_a_line_for_what_is_no_removal(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, shared = await beat.share("Rude words")
    await beat.report(world.friend, shared, "Rude")
    await beat.press(log_channel.last_message, "Dismiss", world.moderator)
    await world.watch_words("toadstool", "*fool")
    await hold_back(beat, "A toadstool")
    await beat.press(log_channel.last_message, "Show", world.moderator)
    await beat.mute(player="Juniper", until="7d")
    second = await second_moderator(beat)
    await world.slash("moderate mute", second, player="Juniper", until="2d")
    await beat.moderate("mute", player="Juniper")
    await world.manage("Moderation", kept_days="30", needs_reason=True)

    log = await beat.log()

    by = f"<@{world.moderator.id}>"
    said = [
        f"{by} changed settings <t:#:R>:\n> **Require a reason** · yes",
        "> **Days to keep removed texts** · 30",
        f"{by} changed the mute of Juniper <t:#:R>. It's permanent.",
        f"<@{second.id}> changed the mute of Juniper <t:#:R>. It ends <t:#:f>.",
        f"{by} chose to show comment #131 by Juniper <t:#:R>.",
        f"{by} changed the watched words <t:#:R>:\n> \\+ toadstool\n> \\+ \\*fool",
    ]
    shown = re.sub(r"<t:\d+:", "<t:#:", log)
    assert [line for line in said if line not in shown] == []
    assert shown.index(said[0]) < shown.index("### Juniper is muted here") < shown.index(said[4])
    assert f"{by} dismissed the reports about comment #" in shown
    assert "**Log channel** · <#" in shown
    only = await beat.log(moderator=second.user)
    assert "It ends <t:" in only
    assert "watched words" not in only
    assert "watched words" not in await beat.log(writer="Juniper")


async def test_ten_lines_fill_a_page_and_a_removal_takes_two(beat: Beat) -> None:
    for number in range(4):
        await beat.world.watch_words(f"word{number}")
        await beat.remove((await beat.share(f"Unkind words {number}"))[0])
    first = await beat.world.slash("moderate log", beat.world.moderator)
    assert counted(first) == (3, 3)
    assert "word0" not in text_of(first)
    older = await beat.press(first, "Older", beat.world.moderator)
    assert counted(older) == (1, 1)
    assert "word0" in text_of(older)
    assert list(buttons_of(older)) == ["Newest"]
    assert counted(await beat.press(older, "Newest", beat.world.moderator)) == (3, 3)


async def only(beat: Beat, log: Any, label: str) -> Any:
    """Choose which entries of the log are shown."""
    (listed,) = selects_of(answer_of(log))
    wanted = next(each["value"] for each in listed["options"] if each["label"] == label)
    return await beat.world.moderator.select(answer_of(log), [wanted])


@pytest.mark.usefixtures("on_both_engines")
async def test_the_log_shows_one_kind_alone_on_each_page(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    for number in range(11):
        await beat.world.watch_words(f"word{number}")
        if number % 4 == 0:
            await beat.remove((await beat.share(f"Unkind words {number}"))[0])
    _, shared = await beat.share("Rude words")
    await beat.report(beat.world.friend, shared, "Rude")
    await beat.press(log_channel.last_message, "Dismiss", beat.world.moderator)
    log = await beat.world.slash("moderate log", beat.world.moderator)

    settings = await only(beat, log, "Settings")
    assert counted(settings) == (0, 10)
    (listed,) = selects_of(answer_of(settings))
    assert [each["label"] for each in listed["options"] if each.get("default")] == ["Settings"]
    older = await beat.press(settings, "Older", beat.world.moderator)
    assert counted(older) == (0, 1)
    assert "**Log channel** · " in text_of(older)
    assert counted(await beat.press(older, "Newest", beat.world.moderator)) == (0, 10)
    assert counted(await only(beat, log, "Removals and mutes")) == (3, 0)
    decisions = text_of(await only(beat, log, "Decisions"))
    assert decisions.count("dismissed the reports") == 1
    assert "changed" not in decisions
    assert "dismissed the reports" in text_of(await only(beat, log, "Everything"))


async def test_a_kind_that_the_log_lacks_leads_back(beat: Beat) -> None:
    await beat.world.watch_words("toadstool")
    log = await beat.world.slash("moderate log", beat.world.moderator)
    assert "No entries found." in text_of(await only(beat, log, "Decisions"))
    assert counted(await only(beat, log, "Everything")) == (0, 1)


def counted(shown: Any) -> tuple[int, int]:
    """Give how many removals and how many other lines a page of the log has."""
    return text_of(shown).count("### Removed: "), text_of(shown).count("changed the watched words")


async def test_a_rule_mutes_for_a_day_after_three_held_back_and_is_undone_for_good(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.world.watch_words("toadstool")
    await hold_back(beat, "Toadstool 1", "Toadstool 2")
    assert "after three held-back comments** · on" in await switch(beat, "mutes_repeated")
    await hold_back(beat, "Toadstool 3")

    told = log_channel.last_message
    assert "### Juniper is muted here" in text_of(told)
    assert "A rule of this server · <t:" in text_of(told)
    assert "3 comments held back within an hour" in text_of(told)
    assert "The mute ends <t:" in text_of(told)
    assert "Nothing is waiting for review" in await beat.moderate("queue")
    cards = shown_in(log_channel)
    assert sum("Muted by a rule of this server <t:" in card for card in cards) == 3

    await beat.press(told, "Unmute", beat.world.moderator)
    await hold_back(beat, "Toadstool 4", "Toadstool 5")
    assert "### Juniper was muted here" in "\n".join(shown_in(log_channel))
    await hold_back(beat, "Toadstool 6")
    assert "### Juniper is muted here" in "\n".join(shown_in(log_channel))
    assert "A rule of this server" in await beat.log()
    await beat.moderate("mute", player="Juniper", reason="Spam")
    log = await beat.log()
    assert log.count("A rule of this server") == 1
    assert f"<@{beat.world.moderator.id}> · <t:" in log


@pytest.mark.parametrize(
    ("is_on", "age", "is_muted"), [(True, 0, True), (False, 0, False), (True, 2 * 3600, False)]
)
async def test_only_where_it_is_switched_on_and_only_for_what_is_new(
    beat: Beat, *, is_on: bool, age: int, is_muted: bool
) -> None:
    if is_on:
        await switch(beat, "mutes_repeated")
    await beat.world.watch_words("toadstool")
    for number in range(3):
        await beat.world.in_the_app(SUBSCRIBER, f"Toadstool {number}")
    await beat.world.pass_time(age)
    await hold_back(beat)
    left = "Nothing is waiting" if is_muted else "1 of 3 waiting for review"
    assert left in await beat.moderate("queue")


async def test_a_writer_who_asked_is_told_why_once_and_by_nobodys_name(beat: Beat) -> None:
    assert "removed** · on" in await switch(beat, "tells_writers")
    assert "my comments** · on" in await ask_to_hear(beat)
    first, _ = await beat.share("Unkind words")
    form = await beat.menu(beat.world.channel.last_message)
    assert "The author gets it too, if they turned that on" in str(form.modal)
    await beat.remove(first, "Insults")
    await beat.remove(first, "Insults again")
    await beat.settled()

    (message,) = told(beat)
    said = text_of(message)
    assert f"removed your comment #{first} from their server" in said
    assert f"Moderators of **{beat.world.guild.name}**" in said
    assert "> Unkind words" in said
    assert "Their reason: Insults" in said
    assert str(beat.world.moderator.id) not in said
    assert "Unkind words" in text_of(await beat.world.member.user.click(message, label="Open"))
    off = await beat.world.member.user.click(message, label="Stop these DMs")
    assert "my comments** · off" in text_of(off)
    await beat.remove((await beat.share("More of it"))[0])
    await beat.settled()
    assert len(told(beat)) == 1


@pytest.mark.usefixtures("on_both_engines")
async def test_one_message_changes_with_the_decision(beat: Beat) -> None:
    await switch(beat, "tells_writers")
    await ask_to_hear(beat)
    number, _ = await beat.share("Unkind words")
    for reason in ("Insults", "More insults"):
        await beat.remove(number, reason)
        await beat.settled()
        (message,) = told(beat)
        assert "### Your comment was removed" in text_of(message)
        assert f"Their reason: {reason}" in text_of(message)

        await beat.moderate("restore", removed=str(number))
        await beat.settled()
        (message,) = told(beat)
        assert "### Your comment was restored" in text_of(message)
        assert f"removed your comment #{number}, then restored it" in text_of(message)
        assert reason not in text_of(message)
        assert list(buttons_of(message)) == ["Open", "Stop these DMs"]


async def test_five_comments_a_day_are_told_of_and_these_are_still_changed(beat: Beat) -> None:
    await switch(beat, "tells_writers")
    await ask_to_hear(beat)
    numbers = [(await beat.share(f"Unkind words {count}"))[0] for count in range(7)]
    for number in numbers:
        await beat.remove(number, "Insults")
    await beat.settled()
    assert len(told(beat)) == 5

    for number in (numbers[0], numbers[6]):
        await beat.moderate("restore", removed=str(number))
    await beat.remove(numbers[0], "Insults again")
    await beat.settled()
    assert len(told(beat)) == 5
    assert sum("Insults again" in text_of(message) for message in told(beat)) == 1

    await beat.world.pass_time(24 * 3600)
    await beat.remove(numbers[6], "A day later")
    await beat.settled()
    assert len(told(beat)) == 6


async def test_what_is_written_in_the_game_is_told_once_kiosk_knows_the_player(beat: Beat) -> None:
    await switch(beat, "tells_writers")
    unknown = "Kiosk doesn't know yet which player you are"
    assert unknown in await ask_to_hear(beat)
    await beat.post("Hello")
    assert unknown not in text_of(await beat.world.slash("account show"))
    number = await beat.world.in_the_app(SUBSCRIBER, "From the game")

    moderator = beat.world.moderator
    await beat.press(await beat.read(EMPTY, moderator), "Refresh", moderator)
    await beat.remove(number, "Insults")
    await beat.settled()

    (message,) = told(beat)
    assert "> From the game" in text_of(message)
    assert f"comment #{number}" in text_of(message)


@pytest.mark.parametrize(("server_wants", "member_wants"), [(True, False), (False, True)])
async def test_nobody_is_told_why_unless_both_want_it(
    beat: Beat, *, server_wants: bool, member_wants: bool
) -> None:
    if server_wants:
        await switch(beat, "tells_writers")
    if member_wants:
        await ask_to_hear(beat)
    await beat.remove((await beat.share())[0])
    await beat.settled()
    assert told(beat) == []


async def test_what_is_restored_before_it_was_told_is_not_told(beat: Beat) -> None:
    await switch(beat, "tells_writers")
    await ask_to_hear(beat)
    number, _ = await beat.share()
    beat.world.env.inject_error("POST", "/users/@me/channels", status=503, times=None)
    await beat.remove(number)
    await beat.settled()
    await beat.moderate("restore", removed=str(number))
    beat.world.env.backend.faults.clear()
    await try_again(beat.world)
    assert told(beat) == []


async def test_it_is_all_said_in_german(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    await switch(beat, "mutes_repeated")
    await switch(beat, "tells_writers")
    await ask_to_hear(beat)
    await beat.world.manage("Language", locale=["de"])
    speak_language(beat.world.env, "de")
    rules = await beat.world.slash("moderate rules", beat.world.moderator)
    form = await beat.press(rules, "Wörter ändern", beat.world.moderator)
    await fill_in(beat.world.moderator, form, words="fliegenpilz")
    await beat.world.bot.features.accounts.links.save(
        beat.world.member.id, SecretStr(SUBSCRIBER), "de"
    )
    await beat.remove(number_of(await beat.post("Gemeine Worte")), "Beleidigung")
    await beat.settled()
    await hold_back(beat, "Fliegenpilz 1", "Fliegenpilz 2", "Fliegenpilz 3")
    card = text_of(log_channel.last_message)
    assert "Eine Regel dieses Servers · <t:" in card
    assert "3 Kommentare innerhalb einer Stunde zurückgehalten" in card
    log = await beat.log()
    assert "die überwachten Wörter geändert:\n> \\+ fliegenpilz" in log
    assert ":R> Einstellungen geändert:\n> " in log
    assert "### Dein Kommentar wurde entfernt" in text_of(told(beat)[0])
