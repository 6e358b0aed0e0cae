"""Forms, buttons and lists in every language: no text is longer than there is room for."""

import ast
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import asdict

from bot.errors import TokenSource
from bot.features.directory import MAX_NAME_LENGTH, Place
from bot.features.matching import MAX_ID
from bot.features.reading.shop import LAST_PAGE
from bot.game.models import ItemType, PageKey
from bot.i18n import t
from bot.ui import server_settings
from bot.ui.forms import ActionForm
from bot.ui.pages import page_form
from bot.ui.shared_actions import (
    AnnounceCatalog,
    FollowThread,
    RemoveComment,
    ReportComment,
    WriteComment,
)
from cogs.account.account_cards import link_form
from cogs.announce.actions import AnnounceFields, announce_form, follow_form
from cogs.announce.notify import notify_form
from cogs.announce.style import own_words_form
from cogs.find.actions import Find
from cogs.find.finding import find_form
from cogs.forum import screens
from cogs.forum.actions import ChangeText
from cogs.forum.text_cards import MAX_TEXT_LENGTH, changed_form, edit_form, write_form
from cogs.moderate.cards import MutePlayer, mute_form, remove_form
from cogs.moderate.reports import report_form
from cogs.moderate.words_card import words_form
from cogs.replies.actions import watch_form
from cogs.roles.actions import role_form
from cogs.setup.naming import add_form, rename_form
from cogs.shop import browsing, order_cards
from cogs.shop.actions import MAX_ORDERED_LENGTH, FilterOrders, GoToCatalogPage, Which
from cogs.shop.browsing import FilterFields, filter_form
from playground.pseudo import PSEUDO
from storage.moderation import ServerSettings, Subject
from storage.names import Named, PlaceKind
from storage.subscriptions import Subscription
from tests.support.announcing import catalog_in
from tests.support.languages import EVERY_LANGUAGE, spoken
from tests.support.panels import panel_setting
from tests.support.sources import nodes_of

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "cogs").rglob("*.py"), *(ROOT / "bot" / "ui").rglob("*.py")]

MAX_TITLE_LENGTH, MAX_FIELD_NAME_LENGTH, MAX_FIELD_DESCRIPTION_LENGTH = 45, 45, 100
MAX_PLACEHOLDER_LENGTH = 150
MAX_LABEL_LENGTH = 80
# A phone shows a row of these and no more.
MAX_LABEL_ON_A_PHONE_LENGTH = 25

LONG_PLACE = Place(PlaceKind.CATALOG, MAX_ID, "n" * MAX_NAME_LENGTH)
WISH = AnnounceFields(
    MAX_ID,
    role_ids=frozenset(range(MAX_ID - 5, MAX_ID)),
    types=frozenset("t" * 300),
    max_cost="9" * 40,
)
SUBSCRIPTION = Subscription(
    **asdict(catalog_in(1, 2, role_ids=frozenset({MAX_ID}))),
    id=MAX_ID,
    created_at=datetime(2026, 5, 1, tzinfo=UTC),
)
TYPES = [str(number) + "t" * 200 for number in range(1, 40)]
ITEM_TYPES = [ItemType(id=number, name=name) for number, name in enumerate(TYPES)]
# The longest example of a cost.
COST = "100 " + "c" * 36
REMOVING = RemoveComment(MAX_ID, MAX_ID)
RULES = ServerSettings(reasons=["r" * 100], needs_reason=True)
MAX_SET = ServerSettings(
    MAX_ID,
    MAX_ID,
    ["r" * server_settings.MAX_USUAL_LENGTH] * server_settings.MAX_REASONS,
    True,
    server_settings.MAX_DAYS,
    locale="de",
)
PANEL = panel_setting(MAX_ID)
SUBJECT = Subject(MAX_ID, None, MAX_ID, "n" * 200, "w" * 5000)
WHOLE = "x" * MAX_TEXT_LENGTH
FORMS: dict[str, list[Callable[[], ActionForm]]] = {
    "link_form": [
        lambda: link_form(TokenSource()),
        lambda: link_form(TokenSource("w" * 500, "https://game.example/token")),
    ],
    "write_form": [
        lambda: write_form(WriteComment(MAX_ID)),
        lambda: write_form(WriteComment(MAX_ID, MAX_ID)),
    ],
    "find_form": [lambda: find_form(Find(PageKey(MAX_ID), 0), LONG_PLACE)],
    "edit_form": [
        lambda: edit_form(MAX_ID, MAX_ID, None),
        lambda: edit_form(MAX_ID, MAX_ID, WHOLE),
    ],
    "remove_form": [lambda: remove_form(REMOVING, SUBJECT, RULES, is_told=False)],
    "report_form": [
        lambda: report_form(ReportComment(MAX_ID, MAX_ID), SUBJECT, ServerSettings()),
        lambda: report_form(ReportComment(MAX_ID, MAX_ID), SUBJECT, RULES),
    ],
    "mute_form": [lambda: mute_form(MutePlayer(MAX_ID), "n" * 60, RULES)],
    "add_form": [
        lambda: add_form(PlaceKind.THREAD, "w" * 500),
        lambda: add_form(PlaceKind.CATALOG),
    ],
    "role_form": [lambda: role_form([]), lambda: role_form([Named(MAX_ID, "n" * 80)] * 30)],
    "rename_form": [lambda: rename_form(Place(PlaceKind.CATALOG, MAX_ID, "n" * MAX_NAME_LENGTH))],
    "announce_form": [
        lambda: announce_form(AnnounceCatalog(MAX_ID), LONG_PLACE, AnnounceFields(0), [], "100"),
        lambda: announce_form(AnnounceCatalog(MAX_ID), LONG_PLACE, WISH, TYPES, COST),
    ],
    "notify_form": [lambda: notify_form(SUBSCRIPTION)],
    "own_words_form": [lambda: own_words_form(MAX_ID, "w" * 500)],
    "follow_form": [
        lambda: follow_form(FollowThread(), [], "w" * 500),
        lambda: follow_form(FollowThread(), [Named(MAX_ID, "n" * MAX_NAME_LENGTH)]),
    ],
    "filter_form": [
        lambda: filter_form(LONG_PLACE, FilterFields(), [], "100"),
        lambda: filter_form(
            LONG_PLACE, FilterFields(max_cost="1" * 40, name="n" * 40), TYPES, COST
        ),
        lambda: order_cards.filter_form(FilterOrders(0, Which.REFUSED, "n" * MAX_ORDERED_LENGTH)),
    ],
    "page_form": [
        partial(page_form, GoToCatalogPage(MAX_ID, LAST_PAGE), hint, LAST_PAGE)
        for hint in (browsing.PAGE_HINT, screens.PAGE_HINT)
    ],
    "watch_form": [lambda: watch_form(LONG_PLACE, has_others=True)],
    "words_form": [lambda: words_form(["w" * 60] * 49), lambda: words_form(["w" * 60] * 900)],
    "settings_form": [
        partial(
            server_settings.settings_form,
            server_settings.ChangeSettings(form),
            server_settings.KnownSettings(stored, [PANEL]),
        )
        for form in (server_settings.MODERATION, server_settings.LANGUAGE, PANEL.setting.form)
        for stored in (ServerSettings(), MAX_SET)
    ],
    "changed_form": [lambda: changed_form(ChangeText(MAX_ID), WHOLE)],
}

every_language = pytest.mark.parametrize("language", EVERY_LANGUAGE)


@every_language
@pytest.mark.parametrize("name", FORMS)
async def test_forms_are_such_as_discord_takes(name: str, language: str) -> None:
    for make in FORMS[name]:
        with spoken(language):
            form = make().to_dict()

        assert 1 <= len(form["title"]) <= MAX_TITLE_LENGTH, _shorten(
            form["title"], MAX_TITLE_LENGTH
        )
        for field in (each for each in form["components"] if "label" in each):
            label = field["label"]
            assert 1 <= len(label) <= MAX_FIELD_NAME_LENGTH, _shorten(label, MAX_FIELD_NAME_LENGTH)
            hint = field.get("description") or ""
            assert len(hint) <= MAX_FIELD_DESCRIPTION_LENGTH, _shorten(
                hint, MAX_FIELD_DESCRIPTION_LENGTH
            )


def _shorten(text: str, longest: int) -> str:
    return f"Shorten this to {longest} characters, in the source or in its translation: {text!r}"


def test_every_form_is_tried() -> None:
    assert {
        node.name
        for path in SOURCES
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef)
        and node.returns is not None
        and ast.unparse(node.returns).rpartition(".")[2] == "ActionForm"
        and not node.name.startswith("_")
    } == set(FORMS), "Make each form once in FORMS, with the longest values that it may have."


@every_language
def test_labels_of_buttons_are_short_and_placeholders_fit(language: str) -> None:
    labels = list(texts_given_to("button", "page_button", "step_buttons"))
    placeholders = [*texts_given_to("choose"), *texts_called("placeholder")]

    longest = MAX_LABEL_LENGTH if language == PSEUDO else MAX_LABEL_ON_A_PHONE_LENGTH
    with spoken(language):
        for texts, most in ((labels, longest), (placeholders, MAX_PLACEHOLDER_LENGTH)):
            for text in texts:
                assert len(t(text)) <= most, _shorten(t(text), most)
    assert "Buy" in labels
    assert "Choose a comment" in placeholders


def texts_given_to(*widgets: str) -> Iterator[str]:
    """Give the sentences that are arguments of a widget."""
    for node in nodes():
        if isinstance(node, ast.Call) and name_of(node.func) in widgets:
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                yield from sentence(argument)


def texts_called(name: str) -> Iterator[str]:
    """Give the sentences that a variable or a keyword of a name holds."""
    for node in nodes():
        if isinstance(node, ast.keyword) and node.arg == name:
            yield from sentence(node.value)
        if isinstance(node, ast.Assign) and any(name_of(target) == name for target in node.targets):
            yield from sentence(node.value)


def nodes() -> Iterator[ast.AST]:
    for path in SOURCES:
        yield from nodes_of(path)


def sentence(node: ast.expr) -> Iterator[str]:
    """Give the sentence that is translated here, if one is, and has no places to fill."""
    if isinstance(node, ast.Call) and name_of(node.func) == "t" and not node.keywords:
        argument = node.args[0]
        if isinstance(argument, ast.Constant):
            yield str(argument.value)


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
