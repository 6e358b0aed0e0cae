"""Finding comments of a thread by words and by players, as members and moderators do it."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import simcord

from cogs.find.actions import MAX_PLAYER_LENGTH, MAX_WORDS_LENGTH
from playground.simulation import speak_language
from storage.names import PlaceKind
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
    assert "Kiosk searched the whole thread." in text_of(found)
    assert ("No comments found." in text_of(found)) == (not texts)


async def test_what_differs_by_a_letter_with_a_mark_is_not_found(linked: ForumTown) -> None:
    await linked.post("ばば です")
    await linked.post("это мой дом")

    assert "1 comment found." in text_of(await find(linked, words="ばば"))
    assert "No comments found." in text_of(await find(linked, words="はは"))
    assert "1 comment found." in text_of(await find(linked, words="мой"))
    assert "No comments found." in text_of(await find(linked, words="мои*"))


async def test_a_player_is_found_by_a_part_of_the_name(talk: ForumTown) -> None:
    by_name = await find(talk, player="JUNI")
    both = await find(talk, words="cap", player="sprig")
    nobody = await find(talk, words="cap", player="fern")

    assert "**Comments by “JUNI”**\n2 comments found." in text_of(by_name)
    assert text_of(by_name).count("**Juniper**") == 2
    assert "**Comments by “sprig” with “cap”**\n1 comment found." in text_of(both)
    assert "No acorn cap" in text_of(both)
    assert "**Comments by “fern” with “cap”**\nNo comments found." in text_of(nobody)


async def test_what_is_found_opens_beside_the_list(talk: ForumTown) -> None:
    found = await find(talk, words="park")
    assert "A comment matches" not in text_of(found)
    found = await find(talk, words="oak, park")
    assert "· 1 reply\nAcornutopia?" in text_of(found)
    assert selects_of(found)[0]["placeholder"] == "Open…"
    opened = await talk.choose(found, "Juniper: Acornutopia? In the oak park")

    assert "**1 reply**" in text_of(opened)
    assert "Edit" in buttons_of(opened)
    assert "Comments with “oak, park”" in text_of(found)
    assert "A comment matches if it contains all of these words." in text_of(found)
    assert answer_of(opened).id != answer_of(found).id
    await talk.press(found, "Thread")
    assert "1 to 3 · latest first" in text_of(found)


async def test_other_words_are_typed_over_those_before(talk: ForumTown) -> None:
    found = await find(talk, words="wallnut")
    assert blue_of(found) == ["Change search"]
    asked = talk.reads
    form = await talk.press(found, "Change search")
    assert presets(talk.world.member, form) == {"words": "wallnut"}
    again = await fill_in(talk.world.member, form, words="oak")

    assert "1 comment found." in text_of(again)
    assert not blue_of(again)
    # All of it was read a moment ago.
    assert talk.reads == asked


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "Your search is empty\nYou didn't enter any words or a player's name."),
        ("  ", "Your search is empty"),
        ("*", "Kiosk can't search for “\\*”\nIt contains nothing to search for"),
        ("oak a*b", "Kiosk can't search for “a\\*b”"),
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
    assert "No comments found." in by_sentence
    # In its place, but without its text.
    assert "1 comment found." in by_name
    assert "Hidden until a moderator reviews it." in by_name


async def test_all_of_it_is_said_in_german(talk: ForumTown) -> None:
    world = talk.world
    past = len(world.env.http_requests)
    speak_language(world.env, "de")
    form = await talk.press(await talk.read(EMPTY), "Suchen")
    assert form.modal is not None
    assert form.modal["title"] == "Suchen in Quiet corner"
    found = await fill_in(world.member, form, words="acorn", player="Juni")
    assert "**Kommentare von „Juni“ mit „acorn“**\n1 Kommentar gefunden." in text_of(found)
    assert "Kiosk hat den ganzen Thread durchsucht." in text_of(found)
    form = await talk.press(found, "Suche ändern")
    empty = await fill_in(world.member, form, words=None, player=None)
    assert "Du hast weder Wörter noch einen Spielernamen eingegeben." in text_of(empty)
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


HOW_FAR = re.compile(r"searched comments (\S+) to (\S+), counting")
_LOOKED = "Kiosk searched"


def pressable(shown: Any) -> set[str]:
    return {label for label, button in buttons_of(shown).items() if not button.get("disabled")}


async def find_in(world: World, shown: Any, **typed: str) -> simcord.InteractionResult:
    form = await world.member.click(answer_of(shown), label="Find")
    return await fill_in(world.member, form, **typed)


async def test_of_a_long_thread_the_newest_pages_are_looked_through(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1")
    found = await find_in(world, card, words="acorn")

    assert "30 comments found." in text_of(found)
    assert f"{_LOOKED} comments 1 to 300, counting from the newest" in text_of(found)
    assert numbers_of(found) == list(range(1000, 920, -10))
    assert "1 to 8 of 30" in text_of(found)
    assert len(entries_of(found)) == 8
    assert sorted(game.pages_asked) == list(range(1, 21))
    # How far it has come was shown meanwhile.
    assert any("60 comments read so far." in str(request) for request in world.env.http_requests)


async def test_all_that_is_found_is_shown_once_on_the_way_to_the_end(long: Long) -> None:
    game, world = long
    member = world.member
    card = answer_of(await world.slash("forum read", thread="1", sort="hottest"))
    await member.click(card, label="Next")
    await find_in(world, card, words="acorn")
    seen = numbers_of(card)
    looks = [HOW_FAR.findall(text_of(card))[0]]
    while {"Next", "Keep searching"} & pressable(card):
        if "Next" in pressable(card):
            asked = len(game.pages_asked)
            await member.click(card, label="Next")
            # What was read a moment ago is at hand.
            assert len(game.pages_asked) == asked
        else:
            await member.click(card, label="Keep searching")
            looks.append(HOW_FAR.findall(text_of(card))[0])
        assert len(entries_of(card)) == len(numbers_of(card)) <= 8
        seen += numbers_of(card)

    assert seen == list(range(1000, 0, -10))
    assert looks == [("1", "300"), ("301", "600"), ("601", "900"), ("901", "1,000")]
    assert "10 comments found." in text_of(card)
    assert "9 to 10 of 10" in text_of(card)
    assert "That's the end of the thread." in text_of(card)
    assert sorted(page for page in game.pages_asked if page > 1) == list(range(2, 68))
    await member.click(card, label="Previous")
    assert numbers_of(card) == list(range(100, 20, -10))
    await member.click(card, label="First")
    assert numbers_of(card) == list(range(1000, 920, -10))
    # Back to the page of the thread that the member left.
    await member.click(card, label="Thread")
    assert "6 to 10 · hottest first" in text_of(card)


async def test_after_a_restart_it_goes_on_with_the_same_words(long: Long) -> None:
    _, world = long
    card = answer_of(await world.slash("forum read", thread="1"))
    words = "acorn, number: 50%|" + " " * 10
    await find_in(world, card, words="acorn number", player="player 9")
    await world.restart()
    await world.member.click(card, label="Next")
    assert "“player 9” with “acorn number”" in text_of(card)
    assert numbers_of(card) == [910, 900]
    await world.member.click(card, label="Keep searching")
    assert "No comments found." in text_of(card)
    assert blue_of(card) == ["Keep searching"]
    form = await world.member.click(card, label="Change search")
    assert presets(world.member, form) == {"words": "acorn number", "player": "player 9"}
    await fill_in(world.member, form, words=words, player=None)
    assert "with “acorn, number: 50%\\|”" in text_of(card)
    await world.member.click(card, label="Keep searching")
    assert "with “acorn, number: 50%\\|”" in text_of(card)


async def test_the_longest_words_and_name_have_room(long: Long) -> None:
    _, world = long
    card = answer_of(await world.slash("forum read", thread="1"))
    words = "*" + "acorn " * 8 + "a"
    assert len(words) == MAX_WORDS_LENGTH
    await find_in(world, card, words=words, player="p" * MAX_PLAYER_LENGTH)
    for _ in range(3):
        await world.member.click(card, label="Keep searching")
    assert "That's the end of the thread." in text_of(card)
    form = await world.member.click(card, label="Change search")
    assert presets(world.member, form) == {"words": words, "player": "p" * MAX_PLAYER_LENGTH}


async def test_replies_count_among_what_was_looked_through(long: Long) -> None:
    game, world = long
    replies = [comment(id=5000 + n, depth=1, content="An acorn") for n in range(66)]
    game.comments[0] = comment(id=1000, content="A nut", children=replies, children_count=66)
    card = answer_of(await world.slash("forum read", thread="1"))
    await find_in(world, card, words="acorn")
    assert "95 comments found." in text_of(card)
    assert "comments 1 to 300, counting from the newest, and 66 replies to them." in text_of(card)
    hidden = str(numbers_of(card)[0])
    await world.slash("moderate remove", world.moderator, comment=hidden, reason="Spam")
    await world.member.click(card, label="Next")
    assert "94 comments found." in text_of(card)
    assert "and 65 replies to them." in text_of(card)


async def test_ones_own_comments_go_on_too(long: Long) -> None:
    game, world = long
    await world.settle(world.member, "a-token")
    posted = await world.slash("forum post", thread="1", content="Mine")
    mine, *others = game.comments
    for number, each in enumerate(others, start=1):
        each["player"] = player(id=mine["player"]["id"] if number % 50 == 0 else 2)
    card = answer_of(await world.slash("forum read", thread="1"))
    await world.member.click(card, label="Refresh")
    await world.member.click(card, label="Your comments")
    seen = numbers_of(card)
    assert seen[0] == number_of(posted)
    for _ in range(3):
        await world.member.click(card, label="Keep searching")
        seen += numbers_of(card)
    assert len(seen) == len(set(seen)) == 21
    assert "That's the end of the thread." in text_of(card)


async def test_a_failure_half_way_says_how_far_was_looked(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1")
    game.failing_pages = set(range(4, 21))
    found = await find_in(world, card, words="acorn")

    assert "5 comments found." in text_of(found)
    says = f"⚠️ The game stopped answering. {_LOOKED} comments 1 to 45, counting from the newest"
    assert says in text_of(found)
    await world.member.click(answer_of(found), label="Keep searching")
    # As nothing answers, the card stays as it was.
    assert says in text_of(found)
    game.failing_pages = set()
    await world.member.click(answer_of(found), label="Keep searching")
    assert f"{_LOOKED} comments 46 to 345, counting" in text_of(found)
    form = await world.member.click(answer_of(found), label="Change search")
    again = await fill_in(world.member, form)
    assert f"{_LOOKED} comments 1 to 300, counting" in text_of(again)
    assert set(game.pages_asked) == set(range(1, 24))


async def test_a_game_that_does_not_answer_at_all_is_said_and_tried_again(long: Long) -> None:
    game, world = long
    card = await world.slash("forum read", thread="1", sort="hottest")
    game.failing_pages = {1}
    failed = await find_in(world, card, words="acorn")

    assert "The game isn't answering" in text_of(failed)
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


async def test_the_words_of_a_search_are_watched_as_they_were_typed(talk: ForumTown) -> None:
    member = talk.world.member
    found = await find(talk, words="acorn*, cap", player="Fern")
    form = await talk.press(found, "Watch these words")
    assert presets(member, form) == {"words": "acorn*, cap", "where": "here"}
    told = await fill_in(member, form)
    assert "### You're watching comments with “acorn\\*, cap”" in text_of(told)
    assert "in Quiet corner contains one of these words" in text_of(told)
    # What was found is still there.
    assert "Watch these words" in buttons_of(found)

    form = await talk.press(found, "Watch these words")
    told = await fill_in(member, form, words="oak", where="everywhere")
    assert "Park life" in text_of(told)
    assert "Quiet corner" in text_of(told)
    form = await talk.press(found, "Watch these words")
    refused = await fill_in(member, form, words=", ,")
    form = await member.click(answer_of(refused), label="Try again")
    assert presets(member, form)["words"] == ", ,"
    listed = text_of(await talk.world.slash("account watches"))
    assert "oak" in listed
    assert "acorn" in listed


async def test_a_search_for_a_player_alone_has_no_words_to_watch(talk: ForumTown) -> None:
    assert "Watch these words" not in buttons_of(await find(talk, player="a"))
    assert "Watch these words" in buttons_of(await find(talk, words="nothing of it"))


async def test_in_a_server_without_other_threads_words_are_watched_in_this_one(
    talk: ForumTown,
) -> None:
    world = talk.world
    for number in ("1", "2"):
        await world.bot.features.directory.remove(world.guild.id, PlaceKind.THREAD, number)
    form = await talk.press(await find(talk, words="oak"), "Watch these words")
    assert presets(world.member, form) == {"words": "oak"}
    assert "You're watching comments with “oak”" in text_of(await fill_in(world.member, form))
