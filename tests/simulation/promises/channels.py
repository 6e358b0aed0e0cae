"""Followed threads: each comment since then comes once, changes, and goes when it is gone."""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.simulation.faults import Fault
from tests.simulation.promises.looks import Looks
from tests.simulation.promises.subscriptions import THREAD, Subscription, Subscriptions
from tests.simulation.promises.told import Told
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

# Whether a server hides a comment, None if the model can't say.
Hides = Callable[[int | None, Any], bool | None]
_MARK = re.compile(r"q[a-z]\d+z")
_FORUM = 15
# Comments at the top on a page of the game, and further pages that one look reads in turn.
_PAGE, _FURTHER = 15, 4
# More at once are told by their number alone.
_MAX_AT_ONCE = 5


@dataclass
class _Known:
    """A comment; it was first there after so many sure looks, and is found by `found`."""

    comment: Any
    first: int
    found: int
    # When its text changed last, and when it was deleted.
    edited: int = -1
    gone: int | None = None

    @property
    def mark(self) -> str | None:
        found = _MARK.match(self.comment.text)
        return found[0] if found else None


class Channels:
    """What stands of the followed threads in the servers' channels."""

    def __init__(
        self,
        town: Town,
        looks: Looks,
        subscriptions: Subscriptions,
        told: Told,
        hides: Hides,
        may_take_away: Callable[[int, Any], bool],
        may_have_hidden: Callable[[int, Any], bool],
    ) -> None:
        self._town = town
        self._looks = looks
        self._subscriptions = subscriptions
        self._told = told
        self._hides = hides
        self._may_take_away = may_take_away
        self._may_have_hidden = may_have_hidden
        # By thread and comment, of the threads that anyone has followed or wanted news about.
        self._known: dict[int, dict[int, _Known]] = {}
        # In which channel a comment was ever seen, and in which server it was hidden or may have.
        self._came: set[tuple[int, int]] = set()
        self._hidden: set[tuple[int, int]] = set()
        # The last message that showed a comment in a channel when someone deleted it there.
        self._deleted: dict[tuple[int, tuple[int, int]], int] = {}
        # Of what a removal took from a channel, the last message that showed it there; and what is
        # posted there again since, with how many looks had happened.
        self._taken: dict[tuple[int, tuple[int, int]], int] = {}
        self._again: dict[tuple[int, tuple[int, int]], tuple[Subscription, int]] = {}
        # By message, what stood at the last rest: the card, and its thread and comment.
        self._stood: dict[int, tuple[Card, tuple[int, int]]] = {}

    async def faults(self) -> AsyncIterator[Fault]:
        for thread_id in self._known.keys() | self._heard_since().keys():
            self._learn(thread_id, self._looks.before)
        for fault in self._subscriptions.faults():
            yield fault
        for guild in self._town.guilds:
            for fault in self._faults_of(guild.id):
                yield fault
        for fault in self._taken_away():
            yield fault
        for fault in self._posted_again():
            yield fault

    def begin(self) -> None:
        """Note what was written in threads before they are followed."""
        for follow in self._subscriptions.of(THREAD):
            if follow.place_id not in self._known:
                self._learn(follow.place_id, self._looks.count)

    def post_again(self, deed: Deed, comment_id: int) -> None:
        """Allow a comment again in a channel that its removal, or someone before, took it from."""
        follow = self._subscriptions.by_number.get(int(deed.fields[1]))
        if follow is None:
            return
        subject = follow.place_id, comment_id
        for channel_id in follow.channels:
            self._deleted.pop((channel_id, subject), None)
        if not (deed.answers and deed.is_refused):
            self._taken.pop((follow.channel_id, subject), None)
        if not deed.is_refused:
            self._again[follow.channel_id, subject] = follow, self._looks.count

    def hide(self, deed: Deed) -> None:
        """What was to be posted again may have been taken once more."""
        self._again = {
            key: each for key, each in self._again.items() if each[0].guild_id != deed.guild_id
        }

    def keep_hidden(self, deed: Deed) -> None:
        """Note what a server hides before it watches for other words: its cards stay."""
        for thread_id in self._known:
            for comment in self._town.game.comments(thread_id):
                self._is_hidden(deed.guild_id or 0, comment)

    def _heard_since(self) -> dict[int, int]:
        """Return, by thread, the newest comment when a member first wanted news about it."""
        since: dict[int, int] = {}
        for wish in self._told.wishes:
            # The comment whose replies are wanted was seen by no one, if it is far back.
            after = wish.after if wish.subject_id is None else wish.subject_id - 1
            for thread_id in wish.thread_ids:
                since[thread_id] = min(since.get(thread_id, after), after)
        return since

    # What there is in the game.

    def _learn(self, thread_id: int, looks: int) -> None:
        """Note what was written, edited and deleted in a thread since so many looks."""
        there = {comment.id: comment for comment in self._town.game.comments(thread_id)}
        # The first look, for any member, reports nothing of what is there already.
        newest = max(there, default=0)
        old = 0 if thread_id in self._known else self._heard_since().get(thread_id, newest)
        known = self._known.setdefault(thread_id, {})
        patience = self._patience(thread_id)
        for number, comment in there.items():
            before = known.get(number)
            if before is None:
                # What answers an older comment stands further back.
                within = 1 if comment.parent_id is None else patience
                first = looks if number > old else -1
                # Since it was written, it may have been posted and then edited.
                known[number] = _Known(comment, first, first + within, edited=looks)
            elif before.comment.text != comment.text:
                before.comment, before.edited = comment, looks
        for number in known.keys() - there.keys():
            if known[number].gone is None:
                known[number].gone = looks

    def _patience(self, thread_id: int) -> int:
        """Return by how many looks all pages of a thread are read, of most threads by one."""
        tops = sum(each.parent_id is None for each in self._town.game.comments(thread_id))
        further = tops // _PAGE
        return 1 if further <= _FURTHER else 2 + -(-further // _FURTHER)

    def _root(self, thread_id: int, comment_id: int) -> int:
        known = self._known[thread_id]
        while (parent := known[comment_id].comment.parent_id) is not None:
            comment_id = parent
        return comment_id

    # What stands in the channels.

    def _faults_of(self, guild_id: int) -> Iterator[Fault]:
        follows = [each for each in self._subscriptions.of(THREAD) if each.guild_id == guild_id]
        if not follows:
            return
        posted = self._town.sight.posted(guild_id)
        for channel_id, cards in posted.items():
            shown: dict[tuple[int, int], list[Card]] = {}
            for card in cards:
                if subject := subject_of(card):
                    shown.setdefault(subject, []).append(card)
            here = [each for each in follows if channel_id in each.channels]
            for (thread_id, comment_id), those in shown.items():
                of = [each for each in here if each.place_id == thread_id]
                yield from self._wrong_with(thread_id, comment_id, those, of)
            if self._is_forum(channel_id):
                yield from self._misplaced(channel_id, cards)
        for follow in follows:
            yield from self._lacking(follow)

    def _taken_away(self) -> Iterator[Fault]:
        """Yield what was there and isn't any more, though no one has had it deleted."""
        standing = {
            card.message_id: (card, subject)
            for guild in self._town.guilds
            for cards in self._town.sight.posted(guild.id).values()
            for card in cards
            if (subject := subject_of(card))
        }
        for message_id, (card, subject) in self._stood.items():
            if message_id in self._town.deleted:
                key = card.home_id, subject
                here = [
                    other.message_id
                    for other, of in self._stood.values()
                    if (other.home_id, of) == key
                ]
                self._deleted[key] = max(*here, self._deleted.get(key, 0))
            elif message_id not in standing:
                yield from self._gone_from(card, subject)
        for message_id, (card, subject) in standing.items():
            deleted = self._deleted.get((card.home_id, subject), message_id)
            # A post of a forum is posted again for the answers to it.
            if message_id > deleted and not self._is_forum(card.home_id):
                about = f"comment {subject[1]} in {self._name(card.home_id)}"
                yield Fault("what somebody deletes is not posted again", about)
            if message_id > self._taken.get((card.home_id, subject), message_id):
                yield from self._came_back(card, subject)
        self._stood = standing

    def _gone_from(self, card: Card, subject: tuple[int, int]) -> Iterator[Fault]:
        """Note that a removal has taken a message away; yield what nothing can have taken."""
        known = self._known.get(subject[0], {}).get(subject[1])
        is_in_channel = card.channel_id in self._town.env.backend.channels
        if known is None or known.gone is not None or not is_in_channel:
            return
        key = card.home_id, subject
        if not self._may_take_away(card.guild_id or 0, known.comment):
            about = f"comment {subject[1]} in {self._name(card.home_id)}"
            yield Fault("what stands in a channel stays", about)
        elif key not in self._again:
            self._taken[key] = max(card.message_id, self._taken.get(key, 0))

    def _came_back(self, card: Card, subject: tuple[int, int]) -> Iterator[Fault]:
        """Yield what a removal took, and is there again without a moderator's wish."""
        follows = [
            each
            for each in self._subscriptions.of(THREAD)
            if each.place_id == subject[0] and card.home_id in each.channels
        ]
        # A post of a forum is posted again for the answers to it.
        if len(follows) == 1 and not self._is_forum(card.home_id):
            about = f"comment {subject[1]} in {self._name(card.home_id)}"
            yield Fault("what a removal took comes back only if it is posted again", about)

    def _posted_again(self) -> Iterator[Fault]:
        """Yield what was posted again, and isn't there."""
        there = {(card.home_id, subject) for card, subject in self._stood.values()}
        for key, (follow, looks) in list(self._again.items()):
            channel_id, (thread_id, comment_id) = key
            known = self._known.get(thread_id, {}).get(comment_id)
            is_over = (
                key in self._deleted
                or known is None
                or known.gone is not None
                or not follow.is_active
                or follow.channel_id != channel_id
                or self._hides(follow.guild_id, known.comment) is not False
            )
            is_due = self._looks.is_sure(channel_id) and self._looks.count > looks
            if key not in there and is_due and not is_over:
                about = f"comment {comment_id} in {self._name(channel_id)}"
                yield Fault("what is posted again comes", about)
            if is_over or is_due:
                del self._again[key]

    def _wrong_with(
        self, thread_id: int, comment_id: int, cards: list[Card], follows: list[Subscription]
    ) -> Iterator[Fault]:
        """Yield what is wrong with the cards of a comment in one channel."""
        channel_id = cards[0].home_id
        self._came.add((channel_id, comment_id))
        seen = self._known.get(thread_id, {}).get(comment_id)
        # A card stays as it was drawn when other words are watched for.
        is_hidden = seen is not None and self._is_hidden(cards[0].guild_id or 0, seen.comment)
        # No one knows what came and went between two rests.
        is_unknown = seen is None and comment_id in self._town.game.deleted
        if is_unknown or not self._looks.is_sure(channel_id):
            return
        about = f"comment {comment_id} of thread {thread_id} in {self._name(channel_id)}"
        if len(cards) > max(len(follows), 1):
            yield Fault("each comment comes once", about, f"{len(cards)} times")
        showing = [each for each in follows if self._may_show(each, thread_id, comment_id)]
        if not showing:
            yield Fault("a channel has what was written since it follows a thread", about)
            return
        # What stood there when it was moved or removed stays as it was.
        current = [each for each in showing if each.is_active and each.channel_id == channel_id]
        follow = next(iter(current), None)
        known = self._known[thread_id][comment_id]
        if follow is None or is_hidden:
            return
        passed = self._looks.count - max(follow.changed, self._looks.restarted)
        patience = self._patience(thread_id)
        if known.gone is not None and min(passed, self._looks.count - known.gone) > 2 * patience:
            yield Fault("a comment that is gone goes from the channels", about)
        is_due = known.gone is None and min(passed, self._looks.count - known.edited) > patience
        if is_due and known.mark and not any(known.mark in card.marks for card in cards):
            yield Fault("a comment's card says what the comment says", about)

    def _may_show(self, follow: Subscription, thread_id: int, comment_id: int) -> bool:
        """Tell whether a channel may have a comment: it is new, or one of a forum's posts."""
        known = self._known.get(thread_id, {})
        if comment_id not in known:
            return False

        def may(each: _Known) -> bool:
            was_missed = each.comment.id in follow.left
            is_missed = follow.paused is not None and each.first > follow.paused
            return each.first >= 0 and each.found > follow.begun and not (was_missed or is_missed)

        if may(known[comment_id]):
            return True
        if not any(map(self._is_forum, follow.channels)):
            return False
        game = self._town.game
        # No one knows what came and went between two rests.
        if any(comment_id in self._above(each) for each in game.deleted.keys() - known.keys()):
            return True
        return any(
            may(each)
            for each in known.values()
            if self._root(thread_id, each.comment.id) == comment_id
        )

    def _above(self, comment_id: int) -> Iterator[int]:
        """Yield what a comment answers, up to the top."""
        parent_id = self._town.game.comment(comment_id).parent_id
        while parent_id is not None:
            yield parent_id
            parent_id = self._town.game.comment(parent_id).parent_id

    def _misplaced(self, channel_id: int, cards: list[Card]) -> Iterator[Fault]:
        """Yield the replies of a forum that stand in another comment's post."""
        first = {card.channel_id: subject_of(card) for card in reversed(cards)}
        for card in cards:
            subject, top = subject_of(card), first[card.channel_id]
            if subject is None or top is None or subject[1] not in self._known.get(subject[0], {}):
                continue
            if self._root(*subject) not in (top[1], self._root(*top)):
                about = f"comment {subject[1]} in {self._name(channel_id)}"
                yield Fault("a reply stands in its comment's post", about, f"in that of {top[1]}")

    def _lacking(self, follow: Subscription) -> Iterator[Fault]:
        """Yield the comments that a channel ought to have by now."""
        channel_id = follow.channel_id
        known = self._known[follow.place_id]
        if not self._looks.is_sure(channel_id) or follow.is_removed:
            return
        if follow.paused is not None:
            follow.missed = {
                number
                for number, each in known.items()
                if each.first > follow.paused
                and each.found <= self._looks.count
                and each.gone is None
            }
            return
        for number in self._due(follow, known):
            each = known[number]
            is_there = (channel_id, number) in self._came or each.gone is not None
            # A subscription that was moved may have its posts in the old channel.
            if is_there or len(follow.channels) > 1 or self._is_one_of_many(known, each):
                continue
            if not self._is_hidden(follow.guild_id, each.comment):
                about = f"comment {number} of thread {follow.place_id} in {self._name(channel_id)}"
                yield Fault("each new comment comes", about)

    def _due(self, follow: Subscription, known: Mapping[int, _Known]) -> set[int]:
        """Return the comments that surely were found since, or while it was paused."""
        due = {
            number
            for number, each in known.items()
            if each.first > follow.changed
            and each.found <= self._looks.count
            # After a restart, Kiosk begins with the first pages.
            and (each.found == each.first + 1 or each.first > self._looks.restarted)
        }
        missed = [each for each in known.values() if follow.begun < each.found <= follow.changed]
        return due | follow.owed if len(missed) <= _MAX_AT_ONCE else due

    def _is_one_of_many(self, known: Mapping[int, _Known], this: _Known) -> bool:
        """Tell whether a look may have found so many that they are told by their number."""
        beside = [
            each for each in known.values() if each.first < this.found and each.found > this.first
        ]
        return len(beside) > _MAX_AT_ONCE

    def _is_hidden(self, guild_id: int, comment: Any) -> bool:
        """Tell whether a server hides a comment, has hidden it before, or may have."""
        is_hidden = self._hides(guild_id, comment) is not False
        if is_hidden or self._may_have_hidden(guild_id, comment):
            self._hidden.add((guild_id, comment.id))
        return (guild_id, comment.id) in self._hidden

    def _is_forum(self, channel_id: int) -> bool:
        return channel_id in self._town.env.backend.channels and (
            self._town.channel_type(channel_id) == _FORUM
        )

    def _name(self, channel_id: int) -> str:
        channel = self._town.env.backend.channels.get(channel_id)
        return str(channel.name if channel else channel_id)


def subject_of(card: Card) -> tuple[int, int] | None:
    """Return the thread and the comment of a followed comment's card, None for other cards."""
    reply = card.control("forum.write_form")
    if reply is None or card.control("take_back"):
        return None
    return int(reply.fields[0]), int(reply.fields[1])
