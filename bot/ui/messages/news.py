"""Notify members of the results of their writes, and of news about what they watch."""

import typing
from abc import abstractmethod
from collections import abc
from datetime import timedelta
from itertools import chain

import discord

from bot.errors import AccountError
from bot.features.directory import Directory
from bot.features.following.watching import Watching
from bot.game.game_errors import GameError
from bot.i18n import nt, speak, t
from bot.ui import drawing, markdown, shared_actions, theme, watches
from bot.ui.messages import kinds, verdicts
from bot.ui.messages.requests import Requests
from storage import messages
from storage.member_watches import WATCH_KIND, Notice, Watch
from storage.names import PlaceKind
from storage.writes import W, Writes

_UNTIL_LINKED = timedelta(days=1)
# A watch, and its news.
Told = tuple[Watch, typing.Any]


class WriteNews(kinds.Kind, typing.Generic[W]):
    priority = messages.Priority.DIRECT_MESSAGE

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    @abstractmethod
    async def redraw_open(self, write: W) -> bool:
        """Redraw the open cards of a write. Return whether its member has seen the result."""

    @abstractmethod
    async def card(self, write: W) -> drawing.Card:
        """Return the card of a write that no one waits for."""

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return the card, None if the write's state has changed or the member knows it."""
        write = await self._told_of(message)
        if write is None or write.is_old_news:
            return None
        speak(write.locale)
        return kinds.Drawn(await self.card(write))

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        write = await self._told_of(message)
        if write is not None and verdict.state is messages.MessageState.SENT:
            await self._writes.note_told(write, transaction)

    async def _told_of(self, message: messages.Message) -> W | None:
        write = await self._writes.find_write(int(message.payload["write"]))
        is_so = write is not None and write.state_and_reason == message.payload["state"]
        return typing.cast("W | None", write) if is_so else None


class NewsSection(typing.Protocol):
    """News from one kind of places.

    `ways` says how to start watching there, for items only if Kiosk has an account of its own.
    `prepare` returns the news from these notices that can be shown now. `say` adds them to a card.
    A single piece of news has its buttons and the button that `ends` the watch. Several have a
    list, with few lines if it `is_short`.
    """

    colour: discord.Colour

    def ways(self, *, has_account: bool) -> abc.Sequence[str]: ...

    async def prepare(
        self, message: messages.Message, notices: abc.Sequence[Notice]
    ) -> abc.Sequence[Told]: ...

    def say(
        self,
        card: drawing.Card,
        told: abc.Sequence[Told],
        *,
        ends: drawing.Button | None,
        is_short: bool,
    ) -> None: ...


class MemberNews(kinds.Kind):
    name = WATCH_KIND
    priority = messages.Priority.WATCH
    # It waits for the game and for a link for any length of time.
    gives_up = False

    def __init__(self, watching: Watching, directory: Directory) -> None:
        self._watching = watching
        self._directory = directory
        self.sections: dict[PlaceKind, NewsSection] = {}

    def ways(self, *, has_account: bool) -> abc.Sequence[str]:
        """Return how to start watching, items first."""
        sections = [self.sections[kind] for kind in reversed(PlaceKind) if kind in self.sections]
        return [way for section in sections for way in section.ways(has_account=has_account)]

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        try:
            return await super().carry_out(message, requests)
        except AccountError as error:
            # When the member links an account, it is sent at once.
            raise verdicts.NotYet("its member has no valid link", _UNTIL_LINKED) from error
        except GameError as error:
            raise verdicts.NotYet(f"the game can't be asked: {error.code}") from error

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return a member's waiting news, None if there is nothing left to say."""
        notices, older, pause = await self._watching.to_tell(message)
        if pause is not None:
            raise verdicts.TryAgain("one went within the hour", pause)
        if not notices and not older:
            return None
        speak([*older, *notices][-1][0].first.locale)
        parts: list[tuple[NewsSection, abc.Sequence[Told]]] = []
        for kind in PlaceKind:
            section = self.sections.get(kind)
            of_kind = [notice for notice in notices if notice[1].kind is kind]
            told = await section.prepare(message, of_kind) if section and of_kind else ()
            if section and told:
                parts.append((section, told))
        everything = list(chain.from_iterable(told for _, told in parts))
        if not everything and (notices or not older):
            return None
        named = [watch for watch, _ in [*everything, *older]]
        card = news_card(parts, older, await watches.titles_of(self._directory, named))
        if message.state is not messages.MessageState.OWED:
            when = markdown.relative_time(message.wanted_at)
            told_late = t(
                "This is from %(when)s. Kiosk doesn't know if it reached you then.", when=when
            )
            card.say(f"-# {told_late}")
        return kinds.Drawn(card)


def news_card(
    parts: abc.Sequence[tuple[NewsSection, abc.Sequence[Told]]],
    older: abc.Sequence[Notice],
    titles: watches.Titles,
) -> drawing.Card:
    """Return the card of all news at once. `older` news are only counted."""
    everything = list(chain.from_iterable(told for _, told in parts))
    card = drawing.Card(parts[0][0].colour if parts else theme.CALM)
    named = [watch for watch, _ in [*everything, *older]]
    meant = list({watch.first.id: watch for watch in named}.values())
    end = shared_actions.AskEndWatch(meant[0].first.id)
    ends = drawing.button(end, t("Stop watching…"), emoji="🔕")
    is_alone = len(everything) == 1 and len(meant) == 1
    if len(everything) != 1 or older:
        card.say("## " + t("Updates on what you watch"))
    for section, told in parts:
        section.say(card, told, ends=ends if is_alone else None, is_short=len(parts) > 1)
    if older and everything:
        card.say("-# " + nt("and %(count)s older", "and %(count)s older", len(older)))
    elif older:
        card.say(
            nt(
                "%(count)s older update isn't shown.",
                "%(count)s older updates aren't shown.",
                len(older),
            )
        )
    if len(meant) > 1:
        watches.add_stop_lists(card, meant, titles)
    elif not is_alone:
        card.buttons(ends)
    return card
