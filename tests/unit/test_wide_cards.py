"""Cards about a server and an account keep to Discord's limits, whatever script names are in."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import asdict

from bot.errors import TokenSource
from bot.features.directory import MAX_NAME_LENGTH, Place
from bot.features.item_queries import ItemNews
from bot.features.matching import MAX_ID
from bot.features.server_setup import PlacePreview, SetupState
from bot.game.transport import GameHealth
from bot.ui.drawing import Card, button
from bot.ui.giving import RoleTrouble
from bot.ui.hooks import Section
from bot.ui.items import catalog_title
from bot.ui.places import places_card
from bot.ui.shared_actions import ShowSetup
from cogs.account.account_cards import account_card
from cogs.announce.adding import catalogs_card
from cogs.announce.announcement import Shown, announcement_card, missed_card
from cogs.announce.history import history_card
from cogs.announce.listing import PER_PAGE, list_card
from cogs.roles.actions import ShowRoles, role_problems, roles_card, rule_card
from cogs.roles.service import MAX_RULES
from cogs.setup.naming import names_card
from cogs.setup.overview import Overview, ServerLook, overview_card
from storage.links import Link
from storage.moderation import ServerSettings
from storage.names import Named, PlaceKind
from storage.roles import RoleRule, RuleKind
from storage.subscriptions import Event, News, Subscription
from tests.support.announcing import an_item, watch_of
from tests.support.discord_limits import card_faults
from tests.support.languages import EVERY_LANGUAGE, spoken
from tests.support.panels import panel_setting

NOW = datetime(2026, 5, 1, tzinfo=UTC)
# What takes the most room: twice as many characters once it is escaped, or bytes.
LETTERS = ["*", "я", "雨", "ไ", "🌰"]


def names(letter: str, count: int = 25) -> list[Named]:
    return [Named(MAX_ID - number, letter * MAX_NAME_LENGTH) for number in range(count)]


def announcements(letter: str, **facts: Any) -> list[Shown]:
    types = frozenset(f"{number:02}" + letter * 98 for number in range(25))
    wish = watch_of(
        MAX_ID,
        MAX_ID,
        "en-US",
        name=letter * 100,
        types=types,
        max_cost=MAX_ID,
        currency=letter * 100,
    )
    kept: dict[str, Any] = asdict(wish) | {
        "news": frozenset(News),
        "guild_id": 1,
        "channel_id": MAX_ID,
        "channel_name": letter * 100,
        "role_ids": frozenset(range(MAX_ID - 5, MAX_ID)),
        "created_at": NOW,
        "own_words": letter * 500,
        "notify_role_id": MAX_ID,
        **facts,
    }
    title = catalog_title(MAX_ID, letter * MAX_NAME_LENGTH)
    return [
        Shown(Subscription(**kept, id=MAX_ID - number), title, 10**6) for number in range(PER_PAGE)
    ]


def event(letter: str) -> Event:
    return Event(
        id=MAX_ID,
        kind=PlaceKind.CATALOG,
        place_id=MAX_ID,
        subject_id=MAX_ID,
        news=frozenset({News.NEW}),
        payload=ItemNews(an_item(1, name=letter * 700)).to_json(),
        happened_at=NOW,
        is_late=False,
    )


def rules(letter: str) -> list[RoleRule]:
    facts: dict[str, Any] = {"item_id": MAX_ID, "item_name": letter * 200, "refusal": 50013}
    return [
        RoleRule(MAX_ID, RuleKind.OWNS, role_id, 1, id=role_id, **facts)
        for role_id in range(MAX_ID - MAX_RULES, MAX_ID)
    ]


def troubles(letter: str) -> dict[int, str]:
    ids = [rule.id for rule in rules(letter)]
    return dict.fromkeys(ids, RoleTrouble.BELOW.words(*ids))


def overview(letter: str) -> Overview:
    kept = [
        each.subscription for each in announcements(letter, stopped_at=NOW, stopped_for="50001")
    ]
    settings = ServerSettings(MAX_ID, MAX_ID, [letter * 100] * 20, True, log_is_closed=True)
    health = GameHealth(answered_at=NOW, failed_at=NOW)
    return Overview(
        known=SetupState(settings, kept, health),
        of_features=[panel_setting(MAX_ID)],
        announced=[(one, letter * MAX_NAME_LENGTH) for one in kept],
        looked=ServerLook(
            listed=dict.fromkeys(PlaceKind, names(letter)),
            proofs={
                (kind, name.game_id): PlacePreview(False)
                for kind in PlaceKind
                for name in names(letter)
            },
            channels={},
            gone_roles=(),
        ),
        sections=[
            Section(
                list(role_problems(rules(letter), troubles(letter))),
                f"**{letter * 30}** · {letter * 30}",
                button(ShowRoles(), letter * 80),
            )
        ],
    )


def cards(letter: str) -> Iterator[Card]:
    source = TokenSource("w" * 500, "https://game.example/token")
    for is_refused in (False, True):
        link = cast(
            "Link", SimpleNamespace(is_refused=is_refused, linked_at=NOW, player_name=letter * 200)
        )
        yield account_card(link, source, {})
    known: dict[str, list[dict[str, Any]]] = {
        "writes": [{"card_id": 1}, {"card_id": None}],
        "subscriptions": [{}],
    }
    yield account_card(None, source, known)
    proof = PlacePreview(True, letter * 400, letter * 100, NOW)
    for kind in PlaceKind:
        proofs = {(kind, each.game_id): proof for each in names(letter)}
        yield names_card(kind, names(letter, 10), proofs, letter * MAX_NAME_LENGTH, 1, 2)
    listed = dict.fromkeys(PlaceKind, names(letter, 60))
    yield places_card(listed, letter * 100, may_set_up=True)
    lately = {
        (kind, named.game_id): letter * 40 for kind in PlaceKind for named in names(letter, 60)
    }
    yield places_card(listed, letter * 100, may_set_up=True, lately=lately)
    for facts in ({}, {"stopped_at": NOW, "stopped_for": "50001"}):
        shown = announcements(letter, **facts)
        yield list_card(shown, 1, 200, (), {})
        yield announcement_card(shown[0], (), [letter * 100] * 2, changed=letter * 80)
    yield missed_card(shown[0].subscription, [event(letter)] * 200, letter * 80)
    yield history_card(letter * 200, [letter * 500] * 10, ShowSetup())
    yield overview_card(overview(letter), letter * 80)
    of_roles = rules(letter)
    role_names = {rule.role_id: letter * 100 for rule in of_roles}
    yield roles_card(of_roles, troubles(letter), role_names, "w" * 100)
    yield rule_card(of_roles[0], "w" * 100)
    places = [Place(PlaceKind.CATALOG, each.game_id, each.name) for each in names(letter)]
    yield catalogs_card(places, places[0])


@pytest.mark.parametrize("language", EVERY_LANGUAGE)
@pytest.mark.parametrize("letter", LETTERS)
def test_a_card_with_the_most_that_can_stand_on_it_is_taken(letter: str, language: str) -> None:
    with spoken(language):
        faults = [card_faults(card.to_components()) for card in cards(letter)]
    assert faults == [[]] * len(faults)
