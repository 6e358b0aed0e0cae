"""Moderators name words, and comments that hold one are held back until they have looked."""

from typing import Any

import pytest
import simcord

from bot.ui import answers
from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forms import fill_in
from tests.support.forum import EMPTY
from tests.support.gates import PATIENCE_SECONDS
from tests.support.presses import press_again


async def test_a_watched_word_holds_back(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    added = await beat.world.watch_words("unkind, *scrumping*")
    await beat.post("Kind words")
    await beat.post("UNK\u0130ND w\u043erds")

    read = await beat.read_here()
    await beat.settled()
    case = log_channel.last_message
    pressed = buttons_of(case)["Show"]["custom_id"]
    shown = await beat.press(case, "Show", beat.world.moderator)
    # The card may be another by now than the one that a second moderator looks at.
    again = await press_again(beat.world.moderator, log_channel, case, pressed)
    await beat.settled()

    assert "**2 words added.**" in text_of(added)
    assert "Choose a log channel" not in text_of(added)
    assert "Hidden until a moderator reviews it." in read
    assert "UNK" not in read
    assert "Kind words" in read
    assert "### Held back: " in text_of(case)
    assert "Watched word: unkind" in text_of(case)
    assert "> UNK" in text_of(case)
    assert "Comment shown" in text_of(shown)
    assert "Someone already handled this" in text_of(again)
    assert "UNK" in await beat.read_here()
    released = log_channel.last_message
    assert "### Shown: comment #" in text_of(released)
    assert "chose to show it" in text_of(released)
    assert list(buttons_of(released)) == ["Remove comment…", "Mute Juniper…", "Open"]


async def test_a_mute_closes_the_players_cards(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, shared = await beat.share("Rude words")
    await beat.report(world.friend, shared, "Rude")
    await world.watch_words("unkind")
    await beat.post("Unkind words")
    await beat.post("More unkind words")
    await beat.read_here()
    await beat.settled()
    opened = [text_of(message) for message in log_channel.history()]

    await beat.mute(player="Juniper", reason="Spam")
    await beat.settled()
    closed = [message for message in log_channel.history() if "#" in text_of(message)]
    await beat.moderate("unmute", player="Juniper")
    await beat.settled()
    again = [text_of(message) for message in log_channel.history()]

    assert len(opened) == 3
    cards = [text_of(message) for message in closed if "### Closed: comment #" in text_of(message)]
    assert len(cards) == 3
    assert all(f"Muted by <@{world.moderator.id}> <t:" in card for card in cards)
    assert not any("Show" in buttons_of(message) for message in closed)
    assert not any("Muted by" in card for card in again)
    assert sum("### Held back: watched word" in card for card in again) == 2
    assert sum("### A member reported a comment" in card for card in again) == 1


async def test_a_card_closes_once_the_writer_has_changed_the_text(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    posted = await beat.post("Unkind words")
    await world.watch_words("unkind")
    await beat.read_here()
    await beat.settled()
    held_back = text_of(log_channel.last_message)

    for text in ("Kind words", "Unkind words"):
        form = await beat.press(posted, "Edit")
        await world.member.submit_modal(form, {"text": text})
        await beat.read_here()
        await beat.settled()
        if text == "Kind words":
            closed = log_channel.last_message

            assert "### Closed: comment #" in text_of(closed)
            assert "Watched word: unkind" in text_of(closed)
            assert "> Unkind words" in text_of(closed)
            assert "The player changed it. It's no longer held back." in text_of(closed)
            assert list(buttons_of(closed)) == ["Remove comment…"]

    assert "### Held back: watched word" in held_back
    assert "### Held back: watched word" in text_of(log_channel.last_message)
    assert len(list(log_channel.history())) == 1


async def test_what_was_held_back_first_stays_on_a_card_that_stays_open(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    posted = await beat.post("Unkind words")
    await world.watch_words("unkind, rude")
    await beat.read_here()
    await beat.settled()

    form = await beat.press(posted, "Edit")
    await world.member.submit_modal(form, {"text": "Rude words"})
    await beat.read_here()
    await beat.settled()

    card = text_of(log_channel.last_message)
    assert "Watched word: rude" in card
    assert "> Rude words" in card
    assert "The player changed it. It was first held back for unkind:\n> Unkind words" in card


async def test_a_name_that_holds_a_watched_word_is_not_shown(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    follow = {"thread": EMPTY, "channel": beat.world.channel}
    await beat.world.slash("announce thread", beat.world.moderator, **follow)
    await poll(beat)
    await beat.world.watch_words("juniper, unkind")
    await beat.post("Kind words")
    await beat.post("Other words")
    await poll(beat)
    followed = [text_of(message) for message in beat.world.channel.history()]

    read = await beat.read_here()
    await beat.settled()
    case = log_channel.last_message
    await beat.post("Unkind words")
    await beat.read_here()
    await beat.settled()
    cards = list(log_channel.history())
    shown = text_of(await beat.press(case, "Show", beat.world.moderator))
    later = await beat.read_here()
    await beat.settled()
    shown_there = [text_of(message) for message in beat.world.channel.history()][:2]

    assert ["Hidden until a moderator reviews it." in card for card in followed] == [True, True]
    assert ["**Juniper** " in card for card in shown_there] == [True, True]
    assert read.count("Hidden until a moderator reviews it.") == 2
    assert "Juniper" not in read
    assert "words" not in read
    assert "### Held back: a player's name\n**Juniper** · player number 1\n" in text_of(case)
    assert list(buttons_of(case)) == ["Mute Juniper…", "Show"]
    assert len(cards) == 1
    assert "### Name shown" in shown
    assert "Kind words" in later
    assert "Juniper" in later
    assert later.count("Hidden until a moderator reviews it.") == 1
    assert "### Held back: watched word" in text_of(log_channel.last_message)


async def poll(beat: Beat) -> None:
    await beat.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))
    await beat.settled()


async def test_a_card_closes_once_the_player_has_another_name(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.world.watch_words("juniper, thistle")
    titles: list[str] = []
    for name in ("Juniper", "Rosemary", "Thistle"):
        await beat.game.database.execute(
            "UPDATE players SET screen_name = :name WHERE id = 1", name=name
        )
        await beat.post("Kind words")
        await beat.read_here()
        await beat.settled()
        card = text_of(log_channel.last_message)
        titles.append(card.partition("\n")[0])
        assert "Watched word: juniper" in card or name == "Thistle"

    held_back = "### Held back: a player's name"
    assert titles == [held_back, "### Closed: Juniper", held_back]
    assert len(list(log_channel.history())) == 1


async def test_a_held_back_text_is_nowhere(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    posted = await beat.post("Unkind words")
    await beat.world.watch_words("unkind")

    await beat.press(posted, "Share")
    shared = text_of(beat.world.channel.last_message)
    await beat.settled()
    member = beat.world.member
    offered = await member.autocomplete(beat.world.channel, "forum reply", "comment", "")
    form = await beat.press(log_channel.last_message, "Remove comment…", beat.world.moderator)
    removed = await beat.world.moderator.submit_modal(form, {"reason": "Rude"})
    await beat.settled()

    assert "Hidden until a moderator reviews it." in shared
    assert "Unkind" not in shared
    assert "Unkind" not in str(offered)
    assert "Removed: comment #" in text_of(removed)
    assert "Removed: comment #" in text_of(log_channel.last_message)
    assert "Hidden until a moderator reviews it." not in await beat.read_here()


async def test_the_proof_of_a_name_quotes_nothing_that_is_held_back(beat: Beat) -> None:
    await beat.post("Unkind words")
    await beat.world.watch_words("unkind")

    moderator = beat.world.moderator
    card = text_of(await beat.world.press_through("setup show", "Threads", actor=moderator))

    assert "newest comment, by " in card
    assert "Hidden until a moderator reviews it." in card
    assert "Unkind" not in card


async def test_a_flood_becomes_one_card(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    moderator = beat.world.moderator
    await beat.world.watch_words("unkind")

    async def flood() -> list[str]:
        for _ in range(7):
            await beat.post("Unkind words")
        await beat.read_here()
        await beat.settled()
        return [text_of(message).partition("\n")[0] for message in log_channel.history()]

    held_back = "### Held back: watched word"
    assert await flood() == [held_back] * 5 + ["### 7 waiting for review"]
    counted = log_channel.last_message
    # So does the button of 2.0.0, in its place.
    for press in (buttons_of(counted)["Queue"]["custom_id"], "kiosk.moderate.more"):
        shown = await press_again(moderator, log_channel, counted, press)
        assert answer_of(shown).ephemeral
        assert "1 of 7 waiting for review" in text_of(shown)
    assert counted is not None
    await counted.delete()
    assert await flood() == [held_back] * 5 + ["### 14 waiting for review"]


async def test_words_are_listed_tried_exported_and_taken_away(beat: Beat) -> None:
    world, moderator = beat.world, beat.world.moderator
    card = await world.watch_words("fool, Fool, bad*,, ")
    assert "**2 words added.**" in text_of(card)
    assert "Choose a log channel" in text_of(card)
    assert "**Watched words** · 2\nFool and bad\\*" in text_of(card)
    assert "Kiosk can't watch for that" in text_of(await change(beat, card, words="***"))

    for text, title, found in (
        ("A \uff26\uff2f\uff2f\uff2c", "This text would be held back", "\nIt contains **Fool**."),
        ("Badly done", "This text would be held back", "\nIt contains **bad\\***."),
        ("What a foolish thing", "This text passes", ""),
    ):
        form = await moderator.click(card, label="Test a text")
        await fill_in(moderator, form, text=text)
        assert text_of(card) == f"### {title}\n> {text}{found}"
        await moderator.click(card, label="Back")

    exported = await moderator.click(card, label="Export words")
    assert answer_of(exported).attachments[0].filename == "words.txt"
    assert "**1 word removed.**" in text_of(await change(beat, card, words="Fool"))

    await change(beat, card, words=None)
    assert "Remove all watched words?\nThis removes 1 word." in text_of(card)
    await moderator.click(card, label="Remove all words")
    assert "**Watched words** · none yet" in text_of(card)
    assert "Export words" not in buttons_of(card)


async def change(beat: Beat, card: Any, **filled: Any) -> Any:
    form = await beat.world.moderator.click(card, label="Change words")
    return await fill_in(beat.world.moderator, form, **filled)


async def test_a_long_list_is_changed_by_what_is_added_and_removed(beat: Beat) -> None:
    card = await beat.world.press_through("moderate rules", actor=beat.world.moderator)
    too_long = await change(beat, card, words="\ufdfa" * 10)
    assert "needs a letter and can have up to 60 characters." in text_of(too_long)
    for separator in ("\r", "\r\n", "\n", ","):
        await change(beat, card, words=separator.join(["one", "two", "three"]))
        assert "**Watched words** · 3" in text_of(card)

    await change(beat, card, words="\n".join(f"w{number}" for number in range(700)))
    many = "\n".join(f"x{number}" for number in range(400))
    assert "That's too many words" in text_of(await change(beat, card, added=many))
    changed = await change(beat, card, added="another", removed="w1, unknown")
    assert "**1 word added.**\n**1 word removed.**" in text_of(changed)
    assert "**Watched words** · 700" in text_of(changed)


async def test_a_held_back_text_is_not_lost(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    await beat.world.watch_words("unkind")
    await beat.post("Unkind words")
    await beat.read(EMPTY, public=True)
    await beat.settled()
    page = world.channel.last_message
    assert page is not None
    before = text_of(log_channel.last_message)
    # As if someone who doesn't use Kiosk wrote the comment before Kiosk restarted.
    await beat.change("DELETE FROM writes")

    await world.restart()
    form = await world.friend.context_menu(world.channel, "Report comment", page)
    await world.friend.submit_modal(form, {"reason": "Rude"})
    await beat.settled()
    reported = text_of(log_channel.last_message)
    buttons = list(buttons_of(log_channel.last_message))

    assert "> Unkind words" in before
    assert "Rude\n" in reported
    assert "> Unkind words" in reported
    assert buttons == ["Remove comment…", "Mute Juniper…", "Show", "Open", "Message"]


async def test_what_was_typed_comes_back_in_no_more_messages_than_discord_takes(
    beat: Beat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A sign that it takes a moment would be one message more.
    monkeypatch.setattr(answers, "_SOON_SECONDS", PATIENCE_SECONDS)
    world = beat.world
    # Of so long a list, there are two fields: for words to add and to remove.
    await world.watch_words(*(f"{number:02} {'w' * 50}" for number in range(65)))
    card = await world.press_through("moderate rules", actor=world.moderator)
    form = await world.moderator.click(card, label="Change words")
    # Each line takes more than half of what a message holds.
    typed = "\n".join(["🌰" * 880] * 5)[:4000]
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute("ALTER TABLE watched RENAME TO elsewhere")

        told = await fill_in(world.moderator, form, added=typed, removed=typed)

        await database.execute("ALTER TABLE elsewhere RENAME TO watched")
    assert "Kiosk can't use its database" in text_of(told.response)
    assert [text_of(more).count("🌰") for more in told.followups] == [880, 880, 1356, 880, 880]
