"""The cards of a comment: opened with its replies, and shared."""

from collections import abc

import discord
import msgspec

from bot.features.directory import Place
from bot.features.reading import paging
from bot.features.reading.threads import Found
from bot.features.reading.trees import Reply, Tree, tree_of
from bot.game import models
from bot.i18n import nt, number, t
from bot.ui import comments, custom_ids, drawing, hooks, markdown, sent_cards, shared_actions, theme
from cogs.forum import actions

# Together with the text around them, these stay below Discord's 4,000 characters.
_TEXT_ROOM_ALONE = 3000
_TEXT_ROOM = 1200
_PARENT_ROOM = 80
# How many replies to show below an opened comment.
REPLIES_SHOWN = 10
# The number of components in the list with its row, and in a row of four buttons.
_PARTS_BELOW = 7
_REPLY_ROOM = 240
_REPLY_LINES = 5
# For a channel, where people talk about other things too.
_SHARED_ROOM = 500
_SHARED_LINES = 8


class CommentView(msgspec.Struct, frozen=True):
    found: Found
    place: Place
    text_page: int = 0
    offset: int = 0
    seen: paging.Seen = paging.NOTHING_SEEN
    may_share: bool = True
    may_report: bool = False
    may_remove: bool = False
    is_own: bool = False
    entries: abc.Sequence[hooks.CommentEntry] = ()


def reply_button(found: Found, *, style: discord.ButtonStyle = drawing.BLUE) -> drawing.Button:
    key = found.key
    action = shared_actions.WriteComment(key.thread_id, found.comment.id, key.sort, key.page)
    return drawing.button(action, t("Reply"), style=style)


def in_reply_to(parent: models.Comment, name: str) -> str:
    shown = markdown.excerpt(parent.content, _PARENT_ROOM, lines=1)[0] or t("*(no text)*")
    return f"-# ↳ {t('in reply to %(name)s: %(text)s', name=name, text=shown)}"


def offer_comments(card: drawing.Card, near: models.PageKey, trees: abc.Iterable[Tree]) -> None:
    """Add a list of comments to open or to reply to."""
    opening: list[drawing.Entry] = []
    replying: list[drawing.Entry] = []
    for comment, _, count in trees:
        name = comments.name_of(comment.player, plain=True)
        text = comments.entry_text(comment.content)
        show = shared_actions.ShowComment(near, comment.id)
        label = t("Open %(name)s", name=f"{name}: {text}")
        opening.append(drawing.Entry(label, show, comments.replies_label(count)))
        reply = shared_actions.WriteComment(near.thread_id, comment.id, near.sort, near.page)
        replying.append(drawing.Entry(t("Reply to %(name)s", name=name), reply, text))
    card.choose([*opening, *replying], t("Open or reply…"))


def comment_card(view: CommentView, *, banner: str = "") -> drawing.Card:
    found = view.found
    comment = found.comment
    tree = tree_of(comment)
    # A member who has just posted continues reading. One button of a card is blue.
    reply, back = (drawing.GREY, drawing.BLUE) if banner else (drawing.BLUE, drawing.GREY)
    card = drawing.Card(theme.GOOD if banner else theme.FORUM)
    head = f"-# {comments.thread_title(view.place)}"
    card.say(f"### {banner}\n{head}" if banner else head)
    opened = shared_actions.ShowComment(found.key, comment.id, view.text_page, view.offset)
    pages = markdown.paginate(comment.content, _TEXT_ROOM if comment.children else _TEXT_ROOM_ALONE)
    text_page = min(max(view.text_page, 0), max(len(pages) - 1, 0))
    lines = [comments.byline(comment, spells_marks=True)]
    ways = [drawing.button(actions.ShowScreen(found.key, found.offset), t("Thread"), style=back)]
    if found.ancestors:
        parent = found.ancestors[-1]
        lines.append(in_reply_to(parent, comments.name_of(parent.player)))
        siblings = [reply.comment.id for reply in tree_of(parent).replies]
        offset = siblings.index(comment.id) // REPLIES_SHOWN * REPLIES_SHOWN
        up = shared_actions.ShowComment(found.key, parent.id, offset=offset)
        ways.append(drawing.button(up, t("Parent comment")))
    lines.append(pages[text_page] if pages else t("*(no text)*"))
    card.say("\n".join(lines), comments.avatar(comment.player))
    if len(pages) > 1:
        card.buttons(*_text_steps(opened, text_page, len(pages)))
    card.buttons(*_action_buttons(view, reply))
    for entry in view.entries:
        if entry.line:
            card.say(entry.line)
    if not view.may_share:
        why_not = t("Kiosk isn't in this server, so you can't share anything here.")
        card.say(f"-# {why_not}")
    if tree.reply_count:
        ways += _add_replies(card, opened, tree, view.seen)
    card.buttons(*ways)
    return card


def _text_steps(
    opened: shared_actions.ShowComment, text_page: int, count: int
) -> abc.Sequence[drawing.Button]:
    before = None
    if text_page > 0:
        before = msgspec.structs.replace(opened, text_page=text_page - 1)
    after = None
    if text_page + 1 < count:
        after = msgspec.structs.replace(opened, text_page=text_page + 1)
    position = t("Part %(number)s of %(count)s", number=number(text_page + 1), count=number(count))
    previous, following = drawing.step_buttons(before, after, in_text=True)
    return [previous, drawing.button("position.text", position, disabled=True), following]


def _action_buttons(
    view: CommentView, reply_style: discord.ButtonStyle
) -> abc.Iterator[drawing.Button]:
    key = view.found.key
    comment = view.found.comment
    yield reply_button(view.found, style=reply_style)
    if view.may_share:
        yield drawing.button(actions.Share(key, comment.id), t("Share"))
    if view.is_own:
        yield drawing.button(actions.OpenEditForm(key, comment.id), t("Edit"))
        yield drawing.button(actions.AskDelete(key, comment.id), t("Delete comment"))
        yield from (entry.button for entry in view.entries)
        return
    about = key.thread_id, comment.id, key.sort, key.page
    if view.may_report:
        yield drawing.button(shared_actions.ReportComment(*about), t("Report"))
    if view.may_remove:
        yield drawing.button(shared_actions.RemoveComment(*about), t("Remove comment"))


def _add_replies(
    card: drawing.Card, opened: shared_actions.ShowComment, tree: Tree, seen: paging.Seen
) -> abc.Sequence[drawing.Button]:
    """Add a screen of replies to an opened comment. Return the buttons to the others."""
    replies = tree.replies
    shown = len(replies)
    last = max(shown - 1, 0) // REPLIES_SHOWN * REPLIES_SHOWN
    offset = opened.offset if 0 <= opened.offset < shown else last
    end = offset + REPLIES_SHOWN
    if positions := seen.beyond(reply.comment for reply in replies):
        positions = seen.nearest(positions, REPLIES_SHOWN)
        offset = positions.start
        end = positions.stop
    card.divide()
    screen = replies[offset:end]
    heading = _replies_heading(tree.reply_count, shown, offset, len(screen))
    room = card.room - markdown.room_for(heading)
    card.say(heading)
    parts = len(list(drawing.parts_of(card.components))) + len(screen) + _PARTS_BELOW
    has_gaps = parts + len(screen) <= drawing.MAX_COMPONENTS
    for left, reply in zip(range(len(screen), 0, -1), screen, strict=True):
        text = _reply_text(reply, room // left)
        room -= markdown.room_for(text)
        if has_gaps:
            card.gap()
        card.say(text)
    offer_comments(card, opened.near, [tree_of(reply.comment) for reply in screen])
    if len(screen) == shown:
        return []
    ids = [reply.comment.id for reply in screen]
    opened = msgspec.structs.replace(opened, offset=offset)
    before = (
        custom_ids.with_seen(msgspec.structs.replace(opened, goes_back=True), ids)
        if offset > 0
        else None
    )
    after = custom_ids.with_seen(opened, reversed(ids)) if offset + len(screen) < shown else None
    return drawing.step_buttons(before, after)


def _replies_heading(count: int, shown: int, offset: int, on_screen: int) -> str:
    lines = [f"**{comments.replies_label(count)}**"]
    if shown > on_screen:
        first = number(offset + 1)
        last = number(offset + on_screen)
        position = t(
            "%(first)s to %(last)s of %(count)s", first=first, last=last, count=number(shown)
        )
        lines.append(f"-# {position}")
    if count > shown:
        missing = nt(
            "The game doesn't show %(count)s of these replies here.",
            "The game doesn't show %(count)s of these replies here.",
            count - shown,
        )
        lines.append(f"-# {missing}")
    return "\n".join(lines)


def _reply_text(reply: Reply, room: int) -> str:
    comment = reply.comment
    before = "> " if reply.level > 1 else ""
    name = f"**{comments.name_of(comment.player, comments.SHORT_NAME_ROOM)}**"
    if reply.level > 1:
        arrows = "↳" * min(reply.level - 1, comments.MAX_ARROWS)
        other = comments.name_of(reply.parent.player, comments.SHORT_NAME_ROOM)
        name = f"{arrows} {t('%(name)s replied to %(other)s', name=name, other=other)}"
    head = f"{before}-# {name} · {comments.written_at_of(comment)}"
    # Each line of the text is quoted like the head.
    room = min(_REPLY_ROOM, room - markdown.room_for(head) - (len(before) + 1) * (_REPLY_LINES + 1))
    shown, _ = markdown.excerpt(comment.content, room, lines=_REPLY_LINES)
    return f"\n{before}".join([head, *(shown or t("*(no text)*")).split("\n")])


def shared_card(found: Found, place: Place, sharer: discord.abc.User) -> drawing.Card:
    comment = found.comment
    card = drawing.Card(theme.FORUM)
    card.say(f"-# {comments.thread_title(place)}")
    pages = markdown.paginate(comment.content, _SHARED_ROOM)
    text = "".join(pages)
    label = t("Open")
    if len(pages) > 1 or text.count("\n") >= _SHARED_LINES:
        text, _ = markdown.excerpt(comment.content, _SHARED_ROOM, lines=_SHARED_LINES)
        label = t("Read more")
    text = f"{comments.byline(comment, spells_marks=True)}\n{text or t('*(no text)*')}"
    card.say(text, comments.avatar(comment.player))
    label = " · ".join(filter(None, [label, comments.replies_label(tree_of(comment).reply_count)]))
    show = drawing.button(shared_actions.ShowComment(found.key, comment.id), label)
    return sent_cards.finish_shared(card, sharer, reply_button(found), show)
