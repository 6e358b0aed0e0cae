"""Start and stop watching replies to members' comments, and comments with their words."""

from enum import StrEnum

from bot.features import feature_errors
from bot.features.directory import Place
from bot.features.reading.threads import Found
from bot.i18n import N_, t
from bot.ui import custom_ids, drawing, fields, forms, shared_actions, theme, watches
from bot.ui.here import Here
from bot.ui.router import route, sent
from cogs.replies.service import ReplyService
from storage.names import PlaceKind


class TellReplies(shared_actions.CommentAction, kind="forum.tell"):
    """Start notifying the member about replies to their comment."""


class StopReplies(shared_actions.CommentAction, kind="forum.untell"):
    """Stop notifying the member about replies to a comment."""


class TellAllReplies(custom_ids.Action, kind="account.replies"):
    """Tell the member about replies to the comments that they write from now on, or don't."""

    is_on: bool


# The longest text with the words of one watch.
MAX_WORDS_LENGTH = 100


class Where(StrEnum):
    """Where words are watched."""

    HERE = "here"
    EVERYWHERE = "everywhere"


_WHERE_WORDS = {Where.HERE: N_("In this thread"), Where.EVERYWHERE: N_("In all threads added here")}
_WORDS = fields.TextInput("words", MAX_WORDS_LENGTH, is_line=True, is_required=True)
_WHERE = fields.OneOf("where", Where)


@route(TellReplies)
async def on_tell(here: Here, action: shared_actions.CommentAction) -> None:
    found = await here.features.threads.comment(here.viewer, action.near, action.comment_id)
    await _require_own(here, found)
    branch = (*found.ancestors, found.comment)
    await here.service(ReplyService).watch_replies(
        here.member_id, found.key, branch, here.server, here.locale
    )
    await _show(here, found)


@route(StopReplies)
async def on_stop(here: Here, action: shared_actions.CommentAction) -> None:
    await here.features.watching.end_watches_of(here.member_id, PlaceKind.THREAD, action.comment_id)
    found = await here.features.threads.comment(here.viewer, action.near, action.comment_id)
    await _show(here, found)


@route(TellAllReplies)
async def on_tell_all(here: Here, action: TellAllReplies) -> None:
    service = here.service(ReplyService)
    await service.tell_all(here.member_id, here.server, is_on=action.is_on)
    account = shared_actions.ShowAccount()
    await here.interaction.client.router.press(here, account.custom_id())


@route(shared_actions.WatchWords, opens_form=True)
async def open_watch_form(here: Here, action: shared_actions.WatchWords) -> None:
    place = await here.place(PlaceKind.THREAD, action.thread_id)
    named = await here.names(PlaceKind.THREAD)
    others = any(thread.game_id != place.game_id for thread in named)
    if action.words:
        here.filled = {_WORDS.name: (custom_ids.narrowed(action.words),)}
    await here.open_form(watch_form(place, has_others=others))


@sent(shared_actions.WatchWords, in_place=False)
async def on_watch_words(here: Here, action: shared_actions.WatchWords) -> None:
    # The form doesn't ask if there is only one thread.
    is_everywhere = _WHERE.name in here.filled and _WHERE.read(here) is Where.EVERYWHERE
    thread = None if is_everywhere else str(action.thread_id)
    await watch_words(here, _WORDS.read(here), thread)


async def watch_words(here: Here, words: str, thread: str | None) -> None:
    """Watch words in comments of one thread, or of all that have a name here.

    Raises UnfitToWatch, TooLongToWatch, TooManyWatches, UnknownName.
    """
    ids: list[int] = []
    if not thread:
        ids = [named.game_id for named in await here.names(PlaceKind.THREAD)]
    if not ids:
        ids = [(await here.find_by_name(PlaceKind.THREAD, thread or "")).game_id]
    service = here.service(ReplyService)
    watch, is_new = await service.watch_words(here.member_id, words, ids, here.server, here.locale)
    where = (await watches.titles_of(here.features.directory, [watch]))[watch.first.id]
    what = watches.watch_words(watch)
    title = t("You're watching %(what)s", what=what)
    if not is_new:
        title = t("You're already watching %(what)s", what=what)
    body = t(
        "Kiosk sends you a direct message when a comment in %(thread)s contains one of these"
        " words.",
        thread=where,
    )
    note = t("Your own comments don't count. You get at most one message an hour.")
    end = drawing.button(
        shared_actions.AskEndWatch(watch.first.id), t("Stop watching…"), emoji="🔕"
    )
    card = drawing.notice(
        title, body, colour=theme.GOOD, footer=watches.footer_of(note), buttons=(end,)
    )
    await here.answer(card)


async def _show(here: Here, found: Found) -> None:
    opened = shared_actions.ShowComment(found.key, found.comment.id)
    await here.interaction.client.router.press(here, opened.custom_id(), is_own=True)


async def _require_own(here: Here, found: Found) -> None:
    """Raise NotYours unless the game or Kiosk knows that the member wrote the comment."""
    writer_id = found.comment.player.id
    if writer_id is not None and writer_id == await here.player_id():
        return
    written = await here.features.writes.text_of_comment(found.comment.id)
    if written is None or written.member_id != here.member_id:
        raise feature_errors.NotYours


def watch_form(place: Place, *, has_others: bool) -> forms.ActionForm:
    # The form's action has no words: if it opens again, it shows those that were typed.
    form = forms.ActionForm(shared_actions.WatchWords(place.game_id), title=t("Watch words"))
    hint = t("Use commas. One match is enough. For example, hat, straw hat*")
    _WORDS.ask(form, t("Words"), hint)
    if has_others:
        _WHERE.ask(form, t("Where"), _WHERE_WORDS, Where.HERE)
    return form
