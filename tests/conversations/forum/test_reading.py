"""Reading threads and opened comments, as members do it."""

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from bot.ui import answers
from bot.ui.markdown import unescape
from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.support.cards import (
    answer_of,
    buttons_of,
    components,
    opens,
    rows_of,
    selects_of,
    text_of,
)
from tests.support.forms import fill_in
from tests.support.forum import (
    BIG,
    EMPTY,
    SMALL,
    ForumTown,
    can_press,
    entries_of,
    number_of,
    numbers_of,
    turn_text,
)
from tests.support.game_samples import comment, just_now, page, player, written_comment
from tests.support.gates import Happenings
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.world import NEWCOMER, World, open_world

THUMBNAIL = 11


async def test_a_screen_shows_five_comments_with_their_writers(town: ForumTown) -> None:
    card = await town.read()

    assert "## Park life\n1 to 5 · latest first\n-# ⭐ subscriber · ☑️ verified\n" in text_of(card)
    assert len(numbers_of(card)) == 5
    assert [part["type"] for part in components(card)].count(THUMBNAIL) == 5
    assert "**Old Tuft** ⭐ ☑️" in text_of(card)
    assert re.search(r"^\*\*Fern\*\* · <t:\d+:R> · #118$", text_of(card), re.MULTILINE)
    assert rows_of(card) == [
        ["Previous", "Next", "Last", "Go to page"],
        ["Write", "Find", "Your comments", "Hottest first", "Refresh"],
    ]
    assert "2 replies" in [entry.get("description") for entry in entries_of(card).values()]
    assert answer_of(card).ephemeral


async def test_an_avatar_says_whose_it_is(town: ForumTown) -> None:
    card = await town.read()
    avatars = [part for part in components(card) if part["type"] == THUMBNAIL]
    writers = re.findall(r"^\*\*(.+)\*\*[ ⭐☑️]* · <t:", text_of(card), re.MULTILINE)
    names = [unescape(name) for name in writers]
    assert [part["description"] for part in avatars] == [f"Avatar of {name}" for name in names]


async def test_without_a_thread_the_one_read_last_is_opened_where_it_is_named(
    town: ForumTown,
) -> None:
    world, elsewhere = town.world, town.world.env.create_guild("Elsewhere")
    talk = elsewhere.create_text_channel("talk")
    there: Any = elsewhere.add_member(world.member.user)
    directory = world.bot.features.directory
    for number, name in ((1, "Their life"), (3, "Their corner")):
        await directory.add(elsewhere.id, PlaceKind.THREAD, number, name)

    asked = await world.slash("forum read")
    assert "There are several choices" in text_of(asked)
    (listed,) = selects_of(asked)
    assert listed["placeholder"] == "Read a thread…"
    await town.choose(asked, "Patch notes")
    assert "## Patch notes" in text_of(asked)
    await world.bot.tasks.until_finished()
    assert "## Patch notes" in text_of(await world.slash("forum read"))
    assert "There are several choices" in text_of(await there.slash(talk, "forum read"))
    await directory.add(elsewhere.id, PlaceKind.THREAD, 2, "Their notes")
    assert "## Their notes" in text_of(await there.slash(talk, "forum read"))


async def test_what_a_thread_may_have_been_meant_by_leads_to_the_form(linked: ForumTown) -> None:
    asked = await linked.world.slash("forum post", thread="corner nobody knows")
    assert "Kiosk doesn't know that name" in text_of(asked)
    (listed,) = selects_of(asked)
    assert listed["placeholder"] == "Choose one…"
    await linked.choose(asked, "Quiet corner")
    assert "## Quiet corner" in text_of(asked)
    assert buttons_of(asked)["Write"]["style"] == 1
    form = await linked.press(asked, "Write")
    posted = await linked.world.member.submit_modal(form, {"text": "Found it"})

    assert "Comment posted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == ["Found it"]


async def test_a_page_is_fetched_once_and_walked_as_three_screens(town: ForumTown) -> None:
    card = await town.read()
    seen = numbers_of(card)
    assert town.reads == 1

    for _ in range(2):
        await town.press(card, "Next")
        seen += numbers_of(card)

    assert len(set(seen)) == 15
    # The next page is fetched ahead, and the page at hand once more: nothing has moved.
    await town.proxy.forwarded.until(lambda: town.reads > 2)
    await town.proxy.quiet()
    assert town.reads == 3
    await town.press(card, "Next")
    assert "16 to 20" in text_of(card)
    assert town.reads == 3


async def test_a_thread_ends_where_next_is_pale(town: ForumTown) -> None:
    card = await town.read(page=8)
    assert "36 to 40" in text_of(card)
    for _ in range(20):
        if not can_press(card, "Next"):
            break
        await town.press(card, "Next")

    assert "56 to 56" in text_of(card)
    assert can_press(card, "Previous")


@pytest.mark.parametrize("page", [13, 50, 1_000_000])
async def test_beyond_its_end_a_thread_shows_its_last_page(town: ForumTown, page: int) -> None:
    card = await town.read(BIG, page=page)

    assert "**The thread has 12 pages.**\n56 to 56 · latest first" in text_of(card)
    await town.press(card, "Previous")
    assert "51 to 55" in text_of(card)


async def test_the_last_page_of_a_thread_says_nothing_of_their_number(town: ForumTown) -> None:
    assert "56 to 56" in text_of(card := await town.read(BIG, page=12))
    assert "The thread has" not in text_of(card)
    assert "The thread has" not in text_of(await town.read(EMPTY, page=7))


async def test_a_page_of_a_thread_is_opened_by_its_number(town: ForumTown) -> None:
    card = await town.read(BIG, sort="hottest", page=3)
    third = text_of(card)
    assert rows_of(card)[0] == ["First", "Previous", "Next", "Last", "Go to page"]
    form = await town.press(card, "Go to page")
    assert form.modal is not None
    assert form.modal["components"][0]["description"] == (
        "You're on page 3. Each page has up to five comments."
    )
    await fill_in(town.world.member, form, page="8")
    assert "36 to 40 · hottest first" in text_of(card)
    await fill_in(town.world.member, await town.press(card, "Go to page"), page="#3")
    assert text_of(card) == third
    await fill_in(town.world.member, await town.press(card, "Go to page"), page="99")
    assert "The thread has 12 pages." in text_of(card)

    refused = await fill_in(town.world.member, await town.press(card, "Go to page"), page="none")
    assert "That page doesn't exist" in text_of(refused)
    again = await town.world.member.click(answer_of(refused), label="Try again")
    await fill_in(town.world.member, again, page="1")
    assert "1 to 5 · hottest first" in text_of(refused)


async def test_an_empty_thread_invites_the_first_comment(town: ForumTown) -> None:
    card = await town.read(EMPTY)
    assert "No one has posted here yet." in text_of(card)
    assert can_press(card, "Write")


async def test_a_thread_that_the_game_does_not_know_is_named(town: ForumTown) -> None:
    moderator = town.world.moderator
    asked = await town.world.slash("setup thread", moderator, id="99", name="Gone *fishing*")
    await town.press(asked, "Save name anyway", moderator)

    named, bare = await town.read("Gone *fishing*"), await town.read("98")

    assert "Thread Gone \\*fishing\\* (99) doesn't exist" in text_of(named)
    assert "Thread 98 doesn't exist" in text_of(bare)


async def test_a_public_card_is_for_all_and_stays_as_it_is(town: ForumTown) -> None:
    card = await town.read(public=True)
    shown = text_of(card)
    assert not answer_of(card).ephemeral

    moved = await town.press(card, "Next", town.world.friend)

    assert answer_of(moved).ephemeral
    assert "6 to 10" in text_of(moved)
    assert text_of(card) == shown


async def test_a_public_reading_that_fails_is_told_to_the_reader_alone(town: ForumTown) -> None:
    failed = await town.read("98", public=True)

    assert answer_of(failed).ephemeral
    assert "Thread 98 doesn't exist" in text_of(failed)
    assert not town.world.channel.history()


async def test_the_order_can_be_chosen_and_changed(town: ForumTown) -> None:
    card = await town.read(sort="hottest")
    assert "hottest first" in text_of(card)
    hottest = numbers_of(card)

    await town.press(card, "Latest first")

    assert "latest first" in text_of(card)
    assert numbers_of(card) != hottest


async def test_refresh_shows_what_is_new(linked: ForumTown) -> None:
    card = await linked.read(EMPTY)
    posted = await linked.post("Hello from elsewhere", actor=linked.world.friend)
    await linked.world.change_in_the_app(NEWCOMER, number_of(posted), "Reworded in the game")

    await linked.press(card, "Refresh")

    assert "Reworded in the game" in text_of(card)


async def test_a_slow_public_answer_is_seen_to_be_coming(town: ForumTown) -> None:
    seen = Happenings[str]()
    town.world.env.backend.subscribers.append(lambda event, payload: seen.add(event))

    async with town.proxy.arriving.closed(lambda passing: True) as gate:
        reading = asyncio.ensure_future(town.read(BIG, public=True))
        await seen.first(lambda event: event == "MESSAGE_CREATE")
        gate.open()
        assert "Park life" in text_of(await reading)


@pytest.mark.parametrize("is_taken", [True, False])
async def test_the_answer_to_a_card_that_is_gone_comes_in_a_new_message(
    town: ForumTown,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_taken: bool,
) -> None:
    caplog.set_level("INFO")
    env, card = town.world.env, await town.read(BIG)
    # The game takes longer than an answer without a sign before it may.
    monkeypatch.setattr(answers, "_SOON_SECONDS", 0.0)
    env.inject_error("PATCH", "/webhooks/*/messages/@original", status=404, code=10008, times=None)
    if not is_taken:
        env.inject_error("POST", "/webhooks/*", status=404, code=10015, times=None)

    told = await town.press(card, "Hottest first")

    assert [text_of(followup).count("hottest first") for followup in told.followups] == [
        1
    ] * is_taken
    assert "The card was deleted before its answer" in caplog.text
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_long_text_is_cut_at_a_word_and_read_to_its_end(linked: ForumTown) -> None:
    words = [f"word{number}" for number in range(500)]
    await linked.post(" ".join(words))
    card = await linked.read(EMPTY)
    assert text_of(card).split("…")[0].rsplit(maxsplit=1)[-1] in words

    await linked.open_comment(card, number_of(card))
    read = [word for word in text_of(card).split() if word.startswith("word")]
    while await turn_text(linked, card):
        read += [word for word in text_of(card).split() if word.startswith("word")]

    assert read == words


async def test_an_opened_comment_shows_its_replies_in_screens(town: ForumTown) -> None:
    card = await town.read()
    while "more replies" not in text_of(card):
        await town.press(card, "Next")
    assert "21 more replies" in text_of(card)
    (opened,) = [
        int(value.split(":")[4])
        for value, entry in entries_of(card).items()
        if entry.get("description") == "23 replies" and value in opens(card)
    ]
    await town.open_comment(card, opened)
    # Before each reply.
    assert [part.get("divider") for part in components(card)].count(False) == 10
    seen = set[int]()
    while True:
        seen |= set(numbers_of(card)[1:])
        if not can_press(card, "Next"):
            break
        await town.press(card, "Next")

    assert len(seen) == 23
    assert numbers_of(card)[0] == opened
    await town.press(card, "Thread")
    assert "## Park life" in text_of(card)


async def test_replies_to_replies_are_told_apart_at_any_depth(linked: ForumTown) -> None:
    answered = number_of(await linked.post("Level 0"))
    numbers = [answered]
    for level in range(1, 13):
        answered = number_of(
            await linked.world.slash(
                "forum reply", thread=EMPTY, comment=str(answered), content=f"Level {level}"
            )
        )
        numbers.append(answered)

    card = await linked.read(EMPTY)
    await linked.open_comment(card, numbers[0])
    shown = text_of(card)
    while can_press(card, "Next"):
        await linked.press(card, "Next")
        shown += text_of(card)

    assert "**12 replies**" in shown
    assert "\n-# **Juniper** · " in shown
    assert "> -# ↳ **Juniper** replied to Juniper" in shown
    assert "> -# ↳↳ **Juniper**" in shown
    assert "> -# ↳↳↳↳ **Juniper** replied to Juniper" in shown
    assert "↳1" not in shown


async def test_a_reply_to_a_reply_opens_and_leads_up_again(linked: ForumTown) -> None:
    first = number_of(await linked.post("Above"))
    second = number_of(
        await linked.world.slash("forum reply", thread=EMPTY, comment=str(first), content="Below")
    )

    card = await linked.read(EMPTY)
    await linked.open_comment(card, first)
    await linked.open_comment(card, second)
    assert numbers_of(card) == [second]
    assert "in reply to Juniper: Above" in text_of(card)

    await linked.press(card, "Parent comment")
    assert numbers_of(card) == [first, second]
    await linked.press(card, "Thread")
    assert "## Quiet corner" in text_of(card)


_MINE = comment(id=31, content="Mine")
_OTHERS = comment(id=32, content="Another's", player=player(id=8))
_PARENT = comment(
    id=30, content="Who?", player=player(id=8), children=[_MINE, _OTHERS], children_count=7
)


@pytest.fixture
async def game() -> AsyncGenerator[RogueGame]:
    async with open_rogue_game() as opened:
        yield opened


@pytest.fixture
async def world(game: RogueGame, tmp_path: Path) -> AsyncGenerator[World]:
    """The member is known to have written the first of two replies that are shown of seven."""
    async with open_world(tmp_path, game.base_url) as opened:
        said = written_comment(id=1, content="Now you know me", created_at=just_now())
        game.answers(reply(page()), reply({"data": said}), reply(page(_PARENT)))
        await opened.settle(opened.member, "a-token")
        await opened.slash("forum post", thread="1", content="Now you know me")
        yield opened


async def test_a_removal_is_counted_where_some_are_hidden(world: World, game: RogueGame) -> None:
    other = await world.slash("forum read", thread="1")
    card = await world.slash("forum read", thread="1")
    await world.member.select(answer_of(card), opens(card, 30))
    await world.member.select(answer_of(card), opens(card, 31))
    await world.member.click(answer_of(card), label="Delete comment")
    game.answers(reply(status=204))
    await world.member.click(answer_of(card), label="Delete comment")

    assert "Comment deleted" in text_of(card)
    assert "5 more replies" in text_of(other)
    await world.member.select(answer_of(other), opens(other, 30))
    assert "**6 replies**" in text_of(other)
    assert "The game doesn't show 5 of these replies here" in text_of(other)
    assert "Mine" not in text_of(other)


async def test_all_replies_may_go_with_a_comment(world: World, game: RogueGame) -> None:
    game.answers(reply(page(comment(id=40, children=[_OTHERS], children_count=7))))
    card = await world.slash("forum read", thread="2")

    await world.member.select(answer_of(card), opens(card, 40))
    await world.member.click(answer_of(card), label="Delete comment")

    assert "It has 7 replies. The game may delete the replies too" in text_of(card)


async def test_a_thread_that_was_read_for_everybody_is_the_one_read_last(town: ForumTown) -> None:
    await town.read(BIG)
    await town.read(SMALL, public=True)

    await town.world.bot.tasks.until_finished()
    again = await town.world.slash("forum read")

    assert "## Patch notes" in text_of(again)


@pytest.mark.parametrize("language", ["en-US", "de"])
@pytest.mark.parametrize("letter", ["я", "雨", "ไ", "🌰"])
async def test_a_thread_of_any_script_is_read(
    world: World, game: RogueGame, letter: str, language: str
) -> None:
    speak_language(world.env, language)
    writer, text = player(screen_name=letter * 20), letter * 400
    replies = [comment(id=n, player=writer, content=text) for n in range(50, 60)]
    said = [
        comment(id=n, player=writer, content=text, children=replies, children_count=10)
        for n in range(40, 45)
    ]
    game.answers(reply(page(*said)))

    card = await world.slash("forum read", thread="2", public=True)
    assert numbers_of(card) == [*range(40, 45)]
    card = await world.slash("forum read", thread="2")
    await world.member.select(answer_of(card), opens(card, 40))
    assert numbers_of(card) == [40, *range(50, 60)]
    # Of each text there is more than of its writer.
    assert text_of(card).count(letter * 40) >= 11
