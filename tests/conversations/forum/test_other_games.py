"""Games that leave off differently than our own, and presses that no client sends."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import SMALL, ForumTown, can_press
from tests.support.game_samples import comment, just_now, page, player, written_comment
from tests.support.gates import PATIENCE_SECONDS
from tests.support.presses import choose_forged
from tests.support.rogue_game import cut, open_rogue_game, reply, silence
from tests.support.world import open_world

_FULL_PAGE = reply(page(*(comment(id=number) for number in range(1, 16))))
_EMPTY_PAGE = reply(page())
_MAINTENANCE = reply(b"<html>We are back soon.</html>", headers={"Content-Type": "text/html"})
_UNKNOWN = reply({"message": "Not found."}, status=404)


async def test_a_thread_ends_where_the_game_calls_the_next_page_unknown(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_FULL_PAGE, _UNKNOWN)

        card = await world.slash("forum read", thread="1")
        for _ in range(3):
            if can_press(card, "Next"):
                next_button = buttons_of(card)["Next"]["custom_id"]
                await world.member.click(answer_of(card), custom_id=next_button)

        assert "11 to 15" in text_of(card)
        assert not can_press(card, "Next")


async def test_kiosk_stops_while_a_page_is_fetched_ahead(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS), open_rogue_game() as game:
        async with open_world(tmp_path, game.base_url) as world:
            game.answers(_FULL_PAGE, silence)
            card = answer_of(await world.slash("forum read", thread="1"))
            await game.arrivals.get()
            await world.member.click(card, label="Next")
            await world.member.click(card, label="Next")
            fetched_ahead = await game.arrivals.get()
            assert fetched_ahead.path.endswith("page=2")

        # It was not waited for, or it would have been asked for again.
        assert len(game.asked) == 2


async def test_a_thread_that_is_unknown_is_named_on_any_page(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_UNKNOWN)

        card = await world.slash("forum read", thread="1", page=3)

        assert "The game doesn't have that thread" in text_of(card)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_closed_thread_is_no_bad_link(tmp_path: Path, status: int) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply(status=status))

        card = await world.slash("forum read", thread="1")

        assert "The game doesn't show this thread" in text_of(card)
        assert "Link account" not in buttons_of(card)


@pytest.mark.parametrize("status", [401, 403, 404, 429])
async def test_a_page_in_front_of_the_game_is_not_its_word(linked: ForumTown, status: int) -> None:
    async def answer(*_: object) -> web.Response:
        return web.Response(status=status, text="<html>error code: 1020</html>")

    world = linked.world
    linked.proxy.manner = answer
    shown = [
        await world.slash("shop browse", catalog="1"),
        await world.slash("forum read", thread=SMALL),
        await world.link(world.member, "rubbish"),
    ]
    linked.proxy.manner = None

    assert all("The game isn't answering" in text_of(card) for card in shown)
    assert "You post and shop as yourself" in text_of(await world.slash("account show"))
    assert "Comment posted" in text_of(await linked.post("As myself"))


_REJECTED = "The game rejected what you sent"
_CHANGE = "Change what you entered, then try again."


@pytest.mark.parametrize(
    ("status", "says", "ours", "then"),
    [
        (
            409,
            "message",
            "This conflicts with something in the game",
            "Check your account in the game, then try again.",
        ),
        (422, "message", _REJECTED, _CHANGE),
        (429, "message", "The game only accepts a few requests", "Wait a minute, then try again."),
        (422, "error", _REJECTED, _CHANGE),
    ],
)
async def test_the_games_own_words_stand_in_place_of_ours(
    tmp_path: Path, status: int, says: str, ours: str, then: str
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply({says: "Computer says *no*."}, status=status))

        card = await world.slash("forum read", thread="1")

        has_words = says == "message"
        title, *lines = text_of(card).split("\n")
        said = ["The game says: “Computer says \\*no\\*.”", "Nothing was changed.", then]
        assert (lines == said) == has_words, title
        assert (ours in text_of(card)) != has_words
        assert buttons_of(card)


async def test_what_the_game_says_of_a_field_is_told(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        told = {"message": "Invalid.", "errors": {"content": ["No *shouting*.", "Too loud."]}}
        game.answers(_EMPTY_PAGE, reply(told, status=422))
        await world.settle(world.member, "a-token")

        card = await world.slash("forum post", thread="1", content="HELLO")

        title, said, kept, text, _ = text_of(card).split("\n")
        assert title == "### Your comment isn't posted yet"
        assert said == "The game says: “No \\*shouting\\*. Too loud.”"
        assert kept == "Your text is saved here for 24 hours."
        assert text == ">>> HELLO"
        listed = await world.slash("forum unsent")
        (entry,) = selects_of(listed)[0]["options"]
        await world.member.select(answer_of(listed), [entry["value"]])
        assert text_of(listed) == text_of(card)


async def test_the_games_words_stand_on_a_line_of_their_own(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_EMPTY_PAGE, reply({"message": "Down for maintenance"}, status=503))
        await world.settle(world.member, "a-token")

        card = await world.slash("forum post", thread="1", content="Hello")

        _, said, then, text, _ = text_of(card).split("\n")
        assert said == "The game says: “Down for maintenance”"
        assert then.startswith("Kiosk checks Thread 1 for your text.")
        assert text == ">>> Hello"


async def test_a_refusal_without_words_is_named_and_nothing_is_guessed(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_EMPTY_PAGE, reply({}, status=403))
        await world.settle(world.member, "a-token")

        card = await world.slash("forum post", thread="1", content="Hello")

        title, why, waits, *_ = text_of(card).split("\n")
        assert title == "### Your comment isn't posted yet"
        assert why == "The game doesn't allow this"
        assert waits == "Your text is saved here for 24 hours."
        assert can_press(card, "Edit")


async def test_a_pause_that_the_game_asks_for_is_told_with_its_end(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_EMPTY_PAGE, reply({}, status=429, headers={"Retry-After": "60"}))
        await world.settle(world.member, "a-token")

        card = await world.slash("forum post", thread="1", content="Hello")

        assert "The game is limiting requests\nYour text is saved" in text_of(card)
        assert "The game accepts requests again <t:" in text_of(card)


async def test_a_page_of_html_is_no_proof_that_a_comment_was_changed(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        said_before = written_comment(id=31, content="Said before", created_at=just_now())
        said = reply({"data": said_before})
        game.answers(_EMPTY_PAGE, said, _MAINTENANCE)
        await world.settle(world.member, "a-token")
        await world.slash("forum post", thread="1", content="Said before")

        card = await world.slash("forum edit", comment="31", content="Typed with care")

        assert "Typed with care" in text_of(card)
        assert can_press(card, "Try again")


@pytest.mark.parametrize("status", [200, 202, 204])
async def test_an_empty_success_settles_nothing(tmp_path: Path, status: int) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        posted = reply(page(comment(id=1, content="Hello", created_at=just_now())))
        game.answers(_EMPTY_PAGE, reply(status=status), _EMPTY_PAGE, posted)
        await world.settle(world.member, "a-token")

        card = await world.slash("forum post", thread="1", content="Hello")
        assert "Was your comment posted?" in text_of(card)
        await world.member.click(answer_of(card), label="Check now")

        # No one knows yet who the member is in the game.
        assert "Kiosk doesn't know if this went through" in text_of(card)


async def test_what_a_member_said_long_ago_is_not_taken_for_a_lost_comment(tmp_path: Path) -> None:
    said_now = written_comment(id=2, content="Hello", created_at=just_now())
    said_long_ago = comment(id=1, content="Good morning")
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        listed = reply(page({**said_now, "children": [], "children_count": 0}, said_long_ago))
        game.answers(_EMPTY_PAGE, reply({"data": said_now}), cut, listed)
        await world.settle(world.member, "a-token")
        await world.slash("forum post", thread="1", content="Hello")

        card = await world.slash("forum post", thread="1", content="Good morning")

        assert "Was your comment posted?" in text_of(card)


@pytest.mark.parametrize(
    "taken",
    [
        {"content": "[removed by a filter]"},
        {"content": "awaiting approval"},
        {"content": "See kio.sk/1 :wave:", "player": player(id=8)},
        {"created_at": "2001-01-01T00:00:00.000000Z"},
    ],
)
async def test_what_the_game_took_is_posted(tmp_path: Path, taken: dict[str, Any]) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        said = reply({"data": written_comment(id=1, created_at=just_now())})
        game.answers(_EMPTY_PAGE, said, reply({"data": written_comment(id=2) | taken}), _EMPTY_PAGE)
        await world.settle(world.member, "a-token")
        await world.slash("forum post", thread="1", content="Hello")

        card = await world.slash("forum post", thread="1", content="See https://example.com/1 👋")

        assert "Comment posted" in text_of(card)
        assert not can_press(card, "Try again")
        listed = await world.slash("forum unsent")
        assert "You have no unsent texts" in text_of(listed)
        assert len([asked for asked in game.asked if asked.method == "POST"]) == 2


@pytest.mark.parametrize("status", [403, 409, 422])
@pytest.mark.parametrize("command", ["forum post", "forum reply"])
async def test_a_refused_text_costs_no_reading(tmp_path: Path, status: int, command: str) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_EMPTY_PAGE)
        await world.settle(world.member, "a-token")
        before = len(game.asked)
        refused = {"message": "No.", "errors": {"comment_id": ["No such comment."]}}
        game.answers(reply(refused, status=status))
        parent = {"comment": "31"} if command == "forum reply" else {}

        card = await world.slash(command, thread="1", content="Hello", **parent)
        assert can_press(card, "Edit")
        await world.member.click(answer_of(card), label="Discard…")
        await world.member.click(answer_of(card), label="Discard")

        assert "The text wasn't sent, and Kiosk no longer keeps it" in text_of(card)
        assert [asked.method for asked in game.asked[before:]] == ["POST"]


async def test_a_deletion_that_the_game_denies_is_not_told_as_done(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        said = written_comment(id=1, content="Hello", created_at=just_now())
        listed = page({**said, "children": [], "children_count": 0})
        game.answers(_EMPTY_PAGE, reply({"data": said}), reply(listed), reply({"success": False}))
        await world.settle(world.member, "a-token")
        card = await world.slash("forum post", thread="1", content="Hello")

        await world.member.click(answer_of(card), label="Delete comment")
        await world.member.click(answer_of(card), label="Delete comment")

        assert "Was the comment deleted?" in text_of(card)


async def test_a_list_entry_that_nobody_made_is_an_old_button(town: ForumTown) -> None:
    world, shown = town.world, answer_of(await town.read(SMALL))

    for value in ("", "open", "open.x", "close.1"):
        told = await choose_forged(
            world.member, world.channel, shown, "kiosk.forum.open_or_reply:2:latest:1", value
        )
        assert "no longer works" in text_of(told)


async def test_what_no_card_of_ours_sends_is_an_old_button(town: ForumTown) -> None:
    world, shown = town.world, answer_of(await town.read(SMALL))

    async def choose(custom_id: str, value: str) -> str:
        told = await choose_forged(world.moderator, world.channel, shown, custom_id, value)
        return text_of(told)

    assert "no longer works" in await choose("kiosk.moderate.pick", "open.118")
    assert "no longer works" in await choose("kiosk.moderate.report_pick", "")
    assert "no longer works" in await choose("kiosk.choose_action:", "kiosk.find:buy%:0:Hat")
    assert "no longer works" in await choose("kiosk.setup.rename:", "no form at all")
    # Numbers that no database holds, and no calendar.
    assert "no longer works" in await choose("kiosk.choose_action:", "9" * 70)
    assert "no longer works" in await choose(
        "kiosk.forum.open_or_reply:2:latest:1", "open." + "9" * 70
    )
    assert "no longer works" in await choose(f"kiosk.moderate.log:{2**63 - 1}:0:0:-1", "x")
    assert "no longer works" in await choose("kiosk.moderate.log:1000000:0:0:-1", "x")


async def test_half_of_a_surrogate_pair_is_looked_for_like_any_other_text(town: ForumTown) -> None:
    told = await town.read("no such \ud800 thread")
    assert "Kiosk doesn't know that name" in text_of(told)


async def test_comments_are_suggested_for_no_thread_as_an_empty_list(town: ForumTown) -> None:
    world = town.world
    assert await world.member.autocomplete(world.channel, "forum reply", "comment", "4") == []
