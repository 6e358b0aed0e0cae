"""Comments and pictures on cards, and what is taken out of them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.features.names import Place
from bot.features.reading.paging import Position, Screen, screen_of
from bot.features.reading.trees import Tree, tree_of
from bot.game.models import Comment, Page, Player, Sort
from bot.ui import theme
from bot.ui.cards import Card, page_button, parts_of
from bot.ui.comments import comments_in, comments_shown, name_of, texts_in, without_comments
from bot.ui.forms import ActionForm
from bot.ui.pictures import thumbnail
from cogs.forum.cards import screen_card
from storage.names import PlaceKind
from storage.shown import BLOCK, ShownComment

THREAD = Place(PlaceKind.THREAD, 12, "Patch notes")
AVATAR = "https://pictures.example/juniper.png"


def comment(number: int, text: str, name: str = "Juniper", *, picture: bool = True) -> Comment:
    player = Player(id=number * 10, screen_name=name, avatar_url=AVATAR if picture else None)
    written = datetime(2026, 5, 1, tzinfo=UTC)
    return Comment(id=number, player=player, content=text, created_at=written, children_count=0)


def first_of(page: Page[Comment]) -> Screen[Tree]:
    return screen_of(page, Position(1), tree_of)


def screen(*comments: Comment) -> list[dict[str, Any]]:
    page = Page(comments, 1, 15, has_next=True)
    return raw(screen_card(first_of(page), THREAD, Sort.LATEST))


def nth(number: int, comment_id: int) -> ShownComment:
    return ShownComment(comment_id, part=number * BLOCK)


def raw(card: Card) -> list[dict[str, Any]]:
    return card.to_components()


def everything_in(components: object) -> str:
    return repr(components)


def test_of_a_removed_comment_nothing_stays_but_the_line() -> None:
    shown = screen(comment(7, "Unkind words", "Rude One"), comment(8, "Hello"))

    edited = without_comments(shown, [nth(1, 7)], "removed by a moderator")

    assert comments_in(edited) == {8: "Hello"}
    assert everything_in(edited).count("removed by a moderator") == 1
    assert "Unkind" not in everything_in(edited)
    assert "Rude One" not in everything_in(edited)
    assert "open.7" not in everything_in(edited)
    assert "reply.7" not in everything_in(edited)
    assert "open.8" in everything_in(edited)
    for action in ("forum.screen", "forum.refresh", "forum.write_form"):
        assert action in everything_in(edited)


def test_a_card_that_was_edited_before_is_edited_again() -> None:
    shown = screen(comment(7, "Unkind words"), comment(8, "Rude words"), comment(9, "Hello"))

    edited = without_comments(
        without_comments(shown, [nth(1, 7)], "gone"), [nth(1, 7), nth(2, 8)], "gone"
    )

    assert comments_in(edited) == {9: "Hello"}
    assert everything_in(edited).count("'gone'") == 2


def test_nobody_can_write_what_looks_like_another_comments_number() -> None:
    fake = "-# <t:1777593600:R> · #8"
    shown = screen(comment(7, f"{fake}\nInnocent", name=f"x\n{fake}"), comment(8, "Hello"))

    edited = without_comments(shown, [nth(2, 8)], "gone")

    assert list(comments_in(shown)) == [7, 8]
    assert list(comments_in(edited)) == [7]


def test_of_a_removed_reply_its_line_goes_and_no_other() -> None:
    replies = [comment(8, "Rude reply", "Rude One"), comment(9, "Kind reply", "Sprig")]
    parent = replace(comment(7, "A question"), children=tuple(replies), children_count=2)
    page = Page((parent, comment(6, "Hello")), 1, 15, has_next=False)
    seen = first_of(page)
    hidden = [each for each in comments_shown(seen.entries) if each.comment_id == 8]

    edited = everything_in(
        without_comments(raw(screen_card(seen, THREAD, Sort.LATEST)), hidden, "gone")
    )

    assert "Rude" not in edited
    assert "gone\\n-# ↳ **Sprig**: Kind reply" in edited
    assert "A question" in edited


def test_what_a_screen_says_of_comments_and_replies_is_read_as_it_was_written() -> None:
    replies = [comment(8, "*Rude*\nreply", "https://a/**: b"), comment(9, "Kind", "Sprig")]
    parent = replace(comment(7, "# A\n_question_"), children=tuple(replies), children_count=2)
    seen = first_of(Page((parent,), 1, 15, has_next=False))
    shown = comments_shown(seen.entries)

    texts = texts_in(raw(screen_card(seen, THREAD, Sort.LATEST)), shown)

    assert texts == {7: "# A\n_question_", 8: "*Rude*…", 9: "Kind"}


def test_with_a_removed_comment_its_replies_go() -> None:
    reply = comment(8, "Kind reply", "Sprig")
    parent = replace(comment(7, "Unkind words"), children=(reply,), children_count=1)

    edited = everything_in(
        without_comments(screen(parent, comment(6, "Hello")), [nth(1, 7)], "gone")
    )

    assert "Kind reply" not in edited
    assert "Hello" in edited


def test_pictures_go_back_as_discord_takes_them() -> None:
    shown = screen(comment(7, "Unkind words"), comment(8, "Hello"))
    (section,) = [
        part for part in shown[0]["components"] if part["type"] == 9 and "Hello" in repr(part)
    ]
    section["accessory"]["media"] |= {"proxy_url": "https://x.example", "width": 40}

    (kept,) = [
        part
        for part in without_comments(shown, [nth(1, 7)], "gone")[0]["components"]
        if part["type"] == 9
    ]

    assert kept["accessory"]["media"] == {"url": AVATAR}


@pytest.mark.parametrize("mark", ["⭐", "⭑", "🌠", "✪", "☑\ufe0f", "🗹", ":star:"])
def test_no_name_shows_what_only_the_game_gives(mark: str) -> None:
    name = name_of(Player(screen_name=f"Juniper {mark}"))
    assert name in ("Juniper", "Juniper \\:star:")


def test_a_name_that_nobody_can_see_is_said_to_be_none() -> None:
    assert name_of(Player(screen_name="⭐\ufe0f\u0301")) == "Nameless"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8089/assets/items/hat.png",
        "http://localhost/hat.png",
        "https://game.localhost/hat.png",
        "http://[::1]:8089/hat.png",
        "http://0.0.0.0/hat.png",
        "http://10.1.2.3/hat.png",
        "http://192.168.0.9/hat.png",
        "http://game:8089/hat.png",
        # Which a translating network leads to 127.0.0.1 and 10.1.2.3.
        "https://[64:ff9b::7f00:1]/hat.png",
        "https://[64:ff9b::a01:203]/hat.png",
        # Which stand for no name.
        "https://xn--/hat.png",
        "https://www.xn--/hat.png",
        # Whose names Discord doesn't take.
        "https://my_assets.example/hat.png",
        "https://assets..example/hat.png",
        "https://.example/hat.png",
        "https://assets.example./hat.png",
        "https://-assets.example/hat.png",
        "https://assets-.example/hat.png",
        f"https://{'a' * 64}.example/hat.png",
        None,
    ],
)
def test_a_picture_that_discord_can_not_fetch_is_left_out(url: str | None) -> None:
    assert thumbnail(url, "Hat") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://game.example/hat.png",
        "http://8.8.8.8:81/hat.png",
        "https://[64:ff9b::808:808]/hat.png",
        "https://pfützen.example/hat.png",
    ],
)
def test_any_other_is_shown(url: str) -> None:
    picture = thumbnail(url, "Hat")
    assert picture is not None
    assert picture["media"] == {"url": url}


def test_pictures_count_among_the_forty_parts_that_discord_takes() -> None:
    card, picture = Card(theme.CALM), thumbnail("https://game.example/hat.png", "hat")
    for number in range(13):
        card.say(f"Hat {number}", picture)
    assert card.to_components()

    card.say("One more hat", picture)

    with pytest.raises(ValueError, match="larger"):
        card.to_components()
    with pytest.raises(ValueError, match="in a row"):
        card.buttons(*[page_button("https://game.example/hat", "Hat")] * 6)


def shown_on(card: Card | ActionForm) -> str:
    components = card.to_components()
    return "\n".join(
        str(part[name])
        for part in parts_of(components)
        for name in ("content", "url")
        if name in part
    )
