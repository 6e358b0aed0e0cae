"""The cards of one comment: opened with its replies, shared, and about to be deleted."""

from collections.abc import Sequence

import discord
from msgspec import Struct

from bot.features.forum.threads import Found
from bot.features.forum.trees import tree_of
from bot.features.names import Place
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button, step_button
from bot.ui.cards import Button, Card, button
from bot.ui.comments import byline, in_block, name_of, replies_label
from bot.ui.pictures import thumbnail
from bot.ui.sent_cards import Sharer, finish_shared
from bot.ui.shared_actions import OpenRemoveForm, OpenReportForm
from bot.ui.text import excerpt, paginate
from cogs.forum.actions import AskDelete, Delete, OpenEditForm, Share, ShowComment
from cogs.forum.views.parts import OPEN, SHARE, is_by, reply_button, spot, thread_button, title_of
from cogs.forum.views.thread import REPLIES_SHOWN, add_replies
from cogs.forum.views.writing import cannot_be_undone, delete_button
from storage.shown import BLOCK

# Together with what surrounds them, these stay below Discord's 4,000 characters.
_TEXT_ROOM_ALONE = 3000
_TEXT_ROOM = 1200
_PARENT_ROOM = 80
# In a channel, where people talk of other things too.
_SHARED_ROOM, _SHARED_LINES = 500, 8


class May(Struct, frozen=True):
    """What a member may do with a comment where they are, besides reading and answering it."""

    share: bool = True
    report: bool = False
    remove: bool = False


class CommentView(Struct, frozen=True):
    """What of an opened comment is looked at, and by whom."""

    found: Found
    place: Place
    player_id: int | None
    text_page: int = 0
    offset: int = 0
    may: May = May()

    def at(self, *, text_page: int | None = None, offset: int | None = None) -> ShowComment:
        """Return the way to another part of the same comment."""
        return ShowComment(
            *spot(self.found, self.found.comment),
            self.text_page if text_page is None else text_page,
            self.offset if offset is None else offset,
        )


def comment_card(view: CommentView, *, banner: str = "") -> Card:
    """Return a comment whole, with its replies; `banner` says what has just happened to it."""
    found, comment = view.found, view.found.comment
    card = Card(theme.GOOD if banner else theme.FORUM)
    head = f"-# {title_of(view.place)}"
    card.say(f"### {banner}\n{head}" if banner else head)
    pages = paginate(comment.content, _TEXT_ROOM if comment.children else _TEXT_ROOM_ALONE)
    text_page = min(max(view.text_page, 0), max(len(pages) - 1, 0))
    lines = [byline(comment, spells_marks=True)]
    if found.branch.ancestors:
        parent = found.branch.ancestors[-1]
        shown = excerpt(parent.content, _PARENT_ROOM, lines=1)[0] or t("*(no text)*")
        lines.append(
            f"-# ↳ {t('in reply to %(name)s: %(text)s', name=name_of(parent.player), text=shown)}"
        )
    lines.append(pages[text_page] if pages else t("*(no text)*"))
    card.say("\n".join(lines), thumbnail(comment.player.avatar_url, comment.player.screen_name))
    if len(pages) > 1:
        card.buttons(*_text_steps(view, text_page, len(pages)))
    card.buttons(*_deeds(view, is_written=bool(banner)))
    if not view.may.share:
        card.say(f"-# {t('Kiosk is not in this server, so nothing can be shared here.')}")
    _, replies, count = tree_of(comment)
    last = max(len(replies) - 1, 0) // REPLIES_SHOWN * REPLIES_SHOWN
    offset = min(max(view.offset, 0), last)
    add_replies(card, found.key, replies, count, offset)
    card.buttons(*_ways_back(view, offset, len(replies), is_written=bool(banner)))
    return card


def shared_card(found: Found, place: Place, sharer: Sharer) -> Card:
    """Return a comment as everybody sees it: whole, or its beginning where it is long."""
    comment = found.comment
    card = Card(theme.FORUM)
    card.say(f"-# {title_of(place)}")
    text, is_cut = _preview(comment.content)
    text = f"{byline(comment, spells_marks=True)}\n{text or t('*(no text)*')}"
    picture = thumbnail(comment.player.avatar_url, comment.player.screen_name)
    card.say(text, picture, part=BLOCK)
    label = t("Read all") if is_cut else t("Open")
    label = " · ".join(filter(None, [label, replies_label(tree_of(comment).reply_count)]))
    reply = reply_button(found, style=discord.ButtonStyle.primary)
    show = action_button(ShowComment(*spot(found, comment)), label, emoji=OPEN)
    return finish_shared(card, sharer, *in_block(BLOCK, reply, show))


def _preview(text: str) -> tuple[str, bool]:
    """Return what everybody is shown of a text, and whether there is more to read."""
    pages = paginate(text, _SHARED_ROOM)
    if len(pages) > 1 or (pages and pages[0].count("\n") >= _SHARED_LINES):
        return excerpt(text, _SHARED_ROOM, lines=_SHARED_LINES)[0], True
    return "".join(pages), False


def delete_card(found: Found, place: Place) -> Card:
    """Return a question before a comment is deleted, showing what will go."""
    comment = found.comment
    card = Card(theme.PROBLEM)
    card.say(f"### {t('Delete this comment?')}\n-# {title_of(place)}")
    shown, _ = excerpt(comment.content, _TEXT_ROOM, lines=30)
    card.say(
        f"{byline(comment)}\n{shown or t('*(no text)*')}",
        thumbnail(comment.player.avatar_url, comment.player.screen_name),
    )
    replies = tree_of(comment).reply_count
    if replies:
        card.say(
            nt(
                "It has %(count)s reply, which may go with it.",
                "It has %(count)s replies, which may go with it.",
                replies,
            )
        )
    card.say(f"-# {cannot_be_undone()}")
    card.buttons(
        delete_button(Delete(place.game_id, comment.id)),
        action_button(ShowComment(*spot(found, comment)), t("Keep it")),
    )
    return card


def _text_steps(view: CommentView, text_page: int, count: int) -> Sequence[Button]:
    before = view.at(text_page=text_page - 1) if text_page > 0 else None
    after = view.at(text_page=text_page + 1) if text_page + 1 < count else None
    position = t("Text %(number)s of %(count)s", number=number(text_page + 1), count=number(count))
    return [
        step_button(before, None, "◀️", name="text-before"),
        button("nowhere.text", position, disabled=True),
        step_button(after, None, "▶️", name="text-after"),
    ]


def _deeds(view: CommentView, *, is_written: bool) -> Sequence[Button]:
    here = spot(view.found, view.found.comment)
    # Whoever has just written goes on reading: one button of a card is blue.
    style = discord.ButtonStyle.secondary if is_written else discord.ButtonStyle.primary
    buttons: list[Button] = [reply_button(view.found, style=style)]
    if view.may.share:
        buttons.append(action_button(Share(*here), t("Share"), emoji=SHARE))
    if is_by(view.found.comment, view.player_id):
        edit = action_button(OpenEditForm(*here), t("Edit"), emoji="✏️")
        return [*buttons, edit, action_button(AskDelete(*here), t("Delete"), emoji="🗑️")]
    thread_id, sort, page, comment_id = here
    if view.may.report:
        report = OpenReportForm(thread_id, comment_id, sort, page)
        buttons.append(action_button(report, t("Report"), emoji="🚩"))
    if view.may.remove:
        removal = OpenRemoveForm(thread_id, comment_id, sort, page)
        buttons.append(action_button(removal, t("Remove"), emoji="🚫"))
    return buttons


def _ways_back(view: CommentView, offset: int, count: int, *, is_written: bool) -> Sequence[Button]:
    found = view.found
    style = discord.ButtonStyle.primary if is_written else discord.ButtonStyle.secondary
    buttons: list[Button] = [thread_button(found.key, found.offset, style=style)]
    if found.branch.ancestors:
        up = ShowComment(*spot(found, found.branch.ancestors[-1]))
        buttons.append(action_button(up, t("Up"), emoji="⬆️"))
    if count > REPLIES_SHOWN:
        before = view.at(offset=offset - REPLIES_SHOWN) if offset > 0 else None
        after = view.at(offset=offset + REPLIES_SHOWN) if offset + REPLIES_SHOWN < count else None
        buttons.append(step_button(before, t("Previous"), "◀️", name="replies-before"))
        buttons.append(step_button(after, t("Next"), "▶️", name="replies-after"))
    return buttons
