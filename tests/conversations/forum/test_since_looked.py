"""What is new to a member since they looked: dots, how many, and the way to the first."""

import re
from typing import Any

import pytest

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.forum.test_turning import Game, fetched_ahead
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.commits import committed
from tests.support.forum import BIG, EMPTY, ForumTown, numbers_of
from tests.support.languages import english_shown
from tests.support.rest import until_idle

NEW = re.compile(r"^🔹 (.*) <t:\d+:R>", re.MULTILINE)


class Reader:
    """The friend, who reads what the member's player writes in the game."""

    def __init__(self, town: ForumTown, game: Game) -> None:
        self.town = town
        self.game = game

    async def read(self, **options: Any) -> Any:
        # Some seconds later, in which others ask the game no more often.
        comments = self.town.world.bot.features.threads.client.comments
        comments.outdate(lambda _: True, age=60)
        card = await self.town.read(EMPTY, self.town.world.friend, **options)
        await fetched_ahead()
        return card

    async def press(self, card: Any, label: str) -> None:
        await self.town.press(card, label, self.town.world.friend)
        await fetched_ahead()

    async def choose(self, card: Any, label: str) -> None:
        (listed,) = (entry for entry in selects_of(card) if entry["custom_id"].endswith("thread"))
        (value,) = (entry["value"] for entry in listed["options"] if entry["label"] == label)
        friend = self.town.world.friend
        await friend.select(answer_of(card), [value], custom_id=listed["custom_id"])
        await fetched_ahead()

    async def poll(self) -> None:
        assert await self.town.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))

    async def come_back_later(self) -> None:
        await self.town.world.pass_time(2 * 3600)


@pytest.fixture
def reader(linked: ForumTown) -> Reader:
    return Reader(linked, Game(linked.world))


def said(card: Any) -> str:
    """Return what a card says is new, without since when."""
    found = NEW.search(text_of(card))
    return found[1] if found and "since" in found[1] else ""


def dotted(card: Any) -> list[int]:
    """Return the comments with a dot, of those that stand for themselves."""
    return [int(number) for number in re.findall(r"^🔹 \*\*.*#(\d+)$", text_of(card), re.MULTILINE)]


async def test_newer_comments_have_dots_through_the_whole_visit(reader: Reader) -> None:
    await reader.game.write(3)
    first_look = await reader.read()
    assert "🔹" not in str(answer_of(first_look).components)
    await reader.game.write(7)
    new = reader.game.ids[:2:-1]

    card = await reader.read()
    assert said(card) == "7 new since your last visit"
    assert dotted(card) == numbers_of(card) == new[:5]
    await reader.press(card, "First unread")
    assert dotted(card) == new[5:] != numbers_of(card)
    assert said(card) == "7 new since your last visit"
    assert "First unread" not in buttons_of(card)
    await reader.press(card, "Previous")
    assert dotted(card) == new[:5]

    await reader.town.open_comment(card, new[0], reader.town.world.friend)
    await reader.press(card, "Thread")
    assert dotted(card) == new[:5]
    again = await reader.read()
    assert dotted(again) == new[:5]
    await reader.come_back_later()
    assert (said(await reader.read()), dotted(await reader.read())) == ("", [])


async def test_what_was_counted_once_is_not_counted_again(reader: Reader) -> None:
    await reader.game.write(1)
    card = await reader.read()
    await reader.game.write(2)
    await reader.press(card, "Refresh")
    assert said(card) == "2 new since your last visit"
    await reader.game.write(1)
    # Someone else has loaded the page. Turning pages continues with what was new.
    other = await reader.town.read(EMPTY, reader.town.world.member)
    await reader.town.press(other, "Refresh")
    await reader.press(card, "Hottest first")
    assert said(card) == "3 new since your last visit"
    await reader.game.write(1)
    await reader.press(card, "Refresh")
    assert said(card) == "1 new since your last visit"
    assert dotted(card) == reader.game.ids[-1:]
    # Someone else sees what is new to them.
    await reader.town.read(EMPTY, reader.town.world.moderator)
    await reader.game.write(1)
    theirs = await reader.town.read(EMPTY, reader.town.world.moderator)
    await reader.town.press(theirs, "Refresh", reader.town.world.moderator)
    assert said(theirs) == "1 new since your last visit"
    assert said(await reader.read()) == "1 new since your last visit"


@pytest.mark.usefixtures("on_both_engines")
async def test_turning_a_page_writes_nothing_unless_something_is_newer(reader: Reader) -> None:
    await reader.game.write(7)
    card = await reader.read()
    await until_idle(reader.town.world.bot)
    with committed() as commits:
        await reader.press(card, "Next")
        await reader.press(card, "Previous")
        assert not commits
        await reader.game.write(1)
        await reader.press(card, "Refresh")
        noted = len(commits)
        assert noted
        await reader.press(card, "Next")
        assert len(commits) == noted
    await reader.come_back_later()
    with committed() as commits:
        await reader.press(card, "Previous")
    assert commits


async def test_where_further_pages_may_be_new_so_many_are_the_least(reader: Reader) -> None:
    await reader.game.write(1)
    await reader.read()
    await reader.game.write(40)
    card = await reader.read()
    asked = reader.town.reads
    assert said(card) == "15 or more new since your last visit"
    await reader.press(card, "First unread")
    assert dotted(card) == reader.game.ids[-11:-16:-1]
    # The page after it was fetched ahead meanwhile, and the one after that.
    for last in (-30, -40):
        await reader.press(card, "Next")
        await reader.press(card, "First unread")
        assert dotted(card)[-1] == reader.game.ids[last]
    assert said(card) == "40 new since your last visit"
    # Pages were read as for anyone who turns pages, and none to count what is new.
    assert reader.town.reads - asked <= 9


@pytest.mark.parametrize("count", [1, 5, 6])
async def test_a_long_thread_can_be_turned_while_few_are_new(reader: Reader, count: int) -> None:
    await reader.game.write(30)
    await reader.read()
    await reader.game.write(count)
    new = reader.game.ids[: -count - 1 : -1]

    card = await reader.read()
    assert dotted(card) == new[:5]
    for _ in range(3):
        await reader.press(card, "Next")
        assert said(card) == f"{count} new since your last visit"
        # If the first screen has the oldest new comment, First leads there.
        assert ("First unread" in buttons_of(card)) == (count > 5 and not dotted(card))
    await reader.press(card, "First")
    assert dotted(card) == new[:5]


async def test_a_new_reply_has_a_dot_and_an_own_comment_none(reader: Reader) -> None:
    await reader.game.write(6)
    oldest = reader.game.ids[0]
    card = await reader.read()
    await reader.game.write(4, parent_id=oldest)
    await reader.town.post("My own words", actor=reader.town.world.friend)

    await reader.press(card, "Refresh")
    assert said(card) == "4 new since your last visit"
    assert dotted(card) == []
    await reader.press(card, "First unread")
    shown = text_of(card)
    assert shown.count("-# ↳ 🔹 **") == 2
    assert "-# 🔹 and 2 more replies" in shown

    member = reader.town.world.member
    await reader.town.world.known(reader.town.world.member)
    mine = await reader.town.read(EMPTY, member)
    await reader.town.post("Hers", actor=reader.town.world.friend)
    await reader.game.write(1)
    await reader.town.press(mine, "Refresh")
    assert said(mine) == "1 new since your last visit"


async def test_what_the_server_hides_is_not_new(reader: Reader) -> None:
    world = reader.town.world
    await reader.game.write(1)
    card = await reader.read()
    await reader.game.write(2)
    rude = reader.game.ids[-1]
    await world.slash("moderate remove", world.moderator, comment=str(rude), reason="Spam")
    await reader.press(card, "Refresh")
    assert said(card) == "1 new since your last visit"
    assert dotted(card) == reader.game.ids[1:2]


async def test_a_public_card_says_nothing_of_whoever_posts_it(reader: Reader) -> None:
    await reader.game.write(1)
    await reader.read()
    await reader.game.write(2)
    card = await reader.read(public=True)
    assert "🔹" not in str(answer_of(card).components)


async def test_german_members_read_it_in_german(reader: Reader) -> None:
    speak_language(reader.town.world.env, "de")
    await reader.game.write(1)
    await reader.read()
    await reader.game.write(7)
    card = await reader.read()
    assert re.search(r"🔹 7 neue seit deinem letzten Besuch <t:\d+:R>\n", text_of(card))
    await reader.press(card, "Erster ungelesener")
    assert "🔹 7 neue seit deinem letzten Besuch <t:" in text_of(card)
    await reader.game.write(20)
    card = await reader.read()
    assert "🔹 mindestens 15 neue seit deinem letzten Besuch <t:" in text_of(card)
    assert not english_shown(reader.town.world.env, "de")


async def test_help_and_reading_without_a_name_list_what_is_new(reader: Reader) -> None:
    world = reader.town.world
    await reader.game.write(1)
    await reader.read()
    await reader.town.read(BIG, world.friend)
    await world.bot.tasks.until_finished()
    assert "🔹" not in text_of(await world.slash("help", world.friend))
    assert "## Park life" in text_of(await world.slash("forum read", world.friend))
    await reader.game.write(4)
    # Kiosk has read the thread lately, for someone else.
    card = await reader.town.read(EMPTY)
    await reader.town.press(card, "Refresh")
    asked = reader.town.reads

    shown = await world.slash("help", world.friend)
    assert "\n🔹 Quiet corner · 4 new" in text_of(shown)
    await reader.press(shown, "Threads")
    assert "**Threads**\nQuiet corner · 4 new\nPark life · Patch notes" in text_of(shown)
    listed = await world.slash("forum read", world.friend)
    assert "Which thread? Some have comments that are new to you." in text_of(listed)
    assert "\nQuiet corner · 4 new\n" in text_of(listed)
    assert reader.town.reads == asked
    await reader.choose(listed, "Quiet corner")
    assert said(listed) == "4 new since your last visit"

    assert "🔹" not in text_of(await world.slash("help", world.friend))
    assert "## Quiet corner" in text_of(await world.slash("forum read", world.friend))
    # A member who hasn't read the thread sees nothing new.
    assert "new" not in text_of(await world.slash("help", world.moderator))


async def test_a_followed_thread_is_listed_though_nobody_has_opened_it(reader: Reader) -> None:
    world = reader.town.world
    talk = world.guild.create_text_channel("talk")
    await world.slash("announce thread", world.moderator, thread=EMPTY, channel=talk)
    await reader.poll()
    await reader.game.write(1)
    await reader.read()
    await reader.town.read(BIG, world.friend)
    await reader.game.write(20)
    await reader.poll()

    assert "\n🔹 Quiet corner · 20 new" in text_of(await world.slash("help", world.friend))
    speak_language(world.env, "de")
    listed = await world.slash("forum read", world.friend)
    assert "\nQuiet corner · 20 neu\n" in text_of(listed)
    await reader.choose(listed, "Quiet corner")
    assert "🔹 20 neue seit deinem letzten Besuch <t:" in text_of(listed)
    # They were counted, those on further pages too.
    assert "🔹" not in text_of(await world.slash("help", world.friend))
