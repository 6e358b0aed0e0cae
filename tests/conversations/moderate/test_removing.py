"""A moderator removes a comment from the server's chat, whatever others do at that time."""

import asyncio
from typing import Any

import pytest

from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from storage.moderation import Subject
from storage.removals import Removal
from tests.conversations.moderate.conftest import Beat, second_moderator
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.faulty_proxy import Passing, is_read
from tests.support.forms import fill_in
from tests.support.forum import EMPTY, SMALL, can_press, number_of, numbers_of
from tests.support.languages import english_shown
from tests.support.world import SUBSCRIBER, VISITOR


async def test_a_comment_is_removed_from_a_messages_menu_with_a_reason(beat: Beat) -> None:
    _, message = await beat.share()

    form = await beat.menu(message)
    removed = await beat.world.moderator.submit_modal(form, {"reason": "Insults"})
    await beat.settled()

    assert answer_of(removed).ephemeral
    assert "Removed: comment #" in text_of(removed)
    assert beat.world.channel.last_message is None
    assert "Unkind words" not in await beat.read_here()
    log = await beat.log()
    assert "Insults" in log
    assert "> Unkind words" in log


async def test_a_thread_whose_only_comment_is_removed_says_so(beat: Beat) -> None:
    await beat.remove(number_of(await beat.post("Unkind words")))

    shown = await beat.read_here()

    assert "1 hidden comment skipped" in shown
    assert "Unkind words" not in shown


async def write_noise(beat: Beat, count: int) -> None:
    """Let a player write so much, and be muted."""
    for _ in range(count):
        await beat.world.in_the_app(SUBSCRIBER, "Noise", thread=SMALL)
    query = "SELECT player_id FROM comments ORDER BY id DESC LIMIT 1"
    (writer,) = await beat.game.database.fetch(query)
    await beat.moderate("mute", player=str(writer["player_id"]))


async def test_pages_of_a_muted_player_are_passed_over(beat: Beat) -> None:
    await write_noise(beat, 30)

    card = await beat.read(SMALL, beat.world.friend)
    assert "30 hidden comments skipped" in text_of(card)
    assert "Noise" not in text_of(card)
    assert numbers_of(card)
    assert "31 to 33" in text_of(card)

    await beat.press(card, "Previous", beat.world.friend)
    assert "30 hidden comments skipped" in text_of(card)
    assert not can_press(card, "Previous")
    await beat.press(card, "Next", beat.world.friend)
    assert "15 hidden comments skipped" in text_of(card)
    assert "31 to 33" in text_of(card)


async def test_after_five_pages_of_a_muted_player_next_goes_on(beat: Beat) -> None:
    await write_noise(beat, 90)

    card = await beat.read(SMALL, beat.world.friend)
    assert "75 hidden comments skipped" in text_of(card)
    assert not numbers_of(card)
    await beat.press(card, "Next", beat.world.friend)

    assert "15 hidden comments skipped" in text_of(card)
    assert "91 to 93" in text_of(card)
    assert numbers_of(card)


async def test_a_page_that_shows_the_comment_goes_whole(beat: Beat) -> None:
    await beat.post("Kind words")
    comment_id, _ = await beat.share()
    await beat.read(EMPTY, public=True)

    await beat.remove(comment_id)
    await beat.settled()

    assert not beat.world.channel.history()
    assert "2 messages deleted." in await beat.log()


async def test_a_removal_is_undone_once_and_says_what_stays(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    removed = await beat.remove(comment_id)
    await beat.settled()

    undone = await beat.press(removed, "Restore", beat.world.moderator)
    again = await beat.press(removed, "Restore", beat.world.moderator)

    assert f"Comment #{comment_id} restored" in text_of(undone)
    assert "1 deleted message doesn't come back" in text_of(undone)
    assert "isn't removed or muted here" in text_of(again)
    assert "Unkind words" in await beat.read_here()
    assert "Undone by" in await beat.log()


async def test_a_moderator_who_lost_the_role_can_not_send_the_form(beat: Beat) -> None:
    _, message = await beat.share()
    form = await beat.menu(message)
    backend = beat.world.env.backend
    backend.guilds[beat.world.guild.id].members[beat.world.moderator.id].role_ids.clear()

    refused = await beat.world.moderator.submit_modal(form, {"reason": "x"})

    assert "Only moderators can do this" in text_of(refused)
    assert "Unkind words" in await beat.read_here()


async def test_the_log_tells_of_a_message_whose_number_a_crash_lost(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    async with open_database(beat.world.settings.database_url, MIGRATIONS) as database:
        await database.execute(
            "UPDATE messages SET message_id = NULL, state = 'unknown' WHERE kind = 'shared'"
        )

    await beat.remove(comment_id)
    await beat.settled()

    lost = f"Kiosk lost track of a message in {beat.world.channel.mention}"
    assert f"0 of 1 message deleted.\n- {lost}" in await beat.log()


async def test_nothing_of_a_removed_comment_is_offered_to_its_writer_here(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    world = beat.world
    before = await world.member.autocomplete(world.channel, "forum edit", "comment", "")
    await beat.remove(comment_id)

    offered = await world.member.autocomplete(world.channel, "forum edit", "comment", "")
    asked = await world.slash("forum delete", comment=str(comment_id))

    assert "Unkind words" in str(before)
    assert "Unkind words" not in str(offered)
    assert "Unkind words" not in text_of(asked)


async def test_a_reason_that_can_not_be_written_down_comes_back_to_be_copied(beat: Beat) -> None:
    _, message = await beat.share()
    form = await beat.menu(message)
    typed = {"reason": "Rude to everybody"}
    async with open_database(beat.world.settings.database_url, MIGRATIONS) as database:
        await database.execute("ALTER TABLE removals RENAME TO elsewhere")

        lost = text_of(await beat.world.moderator.submit_modal(form, typed))

        await database.execute("ALTER TABLE elsewhere RENAME TO removals")
    assert "Kiosk can't use its database" in lost
    assert "Rude to everybody" in lost


def is_list(passing: Passing) -> bool:
    return passing.path.endswith("/comments") and is_read(passing)


async def remove_now(beat: Beat, comment_id: int) -> None:
    """Remove a comment while someone else's press is under way."""
    new = Removal(
        beat.world.guild.id, Subject(comment_id), beat.world.moderator.id, "Insults", "en-GB"
    )
    await beat.world.bot.features.moderation.remove(new)


async def test_replies_are_offered_with_their_author_and_text(beat: Beat) -> None:
    world = beat.world
    posted = await beat.post("Who is there?")
    form = await beat.press(posted, "Reply")
    await world.member.submit_modal(form, {"text": "Unkind words"})
    page = await beat.read(EMPTY, public=True)

    asked = await world.moderator.context_menu(world.channel, "Remove comment", answer_of(page))
    (listed,) = selects_of(asked)
    assert [each["label"] for each in listed["options"]] == [
        "Juniper: Unkind words",
        "Juniper: Who is there?",
    ]
    vain = await world.friend.context_menu(world.channel, "Report comment", answer_of(page))
    assert text_of(vain) == (
        "### Reports are off in this server\n"
        "This server has no channel for reports. Tell a moderator yourself."
    )


async def test_what_was_never_seen_is_said_to_be_so(beat: Beat) -> None:
    posted = await beat.post("Unkind words")
    never_seen = "⚠️ Kiosk hasn't seen this number before. Is it right?"

    assert never_seen in await beat.moderate("remove", comment="99999", reason="Spam")
    assert never_seen in await beat.moderate("mute", player="987654321")
    assert never_seen not in text_of(await beat.remove(number_of(posted)))
    assert never_seen not in await beat.moderate("mute", player="Juniper")


async def test_comments_of_the_servers_threads_are_offered_to_remove(beat: Beat) -> None:
    world = beat.world
    await world.name_demo_places()
    comment_id = number_of(await beat.post("Unkind words"))
    removed = number_of(await beat.post("Rude words"))
    await beat.read_here()
    await beat.remove(removed)

    offered = await world.moderator.autocomplete(
        world.channel, "moderate remove", "comment", "words"
    )

    assert [choice["value"] for choice in offered] == [str(comment_id)]


@pytest.mark.usefixtures("log_channel")
@pytest.mark.parametrize("command", ["Remove comment", "Report comment"])
async def test_a_form_shows_whose_comment_it_is_about(beat: Beat, command: str) -> None:
    _, message = await beat.share()
    await beat.world.manage("Moderation", needs_reason=True)

    form = await beat.menu(message, command)

    assert form.modal is not None
    shown = [part["content"] for part in form.modal["components"] if "content" in part]
    assert shown == ["**Juniper**\n> Unkind words"]
    hints = str(form.modal)
    assert ("A reason is required" in hints) == (command == "Remove comment")


async def test_of_two_moderators_with_the_form_open_one_removes(beat: Beat) -> None:
    _, message = await beat.share()
    other = await second_moderator(beat)
    first_form = await beat.menu(message)
    second_form = await other.context_menu(beat.world.channel, "Remove comment", message)

    first = await beat.world.moderator.submit_modal(first_form, {"reason": "Insults"})
    second = await other.submit_modal(second_form, {"reason": "Spam"})
    await beat.settled()

    log = await beat.log()
    assert "Removed: comment #" in text_of(first)
    assert f"<@{beat.world.moderator.id}> · <t:" in text_of(second)
    assert log.count("Removed: comment #") == 1
    assert "Spam" not in log
    assert beat.world.channel.last_message is None


async def test_a_comment_removed_while_it_is_edited_stays_removed(beat: Beat) -> None:
    world = beat.world
    posted = await beat.post("Unkind words")
    await beat.press(posted, "Share")
    form = await beat.press(posted, "Edit")

    await beat.remove(number_of(posted))
    edited = await world.member.submit_modal(form, {"text": "Unkinder words"})
    await beat.settled()

    assert await beat.texts_in() == ["Unkinder words"]
    assert "Comment edited" in text_of(edited)
    assert "Unkinder" not in text_of(edited)
    assert "nkind" not in await beat.read_here()
    assert world.channel.last_message is None


async def test_a_comment_that_is_removed_while_it_is_shared_is_not_posted(beat: Beat) -> None:
    posted = await beat.post("Unkind words")
    async with beat.proxy.leaving.closed(is_list) as gate:
        sharing = asyncio.create_task(beat.press(posted, "Share"))
        await gate.arrival()
        await remove_now(beat, number_of(posted))

    shared = await sharing

    assert "Unkind" not in text_of(shared)
    assert beat.world.channel.last_message is None


async def test_a_page_posted_during_a_removal_goes_without_it(beat: Beat) -> None:
    await beat.post("Kind words")
    posted = await beat.post("Unkind words")
    async with beat.proxy.leaving.closed(is_list) as gate:
        reading = asyncio.create_task(beat.read(EMPTY, public=True))
        await gate.arrival()
        await remove_now(beat, number_of(posted))

    await reading
    await beat.settled()

    shown = text_of(beat.world.channel.last_message)
    assert "Kind words" in shown
    assert "Unkind" not in shown


async def test_a_reply_to_a_comment_that_is_removed_meanwhile_does_not_quote_it(beat: Beat) -> None:
    world = beat.world
    await world.link(world.friend, VISITOR)
    posted = await beat.post("Unkind words")
    card = await beat.read(EMPTY, world.friend)
    form = await beat.reply_to(card, number_of(posted), world.friend)

    await beat.remove(number_of(posted))
    replied = await world.friend.submit_modal(form, {"text": "Be kind"})

    assert "Unkind" not in text_of(replied)


async def test_what_everybody_reads_is_in_the_servers_language(beat: Beat) -> None:
    world = beat.world
    await world.manage("Language", locale=["de"])
    await beat.post("Rude words")
    _, shared = await beat.share("Kind words")
    assert "Geteilt von member" in text_of(shared)
    await world.watch_words("rude")
    item = await world.slash("shop item", item="1", catalog="1")
    assert "Shared by" not in text_of(await beat.press(item, "Share"))
    assert "Geteilt von member" in text_of(world.channel.last_message)

    await beat.read(EMPTY, public=True)

    shown = text_of(world.channel.last_message)
    assert "1 bis 2 · neueste zuerst" in shown
    assert "Verborgen, bis die Moderation entscheidet." in shown


async def test_a_mute_asks_before_it_deletes_what_was_posted(beat: Beat) -> None:
    moderator = beat.world.moderator
    await beat.share("Unkind words")
    await beat.share("Unkinder words")

    asked = await beat.world.slash("moderate mute", moderator, player="Juniper", reason="Insults")
    assert "### Mute Juniper?\n2 messages show this player's comments." in text_of(asked)
    assert "Unkind" in await beat.read_here()
    await beat.press(asked, "Mute from now on", moderator)
    await beat.settled()

    assert "2 earlier public messages stay." in text_of(asked)
    assert "This server no longer shows" not in text_of(asked)
    assert len(beat.world.channel.history()) == 2
    assert "Unkind" not in await beat.read_here()

    again = await beat.world.slash("moderate mute", moderator, player="Juniper")
    await beat.press(again, "Mute, delete 2 messages", moderator)
    await beat.settled()

    assert not beat.world.channel.history()
    log = await beat.log()
    assert "2 messages deleted." in log
    assert "Insults" in log


async def test_a_mute_that_was_asked_about_before_a_restart_is_filled_in_anew(beat: Beat) -> None:
    world = beat.world
    await beat.share("Unkind words")
    asked = await world.slash("moderate mute", world.moderator, player="Juniper")

    await world.restart()
    form = await beat.press(asked, "Mute from now on", world.moderator)

    assert form.modal is not None
    assert form.modal["title"].startswith("Mute ")


async def test_all_of_moderating_is_said_in_german(beat: Beat) -> None:
    world, moderator = beat.world, beat.world.moderator
    speak_language(world.env, "de")
    log = world.guild.create_text_channel("log")

    async def use(name: str, **options: Any) -> str:
        return text_of(await world.slash(name, moderator, **options))

    card = await world.press_through("setup show", actor=moderator)
    form = await moderator.click(card, label="Moderation")
    await fill_in(moderator, form, log_channel_id=[log], reasons="Spam")
    assert f"**Protokollkanal** · {log.mention}" in text_of(card)
    posted = await beat.post("Gemeine Worte")
    await beat.press(posted, "Teilen")
    message = world.channel.last_message
    assert message is not None

    form = await world.friend.context_menu(world.channel, "Report comment", message)
    thanked = await world.friend.submit_modal(form, {"reason": "Gemein"})
    assert "### Meldung gesendet" in text_of(thanked)
    await beat.settled()
    reported = log.last_message
    assert "Ein Mitglied hat einen Kommentar gemeldet" in text_of(reported)
    form = await beat.press(reported, "Kommentar entfernen…", moderator)
    assert form.modal is not None
    removed = await moderator.submit_modal(form, {"reason": "Beleidigung"})
    assert "Dieser Server zeigt den Kommentar nicht mehr." not in text_of(removed)
    await beat.settled()
    assert "· Beleidigung" in await use("moderate log")
    await beat.press(log.last_message, "Wiederherstellen", moderator)

    card = await world.press_through("moderate rules", actor=moderator)
    form = await moderator.click(card, label="Wörter ändern")
    await moderator.submit_modal(form, {"words": "gemeine"})
    assert "**1 Wort hinzugefügt.**" in text_of(card)
    assert "Verborgen, bis die Moderation entscheidet." in text_of(
        await beat.read(EMPTY, world.friend)
    )
    await beat.settled()
    assert "### Zurückgehalten: überwachtes Wort" in text_of(log.last_message)
    await beat.press(log.last_message, "Freigeben", moderator)
    form = await moderator.click(card, label="Text testen")
    await moderator.submit_modal(form, {"text": "Gemeine Sache"})
    assert "würde zurückgehalten\n> Gemeine Sache\nEr enthält **gemeine**." in text_of(card)
    await moderator.click(card, label="Zurück")
    assert "Überwachte Wörter" in text_of(card)

    await beat.press(await beat.post("Gute Nacht"), "Teilen")
    asked = await world.slash("moderate mute", moderator, player="Juniper", until="7d")
    await beat.press(asked, "Auch 1 Nachricht löschen", moderator)
    assert "ist hier stummgeschaltet" in text_of(asked)
    await beat.settled()
    refused = await beat.press(log.last_message, "Stummschaltung beenden")
    assert "Das kann nur die Moderation" in text_of(refused)
    assert "nicht mehr stummgeschaltet" in await use("moderate unmute", player="Juniper")
    await beat.settled()

    assert not english_shown(world.env, "de")
