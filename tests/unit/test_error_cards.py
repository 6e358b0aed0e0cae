"""Every error that a member can see, on its card."""

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from bot.errors import (
    AccountError,
    ExplainedError,
    KioskError,
    NoNamesKnown,
    NotAManager,
    NothingNamed,
    SeveralFit,
)
from bot.features import feature_errors
from bot.features.writing.outcomes import LOOKED_FOR, Reason
from bot.features.writing.writing_errors import NotAsConfirmed, TextGone, TextReturned
from bot.game.game_errors import BadAddress, Conflict, GameError
from bot.i18n import catalog
from bot.ui.drawing import BUTTON, Card, paragraph, parts_of
from bot.ui.error_cards import add_next_step, error_card
from playground.pseudo import PSEUDO
from storage.storage_errors import CommitUnknown, DatabaseError, DatabaseUnusable
from tests.support.languages import EVERY_LANGUAGE, spoken

# Members are never told these themselves: what stands below them, or what caused them, is told.
WORDLESS = {KioskError, AccountError, GameError, BadAddress, TextReturned, NotAsConfirmed}
CONTACT = SimpleNamespace(support_url="")
HERE: Any = SimpleNamespace(
    again="thread|1",
    entry_of=None,
    features=SimpleNamespace(contact=CONTACT),
    filled={},
    may_manage=False,
)


def below(error: type[ExplainedError]) -> Iterator[type[ExplainedError]]:
    for child in error.__subclasses__():
        yield child
        yield from below(child)


ERRORS = sorted({*below(ExplainedError)} - WORDLESS, key=lambda kind: kind.__name__)


def shown_on(card: Card) -> list[str]:
    parts = parts_of(card.components)
    return [str(part[name]) for part in parts for name in ("content", "label") if name in part]


def words_of(kind: type[ExplainedError]) -> list[str]:
    return list(filter(None, [kind.title, kind.body, kind.next_step]))


@pytest.mark.parametrize("language", EVERY_LANGUAGE)
@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_has_words_in_every_language_and_a_step(
    kind: type[ExplainedError], language: str
) -> None:
    error = kind()
    error.values = dict.fromkeys(re.findall(r"%\((\w+)\)s", " ".join(words_of(kind))), "this")
    with spoken(language):
        told = [catalog(language).gettext(words) % error.values for words in words_of(kind)]
        card = error_card(error)
        before = shown_on(card)
        add_next_step(HERE, card, error)

    assert kind.title != ExplainedError.title
    assert language != PSEUDO or not set(told) & set(words_of(kind))
    # Of a bot that has run before in this process, commands may be known.
    assert before[0].startswith(paragraph("### " + "\n".join(told))["content"])
    assert len(shown_on(card)) > 1


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (DatabaseUnusable("full"), "Kiosk can't use its database"),
        (CommitUnknown("lost"), "Kiosk may not have saved this"),
    ],
)
def test_an_error_of_the_database_is_told_in_words(error: DatabaseError, title: str) -> None:
    assert shown_on(error_card(error))[0].startswith(f"### {title}\n")


def test_each_code_stands_for_one_error() -> None:
    coded = [kind for kind in below(ExplainedError) if "code" in vars(kind)]

    assert {kind.code: kind for kind in coded} == ExplainedError.by_code
    assert len(coded) == len(ExplainedError.by_code)
    assert not {*Reason, LOOKED_FOR, ExplainedError.code} & ExplainedError.by_code.keys()


def test_words_are_short_and_speak_of_kiosk_and_you() -> None:
    for kind in ERRORS:
        title, *told = words_of(kind)
        assert len(re.findall(r"[.?!](?: |$)", " ".join(told))) <= 3, (
            f"{kind.__name__} says more than three sentences: what happened, what was saved or not "
            "changed, and what to do now."
        )
        assert not re.search(r"\b(I|me|mine|please|sorry|successfully)\b", f"{title} {told}"), (
            f"{kind.__name__} speaks of itself: say what Kiosk or you do, without politeness."
        )


def test_what_the_game_says_stands_in_place_of_what_kiosk_makes_of_it() -> None:
    text, *_ = shown_on(error_card(Conflict(message="You own it.")))

    assert text.splitlines() == [
        f"### {Conflict.title}",
        "The game says: “You own it.”",
        "Nothing was changed.",
        Conflict.next_step,
    ]


@pytest.mark.parametrize(
    ("error", "label"),
    [
        (feature_errors.CommentNotFound, "Choose a thread"),
        (feature_errors.CommentGone, "Choose a thread"),
        (feature_errors.NotYours, "Choose a thread"),
        (TextGone, "Choose a thread"),
        (feature_errors.ItemGone, "Choose a catalog"),
        (feature_errors.SettledAlready, "Help"),
        (feature_errors.ReportedBefore, "Help"),
        (feature_errors.ReportsDisabled, "Help"),
        (feature_errors.NotAModerator, "Help"),
        (NotAManager, "Help"),
        (feature_errors.TooManyAnnouncements, "Announcements"),
        (feature_errors.UnknownAnnouncement, "Announcements"),
        # To who isn't a manager.
        (feature_errors.UnknownAnnouncement, "Help"),
        (feature_errors.TooManyRoleRules, "Set up"),
        # Neither a form nor its refusal: what there is to choose is nothing.
        (NothingNamed, "Help"),
        (NoNamesKnown, "Help"),
        (SeveralFit, "Help"),
        (Conflict, "Help"),
    ],
)
def test_no_button_leads_to_what_can_not_help(error: type[ExplainedError], label: str) -> None:
    values = dict.fromkeys(re.findall(r"%\((\w+)\)s", " ".join(words_of(error))), "this")
    filled = {"reason": ("Rude",)} if error.is_over else {}
    may_manage = label in ("Announcements", "Set up")
    here: Any = SimpleNamespace(**vars(HERE) | {"filled": filled, "may_manage": may_manage})
    problem = error()
    problem.values = values
    card = error_card(problem)

    add_next_step(here, card, problem)

    labels = [part["label"] for part in parts_of(card.components) if part["type"] == BUTTON]
    assert labels == [label]
