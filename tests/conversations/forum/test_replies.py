"""Members are told of replies to what they wrote, and of comments with their words."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.game.models import PageKey
from cogs.replies.actions import TellReplies
from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import BIG, EMPTY, SMALL, ForumTown, number_of
from tests.support.game_samples import comment, just_now, player
from tests.support.owed import all_done, put_off_for_long, tried
from tests.support.presses import press_again
from tests.support.rogue_game import open_rogue_thread
from tests.support.world import open_world

AN_HOUR = 3600.0


async def look(town: ForumTown, thread: str = EMPTY, times: int = 1) -> None:
    for _ in range(times):
        assert await town.world.bot.features.poller.poll(PlaceKind.THREAD, int(thread))
    await tried(town.world)


def told(town: ForumTown, actor: Any = None) -> list[Any]:
    member: Any = actor or town.world.member
    return list(member.user.dm_channel.history()) if member.user.dm_channel else []


async def answer(town: ForumTown, comment_id: int, text: str) -> int:
    """Let the friend answer a comment; give the number of what they wrote."""
    shown = await town.world.slash(
        "forum reply", town.world.friend, thread=EMPTY, comment=str(comment_id), content=text
    )
    return number_of(shown)


async def test_who_wants_to_hear_of_replies_is_told_of_each_and_of_its_changes(
    linked: ForumTown,
) -> None:
    world = linked.world
    posted = await linked.post("Who likes acorns?")
    number = number_of(posted)
    asked = await linked.press(posted, "Watch replies")
    assert "You get a direct message about replies to this comment, for 90 days." in text_of(asked)
    assert "your first direct message from Kiosk can take hours." in text_of(asked)
    await look(linked)

    reply = await answer(linked, number, "I do, very much")
    await world.slash("forum reply", thread=EMPTY, comment=str(number), content="So do I")
    await look(linked)
    (news,) = told(linked)
    assert "### Sprig replied to you\n-# Quiet corner" in text_of(news)
    assert "in reply to your comment: Who likes acorns?" in text_of(news)
    assert "I do, very much" in text_of(news)
    assert "So do I" not in text_of(news)
    assert "this may be your own comment" not in text_of(news)
    assert list(buttons_of(news)) == ["Reply", "Open", "Stop watching…"]

    await world.slash(
        "forum edit", world.friend, comment=str(reply), content="Less than I did once"
    )
    await look(linked)
    (news,) = told(linked)
    assert "Less than I did once" in text_of(news)

    gone = await world.slash("forum delete", world.friend, comment=str(reply))
    await linked.press(gone, "Delete comment", world.friend)
    await look(linked, times=2)
    assert told(linked) == []


async def wait_for_replies(town: ForumTown, text: str = "Who likes acorns?") -> int:
    posted = await town.post(text)
    await town.press(posted, "Watch replies")
    await look(town)
    return number_of(posted)


async def test_what_the_server_hides_is_not_told_and_goes_from_what_was(linked: ForumTown) -> None:
    world = linked.world
    number = await wait_for_replies(linked)
    hidden = await answer(linked, number, "Nobody is to see this")
    await world.slash("moderate remove", world.moderator, comment=str(hidden), reason="Spam")
    await world.watch_words("toadstool")
    await answer(linked, number, "Eat this toadstool")
    await look(linked)
    assert told(linked) == []

    shown = await answer(linked, number, "Everybody may see this")
    await look(linked)
    assert "Everybody may see this" in text_of(told(linked)[0])
    await world.slash("moderate remove", world.moderator, comment=str(shown), reason="Spam")
    await tried(world)
    assert told(linked) == []


@pytest.mark.usefixtures("on_both_engines")
async def test_what_is_removed_goes_from_a_direct_message_whose_edit_waits(
    linked: ForumTown,
) -> None:
    world = linked.world
    number = await wait_for_replies(linked)
    reply = await answer(linked, number, "Unkind words")
    await look(linked)
    assert "Unkind words" in text_of(told(linked)[0])
    world.env.inject_error("PATCH", "/channels/*/messages/*", status=403, code=40333, times=None)
    await world.slash("forum edit", world.friend, comment=str(reply), content="Unkinder words")
    await look(linked)
    await put_off_for_long(world)

    await world.slash("moderate remove", world.moderator, comment=str(reply), reason="Spam")
    await all_done(world)

    assert told(linked) == []


async def test_all_that_comes_within_an_hour_is_one_message(linked: ForumTown) -> None:
    world = linked.world
    number = await wait_for_replies(linked)
    await answer(linked, number, "The first")
    await look(linked)
    watched = await world.slash("forum watch", words="squirrel, oak*", thread=EMPTY)
    assert "You're watching comments with “squirrel, oak\\*”" in text_of(watched)
    await look(linked)
    await answer(linked, number, "The second")
    await answer(linked, number, "An old OAKTREE")
    await linked.post("No squirrels here", actor=world.friend)
    await linked.post("A squirrel of my own")
    await linked.post("My squirrel", actor=world.friend)
    await look(linked)
    assert len(told(linked)) == 1

    await world.pass_time(AN_HOUR)

    _, news = told(linked)
    assert "## Updates on what you watch\n" in text_of(news)
    assert "**Sprig replied to you** · Quiet corner\n> The second" in text_of(news)
    assert "**Sprig replied to you** · Quiet corner\n> An old OAKTREE" in text_of(news)
    said = "**A comment with “squirrel, oak\\*”** · Quiet corner\n> **Sprig**: My squirrel"
    assert said in text_of(news)
    assert "of my own" not in text_of(news)
    assert "No squirrels" not in text_of(news)
    opening, *endings = selects_of(news)
    assert len(opening["options"]) == 2 * 3
    assert [len(ending["options"]) for ending in endings] == [1, 1]


async def test_a_watch_of_all_threads_tells_of_the_comment_s_own_thread(linked: ForumTown) -> None:
    world = linked.world
    await world.watch_words("toadstool")
    await world.slash("forum watch", words="acorn*")
    for thread in (BIG, SMALL, EMPTY):
        await look(linked, thread)
    await linked.post("Acorns and a toadstool", actor=world.friend)
    await look(linked)
    assert told(linked) == []

    number = number_of(await linked.post("Acorns for all", actor=world.friend))
    await look(linked)
    (news,) = told(linked)
    assert "### A comment with “acorn\\*”\n-# Quiet corner\n" in text_of(news)
    assert "Acorns for all" in text_of(news)
    member: Any = world.member
    opened = await member.user.click(news, label="Open")
    assert "Acorns for all" in text_of(opened)
    await world.slash("moderate remove", world.moderator, comment=str(number), reason="Spam")
    await tried(world)
    assert told(linked) == []


async def test_one_list_has_all_that_is_watched_and_each_can_be_stopped(linked: ForumTown) -> None:
    world = linked.world
    number = await wait_for_replies(linked)
    await world.slash("forum watch", words="squirrel")
    await world.slash("shop watch", name="acorn")
    listed = await world.slash("account watches")
    text = text_of(listed)
    assert "- **replies to “Who likes acorns?”** · Quiet corner" in text
    assert "- **comments with “squirrel”** · Park life, Patch notes, and Quiet corner" in text
    assert "- **“acorn”** · " in text
    for nth, left in ((2, 2), (1, 1), (0, 0)):
        choices = selects_of(listed)
        assert len(choices) == left + 1
        (entry,) = choices[nth]["options"]
        asked = await world.member.select(
            answer_of(listed), [entry["value"]], custom_id=choices[nth]["custom_id"]
        )
        assert text_of(asked).startswith("### Stop watching ")
        listed = await world.member.click(answer_of(asked), label="Stop watching")
        assert "You no longer watch" in text_of(listed)
    await answer(linked, number, "Nobody waits for this")
    await look(linked)
    assert told(linked) == []


async def test_who_switches_it_on_hears_of_replies_to_all_that_they_write(
    linked: ForumTown,
) -> None:
    world = linked.world
    shown = await world.slash("account show")
    assert "You get direct messages about replies only for comments that you watch." in text_of(
        shown
    )
    switched = await linked.press(shown, "Watch all replies")
    assert (
        "You get a direct message about replies to comments that you post through Kiosk."
        in text_of(switched)
    )
    assert "your first direct message from Kiosk can take hours." in text_of(switched)
    posted = await linked.post("Who likes acorns?")
    assert "You get a direct message about replies to this comment" in text_of(posted)
    await look(linked)
    await answer(linked, number_of(posted), "I do")
    await look(linked)
    assert "I do" in text_of(told(linked)[0])

    off = await linked.press(await world.slash("account show"), "Don't watch new comments")
    assert "You get direct messages about replies only for comments that you watch." in text_of(off)
    assert "Watch replies" in buttons_of(await linked.post("And nuts?"))


async def test_a_reply_from_before_is_told_to_all_but_who_asks_now(linked: ForumTown) -> None:
    world = linked.world
    await world.slash("forum watch", world.moderator, words="acorn*", thread=EMPTY)
    await look(linked)
    posted = await linked.post("Who likes them?")
    number = number_of(posted)
    await answer(linked, number, "I like acorns")
    opened = await linked.open_comment(await linked.read(EMPTY), number)
    await linked.press(opened, "Watch replies")
    await look(linked)
    assert told(linked) == []
    assert "I like acorns" in text_of(told(linked, world.moderator)[0])

    await answer(linked, number, "And I")
    await look(linked)
    assert "And I" in text_of(told(linked)[0])


async def test_of_too_many_the_oldest_goes(linked: ForumTown) -> None:
    for number in range(26):
        await linked.press(await linked.post(f"Comment {number}"), "Watch replies")
    text = text_of(await linked.world.slash("account watches"))
    assert "“Comment 0”" not in text
    assert "“Comment 1”" in text
    assert "“Comment 25”" in text


@pytest.mark.parametrize(
    ("words", "named"), [(", ,", ", ,"), ("a*b", "a\\*b"), ("*", "\\*"), ("acorn, *, nut", "\\*")]
)
async def test_words_that_nothing_can_hold_are_refused(
    linked: ForumTown, words: str, named: str
) -> None:
    refused = text_of(await linked.world.slash("forum watch", words=words))
    assert f"Kiosk can't watch for “{named}”" in refused
    assert "Enter words separated by commas" in refused


async def test_words_are_counted_as_they_are_compared(linked: ForumTown) -> None:
    # The sign stands for eighteen letters.
    refused = text_of(await linked.world.slash("forum watch", words="ﷺ" * 20))
    assert "Those are too many words to watch" in refused
    assert "The words of one watch can have up to 200 letters." in refused


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("duck*", "DUCK*"),
        ("hat, straw hat", "Straw  Hat,HAT"),
        ("hat, scarf*, hat", "scarf*、hat"),
        ("straße", "STRASSE"),
    ],
)
async def test_the_same_words_are_one_wish_however_they_are_typed(
    linked: ForumTown, first: str, again: str
) -> None:
    world = linked.world
    await world.slash("forum watch", words=first, thread=EMPTY)
    for where in ({"thread": EMPTY}, {}):
        watched = text_of(await world.slash("forum watch", words=again, **where))
        name = first.replace("*", "\\*")
        assert f"comments with “{name}”" in watched
        assert watched.startswith("### You're already watching") is bool(where)
    listed = await world.slash("account watches")
    assert text_of(listed).count("comments with") == 1
    (entry,) = selects_of(listed)[0]["options"]
    asked = await world.member.select(answer_of(listed), [entry["value"]])
    await world.member.click(answer_of(asked), label="Stop watching")
    assert "comments with" not in text_of(await world.slash("account watches"))


async def test_a_wish_for_words_is_for_one_of_them_and_several_stand_in_a_row(
    linked: ForumTown,
) -> None:
    world = linked.world
    watched = await world.slash("forum watch", words="straw hat, acorn*", thread=EMPTY)
    assert "when a comment in Quiet corner contains one of these words." in text_of(watched)
    await look(linked)
    for text in ("A hat of straw", "Straw, but no hat", "My straw hat", "Acorns"):
        await linked.post(text, actor=world.friend)
    await look(linked)
    (news,) = told(linked)
    assert ["My straw hat" in text_of(news), "Acorns" in text_of(news)] == [True, True]
    assert "hat of straw" not in text_of(news)
    assert "no hat" not in text_of(news)


async def test_nobody_waits_for_replies_to_what_is_another_s(linked: ForumTown) -> None:
    number = await wait_for_replies(linked)
    opened = await linked.open_comment(
        await linked.read(EMPTY, linked.world.friend), number, linked.world.friend
    )
    assert "Watch replies" not in buttons_of(opened)
    pressed = await press_again(
        linked.world.friend,
        linked.world.channel,
        answer_of(opened),
        TellReplies(PageKey(int(EMPTY)), number).custom_id(),
    )
    assert "This comment isn't yours" in text_of(pressed)


async def test_news_are_told_in_the_member_s_language(linked: ForumTown) -> None:
    world = linked.world
    speak_language(world.env, "de")
    posted = await linked.post("Wer mag Eicheln?")
    asked = await linked.press(posted, "Antworten beobachten")
    assert (
        "Du bekommst 90 Tage lang eine Direktnachricht zu Antworten auf diesen Kommentar."
        in text_of(asked)
    )
    watched = await world.slash("forum watch", words="nuss*", thread=EMPTY)
    assert "Du beobachtest: Kommentare mit „nuss\\*“" in text_of(watched)
    await look(linked)
    await answer(linked, number_of(posted), "Ich")
    await linked.post("Nussbaum", actor=world.friend)
    await look(linked)
    (news,) = told(linked)
    assert "**Sprig hat dir geantwortet** · Quiet corner\n> Ich" in text_of(news)
    assert "**Ein Kommentar mit „nuss\\*“** · Quiet corner" in text_of(news)
    assert selects_of(news)[1]["placeholder"] == "Antworten nicht mehr beobachten…"
    listed = text_of(await world.slash("account watches"))
    assert "- **Antworten auf „Wer mag Eicheln?“** · Quiet corner" in listed


async def test_ten_wishes_for_words_are_enough_for_a_member(linked: ForumTown) -> None:
    for number in range(10):
        await linked.world.slash("forum watch", words=f"word{number}", thread=EMPTY)
    refused = text_of(await linked.world.slash("forum watch", words="eleventh", thread=EMPTY))
    assert "You can't add more watches\nYou can watch up to 10 things." in refused
    again = await linked.world.slash("forum watch", words="word3", thread=EMPTY)
    assert "You're already watching comments with “word3”" in text_of(again)


@pytest.mark.parametrize("writer", [player(id=None), player(id=77, screen_name="Sprig")])
async def test_who_is_unknown_in_the_game_is_told_that_a_reply_may_be_their_own(
    tmp_path: Path, writer: dict[str, Any]
) -> None:
    nobody = player(id=None)
    async with open_rogue_thread() as game, open_world(tmp_path, base_url=game.base_url) as world:
        game.comments = [comment(id=1, player=nobody)]
        await world.bot.features.accounts.link(world.member.id, SecretStr("a-token"), [])
        posted = await world.slash("forum post", thread="1", content="Who likes acorns?")
        await world.member.click(answer_of(posted), label="Watch replies")
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        own = next(entry for entry in game.comments if entry["content"] == "Who likes acorns?")
        below = comment(id=50, depth=2, player=writer, content="I do", created_at=just_now())
        own |= {"children": [below], "children_count": 1}
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        await tried(world)
        member: Any = world.member
        (news,) = member.user.dm_channel.history()
        assert "I do" in text_of(news)
        assert (
            "Kiosk doesn't know which player you are, so this may be your own comment."
        ) in text_of(news)


async def test_a_reply_that_the_game_names_late_as_the_members_own_is_not_told(
    tmp_path: Path,
) -> None:
    def said(number: int, text: str, **writer: Any) -> dict[str, Any]:
        by = player(**writer)
        return comment(id=number, depth=2, player=by, content=text, created_at=just_now())

    async with open_rogue_thread() as game, open_world(tmp_path, base_url=game.base_url) as world:
        game.comments = [comment(id=1)]
        await world.bot.features.accounts.link(world.member.id, SecretStr("a-token"), [])
        posted = await world.slash("forum post", thread="1", content="Who likes acorns?")
        await world.member.click(answer_of(posted), label="Watch replies")
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        own = next(entry for entry in game.comments if entry["content"] == "Who likes acorns?")
        own |= {"children": [said(50, "I do", id=8)], "children_count": 1}
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        await tried(world)
        nameless = {"id": None, "screen_name": ""}
        later = [said(51, "So do I", **nameless), said(52, "Me, too", **nameless)]
        own |= {"children": [*own["children"], *later], "children_count": 3}
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)

        # Meanwhile the message waits for its hour.
        later[0]["player"], later[1]["player"] = player(), player(id=8, screen_name="Sprig")
        await world.pass_time(AN_HOUR)

        member: Any = world.member
        first, news = member.user.dm_channel.history()
        assert "I do" in text_of(first)
        assert "Me, too" in text_of(news)
        assert "So do I" not in text_of(news)


async def test_what_is_held_back_is_not_told_while_the_game_fails_either(tmp_path: Path) -> None:
    def said(number: int, text: str) -> dict[str, Any]:
        return comment(id=number, content=text, created_at=just_now())

    async with open_rogue_thread() as game, open_world(tmp_path, base_url=game.base_url) as world:
        game.comments = [said(1, "Hello")]
        await world.watch_words("toadstool")
        await world.slash("forum watch", words="acorn", thread="1")
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        game.comments[:0] = [said(4, "An acorn"), said(3, "Acorn, toadstool"), said(2, "My acorn")]
        assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        await tried(world)
        game.failing_pages.add(1)
        # No page is at hand any more.
        await world.pass_time(AN_HOUR)
        await world.slash("moderate remove", world.moderator, comment="2", reason="Spam")
        await tried(world)

        member: Any = world.member
        (news,) = member.user.dm_channel.history()
        assert text_of(news) == (
            "### A comment with “acorn”\n-# Thread 1\nKiosk can't show the comment here right now."
        )


async def test_what_comes_before_the_first_look_is_told(tmp_path: Path) -> None:
    async with open_rogue_thread() as game, open_world(tmp_path, base_url=game.base_url) as world:
        game.comments = [comment(id=1)]
        await world.bot.features.accounts.link(world.member.id, SecretStr("a-token"), [])
        shown = await world.slash("account show")
        await world.member.click(answer_of(shown), label="Watch all replies")
        game.failing_pages.add(1)
        await world.slash("forum watch", thread="1", words="acorn")
        await world.slash("forum post", thread="1", content="Who likes acorns?")
        await tried(world)
        own = next(entry for entry in game.comments if entry["content"] == "Who likes acorns?")
        sprig = player(id=8, screen_name="Sprig")
        said = {"player": sprig, "content": "I do, at once", "created_at": just_now()}
        below = comment(id=50, depth=2, **said)
        own |= {"children": [below], "children_count": 1}
        game.comments.insert(0, comment(id=51, content="Me, too", created_at=just_now()))
        game.comments.insert(0, comment(id=52, **said | {"content": "An acorn!"}))
        game.failing_pages.clear()
        for _ in range(2):
            assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)
        await tried(world)

        member: Any = world.member
        (news,) = member.user.dm_channel.history()
        assert "I do, at once" in text_of(news)
        assert "An acorn!" in text_of(news)
        assert "Me, too" not in text_of(news)
