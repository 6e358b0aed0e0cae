"""A member's own comments of a thread, however much Kiosk knows of who they are."""

from pathlib import Path

import pytest

from playground.simulation import speak_language
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import EMPTY, SMALL, ForumTown, entries_of, number_of, numbers_of
from tests.support.game_samples import comment, player
from tests.support.languages import english_shown
from tests.support.rogue_game import open_rogue_thread
from tests.support.world import NEWCOMER, SUBSCRIBER, open_world

_UNKNOWN = (
    "Kiosk doesn't know which player you are, so this lists only comments you posted through Kiosk."
)
_LONG = "-# Kiosk searched comments 1 to 300, counting from the newest, and 0 replies to them."


async def own(town: ForumTown) -> str:
    return text_of(await town.press(await town.read(EMPTY), "Your comments"))


async def test_they_are_listed_with_how_many_replied(linked: ForumTown) -> None:
    friend = linked.world.friend
    first = await linked.post("Has anybody seen my cap?")
    await linked.post("I have", actor=friend)
    await linked.post("Elsewhere", thread=SMALL)
    number = str(number_of(first))
    await linked.world.in_the_app(SUBSCRIBER, "Under the oak", below=int(number))
    reply = {"thread": EMPTY, "comment": number, "content": "No, by the pond"}
    await linked.world.slash("forum reply", friend, **reply)
    card = await linked.read(EMPTY)
    await linked.press(card, "Refresh")
    listed = await linked.press(card, "Your comments")

    assert "**Your comments**\n2 comments found.\n" in text_of(listed)
    assert "Kiosk searched the whole thread." in text_of(listed)
    assert f"#{number} · 2 replies\nHas anybody seen my cap?" in text_of(listed)
    assert "Under the oak" in text_of(listed)
    assert "pond" not in text_of(listed)
    assert "Elsewhere" not in text_of(listed)
    assert _UNKNOWN not in text_of(listed)
    opened = await linked.choose(listed, "Has anybody seen my cap?")
    assert "Edit" in buttons_of(opened)
    assert "**Your comments**" in text_of(listed)
    await linked.press(listed, "Thread")
    assert "1 to 2 · latest first" in text_of(listed)


async def test_whoever_wrote_nothing_is_told_so_and_the_game_is_not_asked(town: ForumTown) -> None:
    card = await town.read(SMALL)
    asked = town.reads
    await town.press(card, "Your comments")

    assert (
        f"No comments found.\n-# You haven't posted in this thread through Kiosk.\n-# {_UNKNOWN}"
        in text_of(card)
    )
    assert town.reads == asked


async def test_those_of_the_player_before_are_not_ones_own(linked: ForumTown) -> None:
    world = linked.world
    await linked.post("As Juniper")
    assert "As Juniper" in await own(linked)
    await world.link(world.member, NEWCOMER)
    await linked.post("As Sprig")

    assert "As Sprig" in await own(linked)
    assert "As Juniper" not in await own(linked)
    await world.link(world.member, SUBSCRIBER)
    await linked.world.known(linked.world.member)
    assert "As Juniper" in await own(linked)


@pytest.mark.parametrize("hides", ["removal", "word"])
async def test_where_the_game_names_no_writers_it_is_what_was_written_here(
    tmp_path: Path, hides: str
) -> None:
    async with open_rogue_thread() as game, open_world(tmp_path, game.base_url) as world:
        others = [comment(id=number, player=player(id=None)) for number in range(400, 0, -1)]
        game.comments = list(others)
        await world.settle(world.member, "a-token")
        posted = await world.slash("forum post", thread="1", content="Mine, long ago")
        number = number_of(posted)
        await world.slash("forum post", thread="1", content="Mine, and new")
        old = game.comments.pop(1)
        game.comments[1:] = [*others[:350], old, *others[350:]]
        card = answer_of(await world.slash("forum read", thread="1"))
        await world.member.click(card, label="Refresh")
        await world.bot.tasks.until_finished()
        await world.member.click(card, label="Your comments")

        assert f"-# {_UNKNOWN}" in text_of(card)
        older = "The list also includes 1 older comment that you posted through Kiosk."
        assert f"{_LONG} {older}" in text_of(card)
        assert numbers_of(card) == [number + 1, number]
        # No one has asked whether the older comment is still there.
        (listed,) = selects_of(card)
        opened = await world.member.select(
            card, [list(entries_of(card))[1]], custom_id=listed["custom_id"]
        )
        assert "Kiosk can't find that comment" in text_of(opened)

        if hides == "word":
            await world.watch_words("ago")
        else:
            moderator, removed = world.moderator, str(number)
            await world.slash("moderate remove", moderator, comment=removed, reason="Spam")
        card = answer_of(await world.slash("forum read", thread="1"))
        await world.member.click(card, label="Your comments")
        assert numbers_of(card) == [number + 1]


async def test_what_the_player_before_wrote_long_ago_is_not_ones_own(tmp_path: Path) -> None:
    async with open_rogue_thread() as game, open_world(tmp_path, game.base_url) as world:
        for player_id in (7, 8):
            writer = player(id=player_id)
            game.comments[:0] = [comment(id=1000 * player_id + n) for n in range(400, 0, -1)]
            game.comments[0] = comment(id=9000 + player_id, player=writer)
            await world.settle(world.member, f"a-token-{player_id}")
            # By the first one Kiosk learns who they are.
            for text in ("Hello", f"As player {player_id}"):
                await world.slash("forum post", thread="1", content=text)
            others = [comment(id=2000 * player_id + n, player=player(id=1)) for n in range(400)]
            game.comments[:0] = others
            card = answer_of(await world.slash("forum read", thread="1"))
            await world.member.click(card, label="Refresh")
            await world.member.click(card, label="Your comments")

            assert f"1 comment found.\n{_LONG}" in text_of(card)
            assert f"As player {player_id}" in text_of(card)


async def test_all_of_it_is_said_in_german(linked: ForumTown) -> None:
    world = linked.world
    await linked.post("Hallo zusammen")
    past = len(world.env.http_requests)
    speak_language(world.env, "de")
    listed = await linked.press(await linked.read(EMPTY), "Deine Kommentare")
    assert "**Deine Kommentare**\n1 Kommentar gefunden." in text_of(listed)
    nothing = await linked.press(await linked.read(SMALL), "Deine Kommentare")
    assert "Keine Kommentare gefunden." in text_of(nothing)
    del world.env.http_requests[:past]
    assert not english_shown(world.env, "de")


async def test_comments_without_text_have_an_entry_in_every_list(linked: ForumTown) -> None:
    number = number_of(await linked.post("Has anybody seen my cap?"))
    await linked.game.database.execute("UPDATE comments SET content = '\u200b'")
    card = await linked.read(EMPTY)
    await linked.press(card, "Refresh")
    open_it, reply = entries_of(card).values()
    assert open_it["label"].endswith(": (no text)")
    assert reply["description"] == "(no text)"
    found = await linked.press(card, "Your comments")
    assert [entry["label"] for entry in entries_of(found).values()] == ["(no text)"]
    offered = await linked.world.member.autocomplete(
        linked.world.channel, "forum reply", "comment", "", thread=EMPTY
    )
    assert offered[0]["name"].startswith(f"#{number} ")
    assert offered[0]["name"].endswith(": (no text)")
