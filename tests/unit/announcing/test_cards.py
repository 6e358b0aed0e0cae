"""What is announced keeps to Discord's limits, and says what is new."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from bot.features.directory import Place
from bot.features.item_queries import ItemNews
from bot.game.models import MAX_NUMBER
from bot.i18n import speaking
from bot.ui import drawing
from bot.ui.drawing import Card
from bot.ui.messages.news import news_card
from bot.ui.messages.requests import as_embed
from bot.ui.messages.verdicts import NotYet
from cogs.announce import words as words_of
from cogs.announce.actions import NotifyMe
from cogs.announce.announcement_messages import announcement, post_title
from cogs.announce.history import delivery_words
from cogs.shop import ShopSection, ToldItem
from storage.deliveries import Delivery
from storage.member_watches import Watch
from storage.messages import MessageState
from storage.names import PlaceKind
from storage.subscriptions import Event, News, Subscription
from tests.support.announcing import an_item, watch_of
from tests.support.cards import buttons_of, selects_of, text_of
from tests.support.discord_limits import card_faults

NOW = datetime(2026, 5, 1, tzinfo=UTC)
NOTHING: Any = None
SECTION = ShopSection(NOTHING)
SEASON = Place(PlaceKind.CATALOG, 1, "Season")
# What takes the most room: twice as many characters once it is escaped, or bytes.
LETTERS = ["*", "я", "雨", "🌰"]


def dear(letter: str) -> dict[str, Any]:
    long = letter * 700
    return {
        "name": long,
        "cost": MAX_NUMBER,
        "currency": {"id": 1, "name": long, "singular_name": long},
        "item_type": {"id": 1, "name": long},
    }


def an_event(item_id: int = 1, news: set[News] | None = None, **facts: Any) -> Event:
    old_cost = MAX_NUMBER if news and News.CHEAPER in news else None
    return Event(
        id=item_id,
        kind=PlaceKind.CATALOG,
        place_id=1,
        subject_id=item_id,
        news=frozenset(news or {News.NEW}),
        payload=ItemNews(an_item(item_id, **facts), old_cost=old_cost).to_json(),
        happened_at=NOW,
        is_late=item_id > 1000,
    )


def a_watch(number: int, name: str) -> Watch:
    new = watch_of(1, 1, "en-US", name=name)
    return Watch((Subscription(**asdict(new), id=number, created_at=NOW),))


def shown(card: Card) -> Any:
    return SimpleNamespace(components=card.to_components())


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("first", [1, 1001])
@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("count", [1, 2, 5, 6, 10, 300])
def test_an_announcement_keeps_to_the_limits(
    count: int, letter: str, first: int, language: str
) -> None:
    everything = set(News) - {News.BACK}
    dear_ones = dear(letter)
    events = [an_event(number, everything, **dear_ones) for number in range(first, first + count)]

    with speaking(language):
        card = announcement(events, SEASON)

        assert card_faults(card.to_components()) == []
        assert 1 <= len(post_title(events, SEASON)) <= 100
        (embed,) = as_embed(card, "[Open it](https://discord.com/channels/1/2)" * 3)["embeds"]
        assert len(embed["description"]) <= 4096


HAT = "A `b` [c] *d* (e)"
SHOWN = "A \\`b\\` \\[c] \\*d\\* (e)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("**{item}**!", f"**{SHOWN}**!"),
        ("\uff5bitem\uff5d", SHOWN),
        ("{ ITEM \uff5d", SHOWN),
        ("\uff5b\uff29\uff54\uff45\uff4d}", SHOWN),
        # Nothing escapes in code, and nothing in it ends it.
        ("`{item}`", "`A \u02cbb\u02cb [c] *d* (e)`"),
        ("``x {item}`` {item}", f"``x A \u02cbb\u02cb [c] *d* (e)`` {SHOWN}"),
        ("```\n{item}\n```", "```\nA \u02cbb\u02cb [c] *d* (e)\n```"),
        ("\\`{item}\\`", f"\\`{SHOWN}\\`"),
        ("`{item}", f"`{SHOWN}"),
        # A link goes on to its own end.
        (
            "[{item}](https://hats.example)",
            "[A \\`b\\` \uff3bc\uff3d \\*d\\* (e)](https://hats.example)",
        ),
        ("[new] {item}", f"[new] {SHOWN}"),
        (
            "[Hat](https://hats.example/{item})",
            "[Hat](https://hats.example/A%20%60b%60%20%5Bc%5D%20%2Ad%2A%20%28e%29)",
        ),
        (
            "<https://hats.example/?q={item}>",
            "<https://hats.example/?q=A%20%60b%60%20%5Bc%5D%20%2Ad%2A%20%28e%29>",
        ),
        # No one is pinged within code.
        ("`{role}`", "<@&7>\n`<@&7>`"),
        ("`a` {role}", "`a` <@&7>"),
    ],
)
def test_a_name_is_filled_in_as_it_is_read_there(words: str, said: str) -> None:
    watch = replace(a_watch(1, "").first, own_words=words, role_ids=frozenset({7}))
    pinged = [7] if "role" in words else []

    assert words_of.text_above(watch, [an_event(1, name=HAT)], SEASON, pinged) == said


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        ("{item} {Price} \uff5bcatalog\uff5d {} a } b", ["{}"]),
        ("{itme} and {item", ["{itme}", "{item"]),
        ("{item costs {price}", ["{item"]),
        ("{ Item\n}", ["{item"]),
        ("\uff5bitem", ["{item"]),
        ("{item}} {{item}", []),
        ("`{ item", ["{item"]),
        ("a { b } c", ["{b}"]),
        (":-{ and {", ["{and"]),
        ("so {", []),
    ],
)
def test_what_stands_for_nothing_is_named(words: str, unknown: list[str]) -> None:
    assert words_of.unknown_placeholders(words) == unknown


@pytest.mark.parametrize("letter", [*LETTERS, "{item}{price} "])
@pytest.mark.parametrize("count", [1, 5, 10, 300])
def test_own_words_have_room_above_what_is_announced(count: int, letter: str) -> None:
    everything = set(News) - {News.BACK}
    events = [an_event(number, everything, **dear(letter[0])) for number in range(count)]
    first = a_watch(1, "").first
    words = (letter * words_of.MAX_LENGTH)[: words_of.MAX_LENGTH]
    above = words_of.text_above(
        replace(first, own_words=words), events, SEASON, range(MAX_NUMBER - 5, MAX_NUMBER)
    )

    card = announcement(events, SEASON, above=above)
    card.buttons(drawing.button(NotifyMe(MAX_NUMBER), "Benachrichtige mich"))

    assert card_faults(card.to_components()) == []
    assert above.count("<@&") == 5
    assert len(as_embed(card, "link")["content"]) <= 2000


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("count", [1, 2, 25, 300])
def test_what_a_member_is_told_at_once_keeps_to_the_limits(count: int, letter: str) -> None:
    everything = set(News) - {News.BACK}
    told = [
        (
            a_watch(number % 25, letter * 80),
            ToldItem(an_event(number, everything, **dear(letter)), letter * 100),
        )
        for number in range(count)
    ]

    card = news_card([(SECTION, told)], (), dict.fromkeys(range(25), letter * 100))

    assert card_faults(card.to_components()) == []


def test_two_watches_of_one_name_are_told_apart_by_their_catalogs() -> None:
    told = [
        (a_watch(number, "hat"), ToldItem(an_event(number, {News.NEW}, name="Hat"), ""))
        for number in (1, 2)
    ]

    titles = {1: "The \\*best\\*", 2: "Outlet"}
    _, endings = selects_of(shown(news_card([(SECTION, told)], (), titles)))

    found = [(each["label"], each["description"]) for each in endings["options"]]
    assert found == [("“hat”", "The *best*"), ("“hat”", "Outlet")]


def test_what_is_twice_new_about_an_item_is_told_together() -> None:
    card = announcement([an_event(1, {News.NEW}), an_event(1, {News.CHEAPER})], SEASON)
    assert "🆕 New · ⬇️ Cheaper" in text_of(shown(card))
    assert len(buttons_of(shown(card))) == 4


def test_after_a_long_outage_what_does_not_fit_is_counted() -> None:
    events = [an_event(number, **dear("*")) for number in range(1001, 1301)]

    text = text_of(shown(announcement(events, SEASON)))
    assert "more than a day" in text
    told = text.count("🆕 New")
    assert f"and {300 - told} more" in text


def test_a_sale_on_everything_is_one_message() -> None:
    events = [an_event(number, {News.CLEARANCE}) for number in range(1, 301)]

    text = text_of(shown(announcement(events, SEASON)))
    assert "300 on clearance" in text
    assert "more than a day" not in text
    assert f"and {300 - text.count('**Hat number')} more" in text


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("refused once: 50013 missing permissions", "Discord refused it once"),
        ("no connection: Cannot connect to host", "Kiosk can't reach Discord"),
        ("429 rate limited", "Discord is limiting requests"),
        ("429 20028", "Discord is limiting requests"),
        ("503 0", "Discord is having trouble"),
        (str(NotYet("more may come within the minute")), "it's waiting its turn"),
        ("400 50035", "it didn't go through"),
    ],
)
def test_what_waits_says_why(reason: str, words: str) -> None:
    waits = Delivery(1, MessageState.OWED, None, reason, NOW)
    said = delivery_words(waits, "<#1>")

    assert f"Discord hasn't accepted it yet ({words})" in said
