"""Text is saved before its form closes, and its writer is notified of what happened to it."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import simcord

from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from storage.vault import Vault, new_key
from storage.writes import MAX_TEXTS
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.clock import ManualClock
from tests.support.commits import until_none
from tests.support.databases import everything_in
from tests.support.faulty_proxy import Fault, is_write
from tests.support.forms import fill_in, presets
from tests.support.forum import BIG, EMPTY, ForumTown, can_press, number_of
from tests.support.full_disk import fill_up, make_room
from tests.support.gates import Happenings
from tests.support.owed import A_LOOK
from tests.support.presses import press_again, submit_forged
from tests.support.world import SUBSCRIBER

# As good as a full disk, on either engine.
TAKE_AWAY = "ALTER TABLE {} RENAME TO away"
WAITS = "Your text is saved here for 24 hours"
CANNOT_MESSAGE = 50007


def messages_of(result: simcord.InteractionResult) -> list[Any]:
    """Give every message that answers an interaction, the first first."""
    response = [] if result.response is None else [result.response]
    return [*response, *(followup for followup in result.followups if followup not in response)]


async def test_a_text_that_can_not_be_kept_can_be_copied(linked: ForumTown) -> None:
    await linked.change(TAKE_AWAY.format("writes"))
    words = " ".join(f"word{number}" for number in range(450))

    opened = await linked.world.slash("forum post", thread=EMPTY)
    card = await linked.world.member.submit_modal(opened, {"text": words})

    shown = "\n".join(text_of(message) for message in messages_of(card))
    assert "Your text wasn't saved" in shown
    assert [word for word in shown.split() if word.startswith("word")] == words.split()
    assert await linked.texts_in(EMPTY) == []
    await linked.change("ALTER TABLE away RENAME TO writes")
    again = await linked.press(messages_of(card)[0], "Try again")
    assert presets(linked.world.member, again) == {"text": words}
    posted = await fill_in(linked.world.member, again)
    assert "Comment posted" in text_of(posted)

    form = await linked.form_of(await linked.press(posted, "Edit"))
    await linked.change(TAKE_AWAY.format("writes"))
    refused = await linked.world.member.submit_modal(form, {"text": "Better words"})
    assert ">>> Better words" in text_of(refused)
    await linked.change("ALTER TABLE away RENAME TO writes")
    await fill_in(linked.world.member, await linked.press(refused, "Try again"))
    assert await linked.texts_in(EMPTY) == ["Better words"]


async def test_a_text_comes_back_without_its_thread(linked: ForumTown) -> None:
    words = " ".join(f"word{number}" for number in range(500))
    await linked.change(TAKE_AWAY.format("names"))

    told = await linked.world.slash("forum post", thread="Quiet corner", content=words)

    shown = "\n".join(text_of(message) for message in messages_of(told))
    assert "Kiosk can't use its database" in shown
    assert [word for word in shown.split() if word.startswith("word")] == words.split()
    assert "Quiet corner" not in shown


async def test_a_changed_text_that_can_not_be_kept_is_given_back_too(linked: ForumTown) -> None:
    await linked.expire_tokens()
    refused = await linked.post("First words")
    form = await linked.press(refused, "Edit")
    await linked.change(TAKE_AWAY.format("writes"))

    given = await linked.world.member.submit_modal(form, {"text": "Better words"})

    assert "Your text wasn't saved" in text_of(given)
    assert "Better words" in text_of(given)


async def test_the_game_s_yes_is_told_though_it_can_not_be_written_down(linked: ForumTown) -> None:
    await linked.world.known(linked.world.member)
    address = linked.world.settings.database_url
    await fill_up(address, where="NEW.state = 'done'")

    posted = await linked.post("Taken")

    assert "Comment posted" in text_of(messages_of(posted)[0])
    await make_room(address)
    await linked.world.pass_time(46)
    listed = messages_of(await linked.world.slash("forum unsent"))[0]
    assert "You have no unsent texts" in text_of(listed)
    assert await linked.texts_in(EMPTY) == ["Taken"]


DOUBT = "UPDATE writes SET state = 'unknown', reason = 'given_up', holder = '', due_at = NULL"


@pytest.mark.usefixtures("on_both_engines")
async def test_what_was_told_as_posted_is_not_doubted_later(linked: ForumTown) -> None:
    address = linked.world.settings.database_url
    await fill_up(address, where="NEW.state = 'done'")
    posted = await linked.post("Taken")
    assert "Comment posted" in text_of(messages_of(posted)[0])

    # Another process, which can't say whose the comment is.
    await linked.change(DOUBT)
    await linked.world.pass_time(46)
    listed = messages_of(await linked.world.slash("forum unsent"))[0]
    assert "You have no unsent texts" in text_of(listed)

    await make_room(address)
    async with open_database(address, MIGRATIONS) as database:
        await until_none(database, "SELECT 1 FROM writes WHERE state <> 'done' OR holder <> ''")
    listed = messages_of(await linked.world.slash("forum unsent"))[0]
    assert "You have no unsent texts" in text_of(listed)
    member: Any = linked.world.member
    assert not member.user.dm_channel or not member.user.dm_channel.history()
    assert await linked.texts_in(EMPTY) == ["Taken"]


async def test_who_has_twenty_unsent_texts_is_told_what_to_do(town: ForumTown) -> None:
    for number in range(MAX_TEXTS):
        await town.post(f"Text {number}")

    refused = await town.post("One more")

    assert "You have too many unsent texts" in text_of(refused)
    assert "</forum unsent:" in text_of(refused)
    assert "One more" in text_of(refused)
    assert list(buttons_of(refused)) == ["Show unsent texts"]


async def test_a_form_for_one_text_too_many_can_be_tried_again(linked: ForumTown) -> None:
    form = await linked.world.slash("forum post", thread=EMPTY)
    await linked.expire_tokens()
    for number in range(MAX_TEXTS):
        await linked.post(f"Text {number}")
    refused = await linked.world.member.submit_modal(form, {"text": "One more"})
    assert ">>> One more" in text_of(refused)
    assert list(buttons_of(refused)) == ["Try again", "Show unsent texts"]


@pytest.mark.parametrize("command", ["help", "forum unsent", "shop browse", "forum read"])
async def test_a_notice_is_a_private_message_of_its_own(linked: ForumTown, command: str) -> None:
    linked.world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )
    await linked.cut_off("Half sent")
    await linked.world.pass_time(A_LOOK)
    options: dict[str, dict[str, object]] = {
        "shop browse": {"catalog": "404"},
        "forum read": {"thread": BIG, "public": True},
    }

    result = await linked.world.slash(command, **options.get(command, {}))

    told = [message for message in messages_of(result) if WAITS in text_of(message)]
    assert [message.ephemeral for message in told] == [True]
    assert len(text_of(told[0]).split("###")) == 2
    assert len(messages_of(result)) > 1
    assert WAITS not in text_of(await linked.world.slash("help"))


async def test_where_kiosk_does_not_know_its_writer_nobody_can_say_and_they_decide(
    linked: ForumTown,
) -> None:
    with linked.proxy.failing(Fault.LOST_ANSWER, is_write):
        lost = await linked.post("Hello *there*")
    assert "Kiosk doesn't know if this went through. Here is your text." in text_of(lost)
    assert "A comment in the thread has the same text." in text_of(lost)
    assert list(buttons_of(lost)) == ["Open", "Discard…"]
    await linked.press(lost, "Open")
    assert "Hello \\*there\\*" in text_of(lost)
    assert can_press(lost, "Reply")

    await linked.let_arrive()
    listed = await linked.world.slash("forum unsent")
    await linked.open_text(listed)
    await linked.press(listed, "Send again…")
    assert "If you send it again, it could appear twice." in text_of(listed)
    await linked.press(listed, "Send again")

    assert "Comment posted" in text_of(listed)
    assert await linked.texts_in(EMPTY) == ["Hello *there*"] * 2
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum unsent"))


async def test_a_text_that_1_0_0_kept_without_a_thread_can_be_copied(linked: ForumTown) -> None:
    await linked.cut_off("Where to?")
    await linked.change("UPDATE writes SET place_id = 0, reason = 'unknown_name', due_at = NULL")

    listed = await linked.world.slash("forum unsent")
    await linked.open_text(listed)

    assert ">>> Where to?\n-# Unknown thread" in text_of(listed)
    assert list(buttons_of(listed)) == ["Discard…"]


async def test_a_text_in_doubt_can_be_read_and_discarded_but_not_changed(town: ForumTown) -> None:
    form = await town.press(await town.post("First words"), "Edit")
    await town.world.link(town.world.member, SUBSCRIBER)
    with town.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await town.world.slash("forum unsent")
        await town.open_text(lost)
        old_edit = buttons_of(lost)["Edit"]["custom_id"]
        await town.press(lost, "Try again")

    assert "First words" in text_of(lost)
    assert not can_press(lost, "Edit")
    member, channel = town.world.member, town.world.channel
    pressed = await press_again(member, channel, answer_of(lost), old_edit)
    assert "You can't change this text now" in text_of(pressed)
    filled = await member.submit_modal(form, {"text": "Better words"})
    assert "You can't change this text now" in text_of(filled)
    assert "Better words" in text_of(filled)
    assert not can_press(filled, "Try again")
    assert "First words" in text_of(await town.press(filled, "Show unsent texts"))


async def test_a_deletion_that_was_cut_off_can_be_done_from_the_list(linked: ForumTown) -> None:
    posted = await linked.post("Regrettable")
    number = number_of(posted)
    await linked.press(posted, "Delete comment")
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.press(posted, "Delete comment")

    listed = await linked.world.slash("forum unsent")
    assert f"Deletion of comment #{number}" in text_of(listed)
    await linked.open_text(listed)
    assert "Was the comment deleted?" in text_of(listed)
    assert "Doing it twice is harmless." in text_of(listed)
    await linked.press(listed, "Delete comment")

    assert "Comment deleted" in text_of(listed)
    assert await linked.texts_in(EMPTY) == []


async def test_a_text_whose_key_is_gone_is_named(linked: ForumTown) -> None:
    await linked.cut_off("Sealed away")
    vault = Vault([type(linked.world.settings.kiosk_keys[0])(new_key())])
    async with open_database(linked.world.settings.database_url, MIGRATIONS) as database:
        (row,) = await database.fetch("SELECT id, member_id FROM writes")
        sealed = vault.seal("?", owner=row["member_id"], purpose=f"write {row['id']}")
        await database.execute("UPDATE writes SET sealed_body = :sealed", sealed=sealed)

    listed = messages_of(await linked.world.slash("forum unsent"))[0]
    assert "it no longer has the key that encrypted it" in text_of(listed)
    await linked.open_text(listed)
    assert "Kiosk can't read this text" in text_of(listed)
    assert list(buttons_of(listed)) == ["Discard…"]
    await linked.press(listed, "Discard…")
    assert "Discard this text?\n-# Comment for Quiet corner" in text_of(listed)
    await linked.press(listed, "Cancel")
    assert "Kiosk can't read this text" in text_of(listed)
    await linked.press(listed, "Discard…")
    await linked.press(listed, "Discard")

    assert "Text discarded" in text_of(listed)


async def test_a_text_that_can_not_be_read_is_not_sent_by_itself(linked: ForumTown) -> None:
    async with linked.proxy.closed():
        await linked.post("Sealed away")
    # Sealed for something else.
    token = "SELECT sealed_token FROM links ORDER BY member_id LIMIT 1"
    await linked.change(f"UPDATE writes SET sealed_body = ({token}) WHERE state = 'kept'")

    await linked.world.pass_time(61)

    assert linked.writes == 0
    assert await linked.texts_in(EMPTY) == []


async def test_an_old_card_does_not_discard_another_text(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Old")
        old = await linked.world.slash("forum unsent")
        await linked.open_text(old)
        await linked.press(lost, "Discard…")
        await linked.press(lost, "Discard")
        await linked.post("New")

    refused = await linked.press(old, "Discard…")

    assert "Kiosk no longer has this text" in text_of(refused)
    assert "New" in text_of(await linked.world.slash("forum unsent"))


@pytest.mark.parametrize(
    ("token", "is_expired"),
    [
        (SUBSCRIBER, False),
        (f"{SUBSCRIBER[:4]}\u200b{SUBSCRIBER[4:]}", False),
        (f"{SUBSCRIBER[:4]}\u00ad{SUBSCRIBER[4:9]}\u00a0{SUBSCRIBER[9:]}", False),
        (f"{SUBSCRIBER[:4]}\r\n{SUBSCRIBER[4:]}", False),
        (SUBSCRIBER, True),
    ],
)
async def test_a_text_that_holds_ones_own_token_is_neither_sent_nor_kept(
    linked: ForumTown, token: str, *, is_expired: bool
) -> None:
    if is_expired:
        await linked.expire_tokens()
        await linked.world.slash("shop browse", catalog="1")

    refused = await linked.post(f"Mine is {token}, and yours?")

    assert "Your text contains your access token" in text_of(refused)
    assert ">>> Mine is …, and yours?" in text_of(refused)
    assert await linked.texts_in(EMPTY) == []
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum unsent"))
    card = await linked.world.press_through("account show")
    (attached,) = answer_of(await linked.world.member.click(card, label="Export data")).attachments
    assert "and yours?" not in (await attached.read()).decode()


async def test_no_form_opens_again_with_ones_own_token_in_it(linked: ForumTown) -> None:
    form = await linked.press(await linked.read(EMPTY), "Write")

    refused = await linked.world.member.submit_modal(form, {"text": f"Mine is {SUBSCRIBER}"})

    assert "Your text contains your access token" in text_of(refused)
    assert list(buttons_of(refused)) == ["Help"]


async def test_a_press_has_no_more_than_five_follow_ups(linked: ForumTown) -> None:
    linked.world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )
    for number in range(7):
        await linked.cut_off(f"Half sent {number}", number=number + 1)
    await linked.world.pass_time(600)
    seen = Happenings[str]()
    linked.world.env.backend.subscribers.append(lambda event, payload: seen.add(event))

    # What is public and fails is told in a message of its own.
    async with linked.proxy.arriving.closed(lambda passing: True) as gate:
        reading = asyncio.ensure_future(linked.read("404", public=True))
        await seen.first(lambda event: event == "MESSAGE_CREATE")
        gate.open()
        told = await reading

    assert "Thread 404 doesn't exist" in text_of(told.followups[0])
    assert len(told.followups) == 5
    # What is left is told after the next command.
    assert WAITS in text_of(await linked.world.slash("help"))


async def test_what_a_member_typed_is_sealed_and_in_no_line_of_the_log(
    linked: ForumTown, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    await linked.post("For the eyes of the game")
    await linked.cut_off("Only for the eyes of the game")

    kept = everything_in(linked.world.settings.database_url)
    assert str(linked.world.member.id) in kept
    lines = [
        str(vars(record)) for record in caplog.records if record.name.startswith(("bot", "cogs"))
    ]
    assert any("Asked the game" in line for line in lines)
    assert "eyes of the game" not in kept + "".join(lines)


async def test_after_the_machine_slept_a_text_is_as_old_as_it_is(linked: ForumTown) -> None:
    world, clock = linked.world, ManualClock()
    await world.restart(clock=clock)
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.post("Half a thought")
    before = await world.slash("forum unsent", world.member)

    # A machine that sleeps stops its monotonic clock alone.
    clock.advance(timedelta(hours=25))
    after = await world.slash("forum unsent", world.member)

    assert "Half a thought" in text_of(before)
    assert "You have no unsent texts" in text_of(after)


@pytest.mark.parametrize("kind", ["forum.write_form", "forum.write"])
async def test_a_form_is_taken_in_while_kiosk_stops_by_its_old_kind_too(
    linked: ForumTown, kind: str
) -> None:
    world = linked.world
    card = answer_of(await linked.read(EMPTY))
    world.bot.router.is_stopping = True

    custom_id = f"kiosk.{kind}:{EMPTY}:-1:latest:1"
    sent = await submit_forged(world.member, world.channel, card, custom_id, {"text": "Last words"})

    assert "Your text is saved for 24 hours. Send it from here" in text_of(sent)


def direct_messages_to(town: ForumTown) -> list[Any]:
    member: Any = town.world.member
    return list(member.user.dm_channel.history())


@pytest.mark.parametrize(
    ("locale", "why", "where", "again", "posted"),
    [
        (
            "en-GB",
            f"Kiosk restarted before it sent this to the game.\n{WAITS}.",
            "Comment for Quiet corner",
            "Try again",
            "Comment posted",
        ),
        (
            "de",
            "Kiosk wurde neu gestartet, bevor es das an das Spiel gesendet hat.",
            "Kommentar für Quiet corner",
            "Noch einmal versuchen",
            "Kommentar gepostet",
        ),
    ],
)
async def test_an_unsent_text_is_told_of_directly_and_once_with_all_that_it_takes_to_send_it(
    linked: ForumTown, locale: str, why: str, where: str, again: str, posted: str
) -> None:
    await linked.world.slash("help")
    await linked.cut_off("Half sent", locale)
    speak_language(linked.world.env, locale)

    await linked.world.pass_time(A_LOOK)
    await linked.world.pass_time(A_LOOK)

    (told,) = direct_messages_to(linked)
    for part in (why, ">>> Half sent", f"-# {where}"):
        assert part in text_of(told)
    assert why not in text_of(await linked.world.slash("help"))
    listed = await linked.world.slash("forum unsent")
    await linked.open_text(listed)
    assert why in text_of(listed)
    member: Any = linked.world.member
    assert posted in text_of(await member.user.click(told, label=again))
    assert await linked.texts_in(EMPTY) == ["Half sent"]


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("link_expired", "Your account link expired\nYour text is saved"),
        ("server_fault", "The game isn't answering\nYour text is saved"),
        ("not_arrived", "Kiosk checked the thread, and your text isn't there.\nYour text"),
        ("other_account", "You linked another game account\nYour text is saved"),
        ("no_such_thread", "The game doesn't have that thread\nYour text is saved"),
        ("answered_gone", "The game can't find that comment\nYour text is saved"),
        (
            "not_kept",
            "Kiosk can't save anything right now, so nothing was sent.\nYour text is saved",
        ),
        ("FromAnotherVersion", "Your text is saved"),
    ],
)
async def test_an_opened_text_says_why_it_waits(linked: ForumTown, reason: str, told: str) -> None:
    await linked.cut_off("Half sent")
    await linked.change(f"UPDATE writes SET reason = '{reason}', due_at = NULL, holder = ''")

    listed = await linked.world.slash("forum unsent")
    await linked.open_text(listed)

    assert f"### Your comment isn't posted yet\n{told}" in text_of(listed)
    assert can_press(listed, "Link account") == (reason == "link_expired")


async def test_a_text_posted_after_all_is_told_of_directly(linked: ForumTown) -> None:
    await linked.world.known(linked.world.member)
    await linked.post("Half sent")
    await linked.cut_off("Half sent", "de")
    await linked.change(
        "UPDATE writes SET state = 'sent', asked_at = 0,"
        " player_id = (SELECT player_id FROM links WHERE links.member_id = writes.member_id)"
        " WHERE id = 1"
    )
    await linked.change("UPDATE writes SET result_id = NULL WHERE id > 1")

    await linked.world.pass_time(A_LOOK)

    (told,) = direct_messages_to(linked)
    assert "Kommentar gepostet" in text_of(told)
