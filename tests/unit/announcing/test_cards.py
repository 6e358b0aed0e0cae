"""What is announced keeps to Discord's limits, and says what is new."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from bot.features.errors import UnknownChoice
from bot.features.names import Place
from bot.game.models import LARGEST
from bot.i18n import speaking
from bot.ui.cards import Card
from bot.ui.messages.verdicts import NotYet
from cogs.announce.cards import announcement, post_title, status_card
from cogs.announce.wishes import EVERYTHING, offer_news, read_news
from cogs.shop.watching import news_card
from storage.following import Event, Followed, News, Subscription
from storage.messages import Waiting
from storage.names import PlaceKind
from tests.support.announcing import an_item, watch_of
from tests.support.cards import buttons_of, text_of
from tests.support.discord_limits import card_faults

NOW = datetime(2026, 5, 1, tzinfo=UTC)
SEASON = Place(PlaceKind.CATALOG, 1, "Season")
LONG = "*" * 700
DEAR: dict[str, Any] = {
    "name": LONG,
    "cost": LARGEST,
    "currency": {"id": 1, "name": LONG, "singular_name": LONG},
    "item_type": {"id": 1, "name": LONG},
}


def an_event(item_id: int = 1, news: set[News] | None = None, **facts: Any) -> Event:
    return Event(
        id=item_id,
        catalog_id=1,
        item_id=item_id,
        news=frozenset(news or {News.NEW}),
        item=an_item(item_id, **facts).to_json(),
        old_cost=LARGEST if news and News.CHEAPER in news else None,
        happened_at=NOW,
        is_late=item_id > 1000,
    )


def shown(card: Card) -> Any:
    return SimpleNamespace(components=card.to_components())


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("first", [1, 1001])
@pytest.mark.parametrize("count", [1, 2, 5, 6, 10, 300])
def test_an_announcement_keeps_to_the_limits(count: int, first: int, language: str) -> None:
    everything = set(News) - {News.BACK}
    events = [an_event(number, everything, **DEAR) for number in range(first, first + count)]

    with speaking(language):
        card = announcement(events, SEASON, role_id=LARGEST)

        assert card_faults(card.to_components()) == []
        assert 1 <= len(post_title(events, SEASON)) <= 100


@pytest.mark.parametrize("count", [1, 2, 25, 300])
def test_what_a_member_is_told_at_once_keeps_to_the_limits(count: int) -> None:
    everything = set(News) - {News.BACK}
    new = watch_of(1, 1, "en-US", name="*" * 80)
    watch = Subscription(**asdict(new), id=1, created_at=NOW)
    told = [
        (replace(watch, id=number % 25), an_event(number, everything, **DEAR))
        for number in range(count)
    ]

    assert card_faults(news_card(told, {0: "Catalog 1"}).to_components()) == []


def test_what_is_twice_new_about_an_item_is_told_together() -> None:
    card = announcement([an_event(1, {News.NEW}), an_event(1, {News.CHEAPER})], SEASON)
    assert "🆕 New · ⬇️ Cheaper" in text_of(shown(card))
    assert len(buttons_of(shown(card))) == 4


def test_after_a_long_outage_what_does_not_fit_is_counted() -> None:
    events = [an_event(number, **DEAR) for number in range(1001, 1301)]

    text = text_of(shown(announcement(events, SEASON)))
    assert "more than a day" in text
    told = text.count("🆕 New")
    assert f"and {300 - told} more" in text


def test_a_sale_on_everything_is_one_message_that_says_why() -> None:
    events = [an_event(number, {News.CLEARANCE}) for number in range(1, 301)]

    text = text_of(shown(announcement(events, SEASON)))
    assert "So much has changed at once" in text
    assert "more than a day" not in text
    assert f"and {300 - text.count('**Hat number')} more" in text


@pytest.mark.parametrize(
    ("typed", "news"),
    [
        ("new", {News.NEW}),
        ("new items, Clearance", {News.NEW, News.CLEARANCE}),
        ("lower price;back", {News.CHEAPER, News.BACK}),
        ("everything", set(News)),
    ],
)
def test_kinds_of_news_are_typed_by_their_words_or_keys(typed: str, news: set[News]) -> None:
    assert read_news(typed) == news


def test_kinds_of_news_are_typed_in_german() -> None:
    with speaking("de"):
        assert read_news("neue Artikel, wieder da") == {News.NEW, News.BACK}


def test_what_is_no_news_is_refused() -> None:
    with pytest.raises(UnknownChoice):
        read_news("new, colours")


def test_what_is_offered_while_typing_can_be_sent() -> None:
    for typed in ("", "new", "new items, ", "everything", "nonsense", "nonsense, clear"):
        for label, value in offer_news(typed):
            assert label
            assert read_news(value)
    assert ("new items, clearance", "clearance,new") in offer_news("")
    assert read_news(offer_news("every")[0][1]) == EVERYTHING


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("refused once: 50013 missing permissions", "is asked once more"),
        ("no connection: Cannot connect to host", "can't be reached"),
        ("429 rate limited", "asks Kiosk to wait"),
        ("429 20028", "asks Kiosk to wait"),
        ("503 0", "is having trouble"),
        (str(NotYet("more may come within the minute")), "not its turn yet"),
        ("400 50035", "did not go through"),
    ],
)
def test_the_status_says_why_the_oldest_message_waits(reason: str, words: str) -> None:
    read = Followed(PlaceKind.CATALOG, 1, NOW, read_at=NOW), NOW
    said = text_of(shown(status_card([read], {}, Waiting(3, NOW, reason))))

    assert "3 messages wait to be sent" in said
    assert words in said.split("Why it still waits: ")[1]
    assert reason not in said
    assert "Why" not in text_of(shown(status_card([read], {}, Waiting(3, NOW))))
