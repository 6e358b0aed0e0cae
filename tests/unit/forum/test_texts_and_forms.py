"""Whatever members write, its cards and forms stay within Discord's limits and lose nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import FieldInfo, fields, replace

from bot.errors import KioskError
from bot.features.names import Place
from bot.features.writing.errors import AccountChanged, AnsweredGone, AnswerNotTaken
from bot.features.writing.rules import WriteResult
from bot.game.models import LARGEST, Sort
from bot.ui.actions import Action
from cogs.forum import actions
from cogs.forum.actions import changed_form, edit_form, typed_text, write_form
from cogs.forum.text_cards import again_question, discard_question, text_card, unsent_list
from storage.writes import TEXTS, Write, WriteKind, WriteState
from tests.unit.forum.drawn import (
    assert_within_limits,
    full_comment,
    parts,
    places,
    repeated,
    texts,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@given(
    text=texts,
    state=st.sampled_from([WriteState.KEPT, WriteState.UNKNOWN]),
    kind=st.sampled_from(TEXTS),
    reason=st.sampled_from([None, "unanswered", "Unreachable", "ArrivalUnknown"]),
    cause=st.sampled_from([None, AccountChanged(), AnsweredGone(), AnswerNotTaken()]),
    place=places,
)
@settings(max_examples=30)
def test_an_unsent_text_of_anything_fits(
    text: str,
    state: WriteState,
    kind: WriteKind,
    reason: str | None,
    cause: KioskError | None,
    place: Place,
) -> None:
    write = Write(LARGEST, 1, kind, place.game_id, LARGEST, text, state=state, reason=reason)
    write = replace(write, game_words=text, created_at=NOW, asked_at=NOW)

    for now in (NOW, NOW + timedelta(hours=1)):
        assert_within_limits(text_card(WriteResult(write, cause), place, now, reference="ABCDEF"))
        assert_within_limits(text_card(WriteResult(write), place, now, text_page=99))
    assert_within_limits(discard_question(write, place))
    assert_within_limits(again_question(write, place))
    assert_within_limits(unsent_list([(replace(write, id=n), place) for n in range(20)]))


@given(text=parts.map(repeated))
@settings(max_examples=25)
def test_a_form_gives_back_the_text_it_was_given(text: str) -> None:
    form = edit_form(1, 2, text).to_dict()
    fields = [label["component"] for label in form["components"]]

    assert all(len(field["value"]) <= 4000 for field in fields)
    assert typed_text({field["custom_id"]: field["value"] for field in fields}) == text


def test_every_action_fits_into_a_custom_id_with_the_largest_ids() -> None:
    kinds = [
        kind
        for kind in vars(actions).values()
        if isinstance(kind, type) and issubclass(kind, Action) and hasattr(kind, "kind")
    ]
    assert len(kinds) > 10
    for kind in kinds:
        values = [_largest(field) for field in fields(kind)]
        action = kind(*values)
        assert kind.read(action.custom_id()) == action


def _largest(field: FieldInfo) -> Any:
    if field.type is Sort:
        return Sort.HOTTEST
    if field.type is bool:
        return True
    return LARGEST if field.name.endswith("_id") else 1_000_000


def test_a_forms_title_fits_with_the_largest_ids() -> None:
    forms = [
        write_form(actions.OpenWriteForm(LARGEST, LARGEST)),
        write_form(actions.OpenWriteForm(1, 2), full_comment(1, player_id=1)),
        edit_form(LARGEST, LARGEST, None),
        changed_form(actions.OpenTextForm(LARGEST), "text"),
    ]
    assert all(len(form.title) <= 45 for form in forms)
