"""News about comments in a member's direct message."""

from collections import abc

from msgspec import Struct

from bot import errors
from bot.features import Features, feature_errors
from bot.features.directory import Place
from bot.features.moderation import policy
from bot.features.reading.threads import Found, HeldBackComment
from bot.game import models
from bot.game.game_errors import GameError
from bot.i18n import t
from bot.ui import comments, drawing, markdown, shared_actions, theme
from storage import messages, subscriptions
from storage.following import SeenComment
from storage.member_watches import Notice, Watch
from storage.moderation import Subject
from storage.names import PlaceKind
from storage.shown import ShownComment

# In characters, and in lines.
_TEXT_ROOM = 1500
_TEXT_LINES = 30
_SHORT_ROOM = 160
# How many comments a message lists, and how many if it also has news of items.
_MAX_LISTED = 10
_MIN_LISTED = 5
# How many comments above a reply to check: each of them may be hidden.
_MAX_ABOVE = 50


class ToldComment(Struct, frozen=True):
    """A comment in a member's news. `found` is None if it can't be shown now."""

    seen: SeenComment
    place: Place
    found: Found | None
    may_be_own: bool = False

    @property
    def opening(self) -> shared_actions.ShowComment:
        key = models.PageKey(self.place.game_id, page=self.seen.page)
        return shared_actions.ShowComment(self.found.key if self.found else key, self.seen.id)


class CommentSection:
    """The section of a member's news about comments.

    It leaves out the member's own comments, and those hidden or held back in the server in which
    the member started the watch.
    """

    colour = theme.FORUM

    def __init__(self, features: Features) -> None:
        self._features = features

    def ways(self, *, has_account: bool) -> abc.Sequence[str]:
        return [
            t("Words in comments: use `/forum watch`."),
            t("Replies to your comment: press **Watch replies** on its card."),
        ]

    async def prepare(
        self, message: messages.Message, notices: abc.Sequence[Notice]
    ) -> abc.Sequence[tuple[Watch, ToldComment]]:
        known: dict[int, tuple[Watch, subscriptions.Subscription, SeenComment]] = {}
        # A reply that also contains a word is shown as a reply.
        for watch, event in sorted(notices, key=lambda notice: notice[0].first.subject_id is None):
            seen = await self._features.followed_threads.following.comment(
                event.place_id, event.subject_id
            )
            if seen is not None and not seen.is_gone:
                known.setdefault(seen.id, (watch, watch.part_of(event), seen))
        # Before any check: a comment that is hidden later then changes the message.
        shown = [
            ShownComment(seen.id, seen.player_id, wish.place_id, is_quoted=True)
            for _, wish, seen in known.values()
        ]
        await self._features.shown.record_told(message.id, shown)
        # Comments that another process has just hidden must be known, too.
        for guild_id in {wish.asked_in for _, wish, _ in known.values()} - {None}:
            self._features.moderation.policy.forget(guild_id or 0)
        player_id = await self._features.accounts.player_of(message.member_id or 0)
        told: list[tuple[Watch, ToldComment]] = []
        for watch, wish, seen in known.values():
            if comment := await self._told(message, wish, seen, player_id):
                told.append((watch, comment))
        return told

    async def _told(
        self,
        message: messages.Message,
        wish: subscriptions.Subscription,
        seen: SeenComment,
        player_id: int | None,
    ) -> ToldComment | None:
        member_id = message.member_id or 0
        written = await self._features.writes.text_of_comment(seen.id)
        is_own = seen.player_id is not None and seen.player_id == player_id
        if is_own or (written is not None and written.member_id == member_id):
            return None
        locale = await self._features.moderation.locale(wish.asked_in, wish.locale)
        viewer = policy.Viewer(member_id, wish.asked_in, locale)
        if await self._is_hidden(viewer, wish.place_id, seen):
            return None
        try:
            found = await self._find(viewer, wish, seen, is_sent=message.message_id is not None)
        except feature_errors.CommentGone:
            return None
        writer = None if found is None else found.comment.player
        if writer is not None and writer.id is not None and writer.id == player_id:
            # The game didn't say who wrote the comment when Kiosk first saw it.
            return None
        place = await self._features.directory.place(
            wish.asked_in, PlaceKind.THREAD, wish.place_id, member_id=member_id
        )
        has_name = writer is not None and bool(writer.screen_name)
        may_be_own = player_id is None or (seen.player_id is None and not has_name)
        return ToldComment(seen, place, found, may_be_own)

    async def _find(
        self,
        viewer: policy.Viewer,
        wish: subscriptions.Subscription,
        seen: SeenComment,
        *,
        is_sent: bool,
    ) -> Found | None:
        """Return a comment, None if it can't be shown now.

        Raises CommentGone, also if the comment is held back.
        """
        found = None
        try:
            found = await self._features.threads.seen_comment(viewer, wish.place_id, seen)
        except feature_errors.CommentGone:
            raise
        except feature_errors.CommentNotFound:
            # It is on a later page now. The message mentions it, and it can be opened.
            pass
        except (errors.KioskError, GameError):
            # A sent message must change, since something in it is hidden now.
            if not is_sent:
                raise
        subject = Subject(seen.id)
        if found is None:
            moderation = self._features.moderation.policy
            is_held_back = await moderation.is_held_back(viewer.guild_id, subject)
        else:
            is_held_back = isinstance(found.comment, HeldBackComment)
        if is_held_back:
            raise feature_errors.CommentGone(name=subject.label)
        return found

    async def _is_hidden(self, viewer: policy.Viewer, thread_id: int, seen: SeenComment) -> bool:
        """Return whether a server now hides a comment, or one above it."""
        if viewer.guild_id is None:
            return False
        view = await self._features.moderation.policy.prepare(viewer)
        comment: SeenComment | None = seen
        for _ in range(_MAX_ABOVE):
            if comment is None:
                return False
            if view.see(Subject(comment.id, thread_id, comment.player_id)).is_hidden:
                return True
            parent_id = comment.parent_id
            comment = (
                await self._features.followed_threads.following.comment(thread_id, parent_id)
                if parent_id
                else None
            )
        return False

    def say(
        self,
        card: drawing.Card,
        told: abc.Sequence[tuple[Watch, ToldComment]],
        *,
        ends: drawing.Button | None,
        is_short: bool,
    ) -> None:
        if ends is not None:
            _say_alone(card, *told[0], ends)
            return
        listed = told[: _MIN_LISTED if is_short else _MAX_LISTED]
        lines = [_line(watch, comment) for watch, comment in listed]
        # Each by itself: the text after a quote must not be part of it.
        for line in markdown.and_more(lines, len(told)):
            card.say(line)
        entries: list[drawing.Entry] = []
        replies: list[drawing.Entry] = []
        for _, comment in listed:
            label = t("Open comment #%(id)s", id=comment.seen.id)
            if comment.found is not None:
                shown = comment.found.comment
                name = comments.name_of(shown.player, plain=True)
                text = comments.entry_text(shown.content)
                label = t("Open %(name)s", name=f"{name}: {text}")
                form = _form(comment.found)
                replies.append(drawing.Entry(t("Reply to %(name)s", name=name), form, text))
            entries.append(drawing.Entry(label, comment.opening))
        card.choose([*entries, *replies], t("Open or reply…"), name="comments")


def _form(found: Found) -> shared_actions.WriteComment:
    key = found.key
    return shared_actions.WriteComment(key.thread_id, found.comment.id, key.sort, key.page)


def _title(watch: Watch, comment: ToldComment) -> str:
    name = comment.found and comments.name_of(comment.found.comment.player)
    if watch.first.subject_id is None:
        words = markdown.one_line(watch.first.subject_name, comments.NAME_ROOM)
        return t("A comment with “%(words)s”", words=words)
    return t("%(name)s replied to you", name=name) if name else t("Someone replied to you")


def _line(watch: Watch, comment: ToldComment) -> str:
    head = f"**{_title(watch, comment)}** · {comments.thread_title(comment.place)}"
    if comment.found is None:
        return head
    shown, _ = markdown.excerpt(comment.found.comment.content, _SHORT_ROOM, lines=1)
    if watch.first.subject_id is None:
        name = comments.name_of(comment.found.comment.player, comments.SHORT_NAME_ROOM)
        return f"{head}\n> **{name}**: {shown or t('*(no text)*')}"
    return f"{head}\n> {shown or t('*(no text)*')}"


def _say_alone(
    card: drawing.Card, watch: Watch, comment: ToldComment, ends: drawing.Button
) -> None:
    lines = [f"### {_title(watch, comment)}", f"-# {comments.thread_title(comment.place)}"]
    found = comment.found
    if found is None:
        card.say("\n".join([*lines, t("Kiosk can't show the comment here right now.")]))
        card.buttons(drawing.button(comment.opening, t("Open"), style=drawing.BLUE), ends)
        return
    shown = found.comment
    if watch.first.subject_id is not None and found.ancestors:
        parent, _ = markdown.excerpt(found.ancestors[-1].content, _SHORT_ROOM, lines=1)
        lines.append(f"-# ↳ {t('in reply to your comment: %(text)s', text=parent)}")
    text, is_cut = markdown.excerpt(shown.content, _TEXT_ROOM, lines=_TEXT_LINES)
    lines += [comments.byline(shown, spells_marks=True), text or t("*(no text)*")]
    card.say("\n".join(lines), comments.avatar(shown.player))
    if comment.may_be_own:
        unknown = t("Kiosk doesn't know which player you are, so this may be your own comment.")
        card.say(f"-# {unknown}")
    label = t("Read more") if is_cut else t("Open")
    card.buttons(
        drawing.button(_form(found), t("Reply"), style=drawing.BLUE),
        drawing.button(comment.opening, label),
        ends,
    )
