"""The cards of texts that could not be sent: nothing a member typed is lost."""

from collections.abc import Sequence
from datetime import timedelta

import discord
from msgspec.structs import replace

from bot.domain.drafts import KEPT, LONGEST_COMMENT, Draft, DraftKind, DraftState
from bot.features.errors import AnsweredGone, IsItYours, Unsent
from bot.features.names import Place
from bot.game.errors import Invalid
from bot.game.models import Comment
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button, fold, step_button
from bot.ui.cards import Button, Card, notice
from bot.ui.comments import byline
from bot.ui.error_cards import error_card
from bot.ui.text import excerpt, paginate
from cogs.forum.actions import (
    Discard,
    OpenDraftForm,
    PostInThread,
    Retry,
    SayMine,
    SayNotMine,
    ShowDraft,
)
from cogs.forum.views.parts import THREAD, title_of

# What the game calls the comment that a reply is for (Interface 4.2).
PARENT_FIELD = "comment_id"

_TEXT_ROOM = 2600
_LINE_ROOM = 70
# Where a comment that may be the text stands above it.
_SHORT_ROOM, _CANDIDATE_ROOM = 1800, 500
# As many as fit on a card with a button each.
_MOST_LISTED = 8

_KINDS = {
    DraftKind.POST: N_("A comment in %(thread)s"),
    DraftKind.REPLY: N_("A reply to #%(comment)s in %(thread)s"),
    DraftKind.EDIT: N_("A new text for #%(comment)s"),
    DraftKind.DELETE: N_("The deletion of #%(comment)s"),
}
# By whether it is a deletion, and how it stands with the game.
_HEADINGS = {
    (False, DraftState.OPEN): N_("This text wasn't sent"),
    (False, DraftState.UNKNOWN): N_("This text may not have been sent"),
    (True, DraftState.OPEN): N_("This comment wasn't deleted"),
    (True, DraftState.UNKNOWN): N_("This comment may not have been deleted"),
}


def unsent_card(unsent: Unsent, place: Place, reference: str, candidate: Comment | None) -> Card:
    """Say why a text was not sent, and give it back with what can be done.

    `candidate` is the comment that may be the text, None where it is hidden here.
    """
    retry = fold(Retry(unsent.draft.id).custom_id())
    card = error_card(unsent.cause, reference, then=retry)
    card.divide()
    if isinstance(unsent.cause, IsItYours):
        without_text = replace(unsent.cause.comment, content="")
        _add_candidate(card, unsent.draft, candidate or without_text)
    is_refused = isinstance(unsent.cause, Invalid) and PARENT_FIELD in unsent.cause.errors
    has_no_parent = is_refused or isinstance(unsent.cause, AnsweredGone)
    _add_draft(card, unsent.draft, place, 0, has_no_parent=has_no_parent)
    return card


def draft_card(draft: Draft, place: Place, text_page: int) -> Card:
    """Show a text that waits to be sent."""
    card = Card(theme.CALM)
    heading = _HEADINGS[draft.kind is DraftKind.DELETE, draft.state]
    card.say(f"### {t(heading)}")
    _add_draft(card, draft, place, text_page)
    return card


def drafts_card(drafts: Sequence[tuple[Draft, Place]]) -> Card:
    """List the texts that wait to be sent."""
    if not drafts:
        return notice(t("You have no unsent texts"), t("Nothing is waiting to be sent."))
    card = Card(theme.CALM)
    card.say(f"### {t('Your unsent texts')}\n-# {_how_long()}")
    for draft, place in drafts[:_MOST_LISTED]:
        if draft.is_readable:
            shown, _ = excerpt(draft.text, _LINE_ROOM, lines=1)
            button = action_button(ShowDraft(draft.id), t("Open"))
        else:
            gone = t("This text can't be opened: the key that sealed it is gone.")
            shown = f"*{gone}*"
            button = action_button(Discard(draft.id), t("Discard"), emoji="🗑️")
        text = "\n".join(filter(None, [f"**{_what(draft, place)}**", shown, _standing(draft)]))
        card.say(text, button)
    more = len(drafts) - _MOST_LISTED
    if more > 0:
        card.say(
            "-# "
            + nt(
                "%(count)s older text appears here once one of these is sent or discarded.",
                "%(count)s older texts appear here once these are sent or discarded.",
                more,
            )
        )
    return card


def discarded_card(draft: Draft | None) -> Card:
    """Say that a text is gone here; None is one that can't be read."""
    is_unsent = draft is not None and draft.state is DraftState.OPEN
    if draft is not None and draft.kind is DraftKind.DELETE:
        return notice(
            t("The deletion has been discarded"),
            t("The comment wasn't deleted.")
            if is_unsent
            else t("The game may have deleted the comment all the same."),
        )
    return notice(
        t("The text has been discarded"),
        t("It wasn't sent, and Kiosk no longer keeps it.")
        if is_unsent
        else t("Kiosk no longer keeps it. The game may have it all the same."),
    )


def _add_candidate(card: Card, draft: Draft, comment: Comment) -> None:
    shown, _ = excerpt(comment.content, _CANDIDATE_ROOM, lines=6)
    card.say(f"{byline(comment)}\n{shown}")
    card.buttons(
        action_button(SayMine(draft.id, comment.id), t("Yes, it is mine")),
        action_button(SayNotMine(draft.id, comment.id), t("No")),
    )
    card.divide()


def _add_draft(
    card: Card, draft: Draft, place: Place, text_page: int, *, has_no_parent: bool = False
) -> None:
    if draft.kind is DraftKind.DELETE:
        card.say("\n".join(filter(None, [f"**{_what(draft, place)}**", _standing(draft)])))
        card.buttons(*_buttons(draft))
        return
    room = _SHORT_ROOM if draft.state is DraftState.UNKNOWN else _TEXT_ROOM
    pages = paginate(draft.text, room) or [t("*(no text)*")]
    text_page = min(max(text_page, 0), len(pages) - 1)
    count, limit = number(len(draft.text)), number(LONGEST_COMMENT)
    length = t("%(count)s of %(limit)s characters", count=count, limit=limit)
    heading = f"**{_what(draft, place)}**\n-# {length} · {_how_long()}"
    card.say("\n".join(filter(None, [heading, _standing(draft), pages[text_page]])))
    if len(pages) > 1:
        before = ShowDraft(draft.id, text_page - 1) if text_page else None
        after = ShowDraft(draft.id, text_page + 1) if text_page + 1 < len(pages) else None
        card.buttons(
            step_button(before, None, "◀️", name="text-before"),
            step_button(after, None, "▶️", name="text-after"),
        )
    card.buttons(*_buttons(draft, has_no_parent=has_no_parent))


def _standing(draft: Draft) -> str:
    """Return a line on whether the game may have the text."""
    if draft.state is not DraftState.UNKNOWN:
        return ""
    if draft.claimed_by:
        return f"-# {t('On its way to the game, or being looked for.')}"
    if draft.kind is DraftKind.DELETE:
        return f"-# {t('The game may have deleted it: pressing Delete once more does no harm.')}"
    if draft.kind is DraftKind.EDIT:
        return f"-# {t('The game may have it: sending it once more does no harm.')}"
    return f"-# {t('The game may have it: Kiosk looks before it sends it again.')}"


def _buttons(draft: Draft, *, has_no_parent: bool = False) -> Sequence[Button]:
    if draft.kind is DraftKind.DELETE:
        again, danger = Retry(draft.id), discord.ButtonStyle.danger
        return [
            action_button(again, t("Delete"), style=danger, emoji="🗑️"),
            action_button(Discard(draft.id), t("Discard")),
        ]
    buttons: list[Button] = []
    if has_no_parent:
        post = PostInThread(draft.id)
        label, blue = t("Post in the thread"), discord.ButtonStyle.primary
        buttons.append(action_button(post, label, style=blue, emoji=THREAD))
    elif len(draft.text) <= LONGEST_COMMENT:
        again, blue = Retry(draft.id), discord.ButtonStyle.primary
        buttons.append(action_button(again, t("Try again"), style=blue, emoji="🔁"))
    if draft.state is DraftState.OPEN:
        buttons.append(action_button(OpenDraftForm(draft.id), t("Edit"), emoji="✏️"))
    elif not draft.claimed_by and draft.kind is not DraftKind.EDIT:
        # Whatever the thread shows, the member can look for themselves and decide.
        buttons.append(action_button(Retry(draft.id, is_sure=True), t("Send without looking")))
    buttons.append(action_button(Discard(draft.id), t("Discard"), emoji="🗑️"))
    return buttons


def _what(draft: Draft, place: Place) -> str:
    return t(_KINDS[draft.kind], thread=title_of(place), comment=draft.comment_id)


def _how_long() -> str:
    return nt(
        "Kiosk keeps unsent texts for %(count)s hour",
        "Kiosk keeps unsent texts for %(count)s hours",
        KEPT // timedelta(hours=1),
    )
