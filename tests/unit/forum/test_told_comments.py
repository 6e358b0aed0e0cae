"""What a member is told of comments keeps to Discord's limits, whatever they say."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import asdict

from bot.features.reading.threads import Found
from bot.game.models import MAX_NUMBER, PageKey
from bot.i18n import speaking
from bot.ui.messages.news import news_card
from bot.ui.watches import watch_words
from cogs.replies.told_comments import CommentSection, ToldComment
from cogs.shop import ShopSection, ToldItem
from storage.following import SeenComment
from storage.member_watches import Watch
from storage.names import PlaceKind
from storage.subscriptions import Subscription
from tests.support.announcing import watch_of
from tests.unit.announcing.test_cards import a_watch, an_event, dear
from tests.unit.forum.drawn import LETTERS, assert_within_limits, full_comment, full_place

NOW = datetime(2026, 5, 1, tzinfo=UTC)
NOTHING: Any = None


def waiting(number: int, letter: str) -> Watch:
    subject_id = number if number % 2 else None
    name = letter * 100
    new = watch_of(1, 1, "en-US", kind=PlaceKind.THREAD, subject_id=subject_id, subject_name=name)
    return Watch((Subscription(**asdict(new), id=number, created_at=NOW),))


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize(("comments", "items"), [(1, 0), (2, 0), (35, 0), (35, 35), (1, 1)])
def test_news_of_comments_and_items_fit(
    comments: int, items: int, letter: str, language: str
) -> None:
    section = CommentSection(NOTHING)
    told: list[tuple[Watch, ToldComment]] = []
    for number in range(1, comments + 1):
        parent = full_comment(number + 1, player_id=1, letter=letter)
        found = Found(
            PageKey(MAX_NUMBER), (parent,), full_comment(number, player_id=1, letter=letter)
        )
        seen = SeenComment(MAX_NUMBER - number, 1, MAX_NUMBER, "", NOW)
        where = full_place(letter)
        told.append((waiting(number, letter), ToldComment(seen, where, found, may_be_own=True)))
    bought = [
        (a_watch(100 + number % 25, letter * 80), ToldItem(an_event(number, **dear(letter)), ""))
        for number in range(items)
    ]
    older: Any = told[:1]
    titles = dict.fromkeys(range(200), letter * 100)
    parts: list[Any] = [(section, told)]
    if bought:
        parts.append((ShopSection(NOTHING), bought))

    with speaking(language):
        assert_within_limits(news_card(parts, older, titles))
        assert all(watch_words(watch) for watch, _ in told)
