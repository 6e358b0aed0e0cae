"""Whatever members write, its cards and forms stay within Discord's limits and lose nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import FieldInfo, fields, replace

from bot.domain.drafts import Draft, DraftKind, DraftState
from bot.errors import GameDown
from bot.features.errors import Unsent
from bot.features.names import Place
from bot.game.models import LARGEST, Sort
from bot.ui.actions import Action
from cogs.forum import actions
from cogs.forum.views.drafts import draft_card, drafts_card, unsent_card
from cogs.forum.views.writing import draft_form, edit_form, typed_text, write_form
from storage.names import PlaceKind
from tests.unit.forum.drawn import (
    assert_within_limits,
    full_comment,
    parts,
    parts_of,
    places,
    repeated,
    texts,
)


@given(text=texts, state=st.sampled_from(DraftState), kind=st.sampled_from(DraftKind), place=places)
@settings(max_examples=30)
def test_an_unsent_text_of_anything_fits(
    text: str, state: DraftState, kind: DraftKind, place: Place
) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    draft = Draft(
        member_id=1,
        kind=kind,
        thread_id=place.game_id,
        comment_id=LARGEST,
        text=text,
        id=LARGEST,
        state=state,
        claimed_by="",
        due_at=moment,
        created_at=moment,
    )

    assert_within_limits(unsent_card(Unsent(draft, GameDown()), place, "ABCDEF", None))
    assert_within_limits(draft_card(draft, place, 99))
    assert_within_limits(drafts_card([(replace(draft, id=n), place) for n in range(20)]))


@pytest.mark.parametrize(("held_by", "offered"), [("", True), ("somebody", False)])
def test_a_reply_is_not_offered_to_be_sent_while_it_is_being_sent(
    held_by: str, offered: bool
) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    place = Place(PlaceKind.THREAD, 7, None)
    unknown = DraftState.UNKNOWN
    draft = Draft(
        member_id=1,
        kind=DraftKind.REPLY,
        thread_id=7,
        comment_id=8,
        text="Hi",
        id=1,
        state=unknown,
        claimed_by=held_by,
        due_at=moment,
        created_at=moment,
    )

    labels = {part.get("label") for part in parts_of(draft_card(draft, place, 0))}
    assert ("Send without looking" in labels) is offered


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
        _, *texts = action.custom_id().split(":")
        assert kind.read(texts) == action


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
        draft_form(actions.OpenDraftForm(LARGEST), "text"),
    ]
    assert all(len(form.title) <= 45 for form in forms)
