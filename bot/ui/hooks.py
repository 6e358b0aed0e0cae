"""What the core asks of its features, and tells them: each hook calls its listeners in order."""

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
    """Listeners of the features; what one of them raises is logged, and the others are called."""

    def __init__(self) -> None:
        self._listeners: list[abc.Callable[P, abc.Awaitable[T]]] = []

    @property
    def is_heard(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: abc.Callable[P, abc.Awaitable[T]]) -> None:
        self._listeners.append(listener)

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """Return what each has returned."""
        returned: list[T] = []
        for listener in self._listeners:
            try:
                returned.append(await listener(*args, **kwargs))
            except Exception as error:  # noqa: BLE001 - the core goes on without the feature
                log_error(error)
        return returned


class StrictHook(Hook[P, T]):
    """A hook that the core can't go on without: what a listener raises goes on to its caller."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        return [await listener(*args, **kwargs) for listener in self._listeners]


class Section(msgspec.Struct, frozen=True):
    """What a feature says on /setup show: what is wrong, how it is set if it is, and its button."""

    problems: abc.Sequence[Problem] = ()
    line: str = ""
    button: drawing.Button | None = None
    is_set: bool = False


class CommentEntry(msgspec.Struct, frozen=True):
    """What a feature adds to a comment's card: a button, and a line below the buttons."""

    button: drawing.Button
    line: str = ""


class ShownScreen(msgspec.Struct, frozen=True):
    """A screen of a thread, with these comments.

    `key` names the thread and its order. A visit `begins` there, or goes on by turning pages.
    """

    key: PageKey
    ids: abc.Set[int] = frozenset()
    begins: bool = False


class NewComments(msgspec.Struct, frozen=True):
    """What is new in a thread: how much, in words, which comments, and the way to the first."""

    words: str
    ids: abc.Set[int]
    first: drawing.Button | None = None


class Hooks:
    def __init__(self) -> None:
        # On /setup show, by the channels that Discord has shown.
        self.setup_sections = Hook[[Here, Channels], Section]()
        # The settings of a server that features store themselves.
        self.settings = StrictHook[[int], FeatureSetting]()
        # The language of a server has changed, or what it announces.
        self.server_changed = Hook[[int], None]()
        # The roles that members of a server are given: no moderators' role may be one of them.
        self.given_roles = StrictHook[[int], abc.Set[int]]()
        # What /account show says below the link, if there is one, is added to its card.
        self.account_shown = Hook[[Here, drawing.Card, Link | None], None]()
        # A screen of a thread is about to be shown: what on it is new to the member?
        self.screen_shown = Hook[[Here, ShownScreen], NewComments | None]()
        # Of the threads that have names: what is new there, and which one was read last.
        self.thread_news = Hook[[Here, abc.Sequence[Named]], ThreadNews]()
        # On the card of a screen of a thread, between what writes and what sorts.
        self.thread_buttons = Hook[[Position[PageKey]], abc.Sequence[drawing.Button]]()
        # On the card of a comment that is the member's own.
        self.comment_entries = Hook[[Here, Found], CommentEntry]()
        # A member has linked an account, or unlinked it.
        self.linked = Hook[[Here], None]()
        # A purchase is done: just now, or one that was in doubt.
        self.bought = Hook[[Order], None]()
        # A comment is in the game that was sent with this link: just now, or one that was found.
        self.written = Hook[[Text, Comment, Link], None]()
        # A removal or a mute begins or is undone, in its transaction.
        self.decided = StrictHook[[Transaction, Removal], None]()
        self.interaction_ended = Hook[[Here], None]()
