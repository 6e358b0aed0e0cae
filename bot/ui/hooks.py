"""Hooks by which the core asks and notifies its features, each with listeners in order."""

from collections import abc
from typing import Generic, ParamSpec, TypeVar

import msgspec

from bot.features.reading.paging import Position
from bot.features.reading.threads import Found
from bot.game.models import Comment, PageKey
from bot.ui import drawing, permissions
from bot.ui.error_cards import log_error
from bot.ui.here import Here
from bot.ui.places import ThreadNews
from bot.ui.problems import Problem
from bot.ui.server_settings import FeatureSetting
from storage.database import Transaction
from storage.links import Link
from storage.names import Named
from storage.removals import Removal
from storage.writes import Order, Text

Channels = abc.Mapping[int, permissions.ChannelState]
P = ParamSpec("P")
T = TypeVar("T")


class Hook(Generic[P, T]):
    """Listeners of the features. If one raises, the error is logged and the others are called."""

    def __init__(self) -> None:
        self._listeners: list[abc.Callable[P, abc.Awaitable[T]]] = []

    @property
    def is_heard(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: abc.Callable[P, abc.Awaitable[T]]) -> None:
        self._listeners.append(listener)

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """Return what each listener returned."""
        returned: list[T] = []
        for listener in self._listeners:
            try:
                returned.append(await listener(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - the core goes on without the feature
                log_error(error)
        return returned


class StrictHook(Hook[P, T]):
    """A hook that the core can't do without: a listener's errors reach the caller."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        return [await listener(*args, **kwargs) for listener in self._listeners]


class Section(msgspec.Struct, frozen=True):
    """A feature's part of /setup show: its problems, its state if it is set, and its button."""

    problems: abc.Sequence[Problem] = ()
    line: str = ""
    button: drawing.Button | None = None
    is_set: bool = False


class CommentEntry(msgspec.Struct, frozen=True):
    """A feature's part of a comment's card: a button, and a line below the buttons."""

    button: drawing.Button
    line: str = ""


class ShownScreen(msgspec.Struct, frozen=True):
    """A screen of a thread, with these comments.

    `key` names the thread and its order. A visit `begins` there, or continues by turning pages.
    """

    key: PageKey
    ids: abc.Set[int] = frozenset()
    begins: bool = False


class NewComments(msgspec.Struct, frozen=True):
    """The new comments of a thread: their number as text, their ids, and a button to the first."""

    words: str
    ids: abc.Set[int]
    first: drawing.Button | None = None


class Hooks:
    def __init__(self) -> None:
        # Sections of /setup show, from the channels as Discord shows them.
        self.setup_sections = Hook[[Here, Channels], Section]()
        # The settings of a server that features store themselves.
        self.settings = StrictHook[[int], FeatureSetting]()
        # The language of a server has changed, or what it announces.
        self.server_changed = Hook[[int], None]()
        # The roles that members of a server are given: no moderators' role may be one of them.
        self.given_roles = StrictHook[[int], abc.Set[int]]()
        # Adds to the card of /account show, below the link if there is one.
        self.account_shown = Hook[[Here, drawing.Card, Link | None], None]()
        # Before a screen of a thread is shown: returns the comments that are new to the member.
        self.screen_shown = Hook[[Here, ShownScreen], NewComments | None]()
        # What is new in the threads that have names, and which one was read last.
        self.thread_news = Hook[[Here, abc.Sequence[Named]], ThreadNews]()
        # Buttons on the card of a thread's screen, between those that write and those that sort.
        self.thread_buttons = Hook[[Position[PageKey]], abc.Sequence[drawing.Button]]()
        # Entries on the card of a member's own comment.
        self.comment_entries = Hook[[Here, Found], CommentEntry]()
        # A member has linked an account, or unlinked it.
        self.linked = Hook[[Here], None]()
        # A purchase has succeeded: right now, or earlier if it was in doubt.
        self.bought = Hook[[Order], None]()
        # A comment sent with this link is in the game: it arrived right now, or was found later.
        self.written = Hook[[Text, Comment, Link], None]()
        # A removal or a mute starts or is undone, in its transaction.
        self.decided = StrictHook[[Transaction, Removal], None]()
        self.interaction_ended = Hook[[Here], None]()
