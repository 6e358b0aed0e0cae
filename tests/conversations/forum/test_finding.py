"""Finding comments of a thread by words and by players, as members and moderators do it."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import simcord

from playground.simulation import speak_language
from tests.support.cards import answer_of, blue_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.forum import EMPTY, ForumTown, entries_of, number_of, numbers_of
from tests.support.game_samples import comment, player
from tests.support.languages import english_shown
from tests.support.rogue_game import RogueThread, open_rogue_thread
from tests.support.world import World, open_world


async def find(
    town: ForumTown,
    thread: str = EMPTY,
    actor: simcord.MemberActor | None = None,
    /,
    **typed: str | None,
) -> simcord.InteractionResult:
    """Press Find on a thread's card, and fill the form in."""
    actor = actor or town.world.member
    form = await town.press(await town.read(thread, actor), "Find", actor)
    return await fill_in(actor, form, **typed)


@pytest.fixture
async def talk(linked: ForumTown) -> ForumTown:
    """A thread of four comments by two players."""
    friend = linked.world.friend
    await linked.post("Acorns are out. An acorn cap!")
    await linked.post("The ACORN of my eye", actor=friend)
    first = await linked.post("Acornutopia? In the oak park")
    await linked.world.slash(
        "forum reply", friend, thread=EMPTY, comment=str(number_of(first)), content="No acorn cap"
    )
    return linked


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ("acorn", ["No acorn cap", "The ACORN of my eye", "Acorns are out. An acorn cap!"]),
        ("cap acorn", ["No acorn cap", "Acorns are out. An acorn cap!"]),
        ("“acorn, cap”", ["No acorn cap", "Acorns are out. An acorn cap!"]),
        ("acorns", ["Acorns are out. An acorn cap!"]),
        ("acornu*", ["Acornutopia? In the oak park"]),
        ("*topia", ["Acornutopia? In the oak park"]),
        ("a\u0441\u043ern ey\u0435", ["The ACORN of my eye"]),
        ("acor", []),
        ("acorn oak", []),
    ],
)
async def test_all_words_are_found_whole_or_as_their_stars_say(
    talk: ForumTown, words: str, texts: list[str]
) -> None:
    found = await find(talk, words=words)

    listed = [entry["label"].partition(": ")[2] for entry in entries_of(found).values()]
    assert listed == texts
    assert all(text in text_of(found) for text in texts)
    assert "Kiosk looked through the whole thread." in text_of(found)
    assert ("Nothing found." in text_of(found)) == (not texts)


async def test_what_differs_by_a_letter_with_a_mark_is_not_found(linked: ForumTown) -> None:
    await linked.post("ばば です")
    await linked.post("это мой дом")

    assert "1 comment found." in text_of(await find(linked, words="ばば"))
    assert "Nothing found." in text_of(await find(linked, words="はは"))
    assert "1 comment found." in text_of(await find(linked, words="мой"))
    assert "Nothing found." in text_of(await find(linked, words="мои*"))


async def test_a_player_is_found_by_a_part_of_the_name(talk: ForumTown) -> None:
    by_name = await find(talk, player="JUNI")
    both = await find(talk, words="cap", player="sprig")
    nobody = await find(talk, words="cap", player="fern")

    assert "**Comments by “JUNI”**\n2 comments found." in text_of(by_name)
    assert text_of(by_name).count("**Juniper**") == 2
    assert "**Comments by “sprig” with “cap”**\n1 comment found." in text_of(both)
    assert "No acorn cap" in text_of(both)
    assert "**Comments by “fern” with “cap”**\nNothing found." in text_of(nobody)


async def test_what_is_found_opens_beside_the_list(talk: ForumTown) -> None:
    found = await find(talk, words="park")
    assert "· 1 reply\nAcornutopia?" in text_of(found)
    assert selects_of(found)[0]["placeholder"] == "Open…"
    opened = await talk.choose(found, "Juniper: Acornutopia? In the oak park")

    assert "**1 reply**" in text_of(opened)
    assert "Edit" in buttons_of(opened)
    assert "Comments with “park”" in text_of(found)
    assert "A comment fits if it has all of them." in text_of(found)
    assert answer_of(opened).id != answer_of(found).id
    await talk.press(found, "Thread")
    assert "1 to 3 · latest first" in text_of(found)


async def test_other_words_are_typed_over_those_before(talk: ForumTown) -> None:
    found = await find(talk, words="wallnut")
    assert blue_of(found) == ["Find again"]
    asked = talk.reads
    form = await talk.press(found, "Find again")
    assert presets(talk.world.member, form) == {"words": "wallnut"}
    again = await fill_in(talk.world.member, form, words="oak")

    assert "1 comment found." in text_of(again)
    assert not blue_of(again)
    # All of it was read a moment ago.
    assert talk.reads == asked


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "What would you like to find?\nYou gave neither words nor a player's name."),
        ("  ", "What would you like to find?"),
        ("*", "Kiosk can't look for “\\*”\nIt has no letter to look for"),
        ("oak a*b", "Kiosk can't look for “a\\*b”"),
    ],
)
async def test_what_nothing_can_be_found_by_is_asked_for_again(
    talk: ForumTown, words: str, says: str
) -> None:
    refused = await find(talk, words=words)
    assert says in text_of(refused)
    form = await talk.press(refused, "Try again")
    found = await fill_in(talk.world.member, form, words="oak")

    assert "1 comment found." in text_of(found)


async def test_what_is_found_from_a_public_card_is_for_its_finder_alone(talk: ForumTown) -> None:
    friend = talk.world.friend
    card = await talk.read(EMPTY, public=True)
    shown = text_of(card)
    found = await fill_in(friend, await talk.press(card, "Find", friend), words="oak")
    listed = await talk.press(card, "Your comments", friend)

    assert "1 comment found." in text_of(found)
    assert "2 comments found." in text_of(listed)
    assert answer_of(found).ephemeral
    assert answer_of(listed).ephemeral
    assert text_of(card) == shown


@pytest.mark.parametrize("who", ["member", "moderator"])
async def test_what_the_server_hides_is_not_found(talk: ForumTown, who: str) -> None:
    world = talk.world
    actor = getattr(world, who)
    before = await find(talk, EMPTY, actor, words="acorn")
    assert "3 comments found." in text_of(before)

    (removed,) = (number for number in numbers_of(before) if number == number_of(before))
    await world.slash("moderate remove", world.moderator, comment=str(removed), reason="Spam")
    await world.watch_words("eye")
    by_word = text_of(await find(talk, EMPTY, actor, words="acorn"))
    by_sentence = text_of(await find(talk, EMPTY, actor, words="moderator"))
    by_name = text_of(await find(talk, EMPTY, actor, player="sprig"))

    assert "1 comment found." in by_word
    assert "An acorn cap!" in by_word
    assert "Nothing found." in by_sentence
    # In its place, but without its text.
    assert "1 comment found." in by_name
    assert "Held back: a moderator decides." in by_name


async def test_all_of_it_is_said_in_german(talk: ForumTown) -> None:
    world = talk.world
    past = len(world.env.http_requests)
    speak_language(world.env, "de")
    form = await talk.press(await talk.read(EMPTY), "Suchen")
    assert form.modal is not None
    assert form.modal["title"] == "Suchen in Quiet corner"
    found = await fill_in(world.member, form, words="acorn", player="Juni")
    assert "**Kommentare von „Juni“ mit „acorn“**\n1 Kommentar gefunden." in text_of(found)
    assert "Kiosk hat den ganzen Thread durchgesehen." in text_of(found)
    form = await talk.press(found, "Neu suchen")
    empty = await fill_in(world.member, form, words=None, player=None)
    assert "Du hast weder Wörter noch einen Spielernamen angegeben." in text_of(empty)
    del world.env.http_requests[:past]
    assert not english_shown(world.env, "de")


@pytest.fixture
async def long(tmp_path: Path) -> AsyncGenerator[tuple[RogueThread, World]]:
    """A thread of 1,000 comments, every tenth of them with a word."""
    async with open_rogue_thread() as game, open_world(tmp_path, game.base_url) as world:
        game.comments = [
            comment(
                id=number,
                content=f"An acorn, number {number}" if number % 10 == 0 else "A nut",
                player=player(screen_name=f"Player {number}"),
            )
            for number in range(1000, 0, -1)
        ]
        yield game, world


Long = tuple[RogueThread, World]


async def find_in(world: World, shown: Any, **typed: str) -> simcord.InteractionResult:
    form = await world.member.click(answer_of(shown), label="Find")
    return await fill_in(world.member, form, **typed)


async def test_of_a_long_thread_the_newest_pages_are_looked_through(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1")
    found = await find_in(world, card, words="acorn")

    assert "30 comments found." in text_of(found)
    assert "Kiosk looked in the newest 300 comments and their replies." in text_of(found)
    assert numbers_of(found) == list(range(1000, 920, -10))
    assert len(entries_of(found)) == 25
    assert "The list has the newest 25." in text_of(found)
    assert sorted(game.pages_asked) == list(range(1, 21))
    # How far it has come was shown meanwhile.
    assert any("60 comments read so far." in str(request) for request in world.env.http_requests)


async def test_pages_at_hand_are_looked_through_too(long: Long) -> None:
    game, world = long
    # The last ones: numbers 1 to 10.
    card = await world.slash("forum read", thread="1", page=199)
    found = await find_in(world, card, words="acorn", player="player 10")
    assert numbers_of(found) == [1000, 10]
    number = len(game.pages_asked)
    opened = await world.member.select(
        answer_of(found), [list(entries_of(found))[1]], custom_id=selects_of(found)[0]["custom_id"]
    )

    assert "An acorn, number 10" in text_of(opened)
    assert len(game.pages_asked) == number


async def test_a_failure_half_way_says_how_far_was_looked(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1")
    game.failing_pages = set(range(4, 21))
    found = await find_in(world, card, words="acorn")

    assert "5 comments found." in text_of(found)
    says = "⚠️ The game stopped answering: Kiosk looked only in the newest 45 comments."
    assert says in text_of(found)
    game.failing_pages = set()
    form = await world.member.click(answer_of(found), label="Find again")
    again = await fill_in(world.member, form)
    assert "the newest 300 comments" in text_of(again)
    assert set(game.pages_asked) == set(range(1, 21))


async def test_a_game_that_does_not_answer_at_all_is_said_and_tried_again(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1", sort="hottest")
    game.failing_pages = {1}
    failed = await find_in(world, card, words="acorn")

    assert "The game doesn't answer" in text_of(failed)
    game.failing_pages = set()
    form = await world.member.click(answer_of(failed), label="Try again")
    assert presets(world.member, form) == {"words": "acorn"}
    assert "30 comments found." in text_of(await fill_in(world.member, form))


async def test_a_comment_that_moves_on_is_found_once(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1")
    game.comments = [comment(id=number) for number in (1003, 1002, 1001)] + game.comments
    found = await find_in(world, card, words="acorn")

    assert len(numbers_of(found)) == len(set(numbers_of(found)))
