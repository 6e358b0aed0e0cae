"""The subscriptions of servers and members, what was seen there, and the news they hear of."""

from datetime import datetime
from enum import StrEnum

import msgspec

from storage.messages import MessageState
from storage.names import PlaceKind

# Discord's numbers for a forum channel, where a message is a post with a title, and for an
# announcement channel, whose messages can be published.
FORUM_CHANNEL = 15
NEWS_CHANNEL = 5
# The kind of the entries by which members are told.
WATCH_KIND = "watch"
# Why a subscription is stopped, unless Discord refused something: a person has paused it.
PERSON = "person"
NO_ITEM = msgspec.Raw(b"null")


class News(StrEnum):
    """Kinds of news about an item, in the order in which cards list them."""

    NEW = "new"
    BACK = "back"
    CLEARANCE = "clearance"
    CHEAPER = "cheaper"
    MEMBERS = "members"
    GONE = "gone"


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """News about an item or a comment; `payload` is JSON, of what its kind tells."""

    subject_id: int
    news: frozenset[News]
    payload: str


class Event(NewEvent, frozen=True, kw_only=True):
    """An event that is on record; `is_late` when nobody had looked for more than a day before."""

    id: int
    kind: PlaceKind
    place_id: int
    happened_at: datetime
    is_late: bool = False


class ItemQuery(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which items somebody means: a filter, an announcement or a watch; the defaults let all in.

    `name` is a part of names. `types` are names, or numbers behind a #, and so is `currency`, ""
    for any: no item may be of it yet. With `is_owned`, items are meant that the reader owns or, at
    False, doesn't.
    """

    name: str = ""
    types: frozenset[str] = frozenset()
    max_cost: int | None = None
    currency: str = ""
    is_clearance: bool = False
    is_owned: bool | None = None
    is_for_subscribers: bool = False


class NewSubscription(msgspec.Struct, frozen=True, kw_only=True):
    """An audience, and the subject that it hears of.

    The audience is a channel of a server, or a member, who asked in a server or in none.
    `channel_kind` is Discord's number for the kind of channel, `tag_id` what posts there are filed
    under. The subject is one item of a place, or the replies to one comment, by `subject_id` and as
    that was called; else what fits `query`, and of a thread the comments that hold the words of
    `subject_name`, if it has any. `replies_after` is the id of the newest reply that was there when
    the member asked.
    """

    kind: PlaceKind = PlaceKind.CATALOG
    place_id: int
    subject_id: int | None = None
    subject_name: str = ""
    query: ItemQuery = ItemQuery()
    news: frozenset[News]
    guild_id: int | None = None
    channel_id: int | None = None
    channel_kind: int | None = None
    channel_name: str = ""
    role_ids: frozenset[int] = frozenset()
    tag_id: int | None = None
    member_id: int | None = None
    asked_in: int | None = None
    replies_after: int = 0
    locale: str
    created_by: int


class Subscription(NewSubscription, frozen=True, kw_only=True):
    """A subscription that is kept: active, or stopped for one reason.

    `stopped_for` is PERSON, or Discord's code for what it refused. What came after
    `missed_after`, the id of an event or of a comment, was not told. `own_words` stand above what
    is announced; `drafted_words` were previewed last.
    Members take the role `notify_role_id` themselves. `gone_role_ids` were found deleted.
    """

    id: int
    created_at: datetime
    stopped_at: datetime | None = None
    stopped_for: str | None = None
    missed_after: int | None = None
    own_words: str = ""
    drafted_words: str = ""
    notify_role_id: int | None = None
    gone_role_ids: frozenset[int] = frozenset()

    @property
    def pinged(self) -> frozenset[int]:
        """The roles that an announcement pings, with the one that members take themselves."""
        return self.role_ids | ({self.notify_role_id} if self.notify_role_id else frozenset[int]())

    @property
    def refusal(self) -> int | None:
        """Discord's code, where it has refused what was posted."""
        why = self.stopped_for
        return int(why) if why is not None and why.isdecimal() else None


class Watch(msgspec.Struct, frozen=True):
    """A wish of a member, and a subscription to each place that it is for."""

    parts: tuple[Subscription, ...]

    @property
    def first(self) -> Subscription:
        return self.parts[0]

    def part_of(self, event: Event) -> Subscription:
        """Return the part that an event of one of its places is told for."""
        return next(part for part in self.parts if part.place_id == event.place_id)

    @property
    def sort(self) -> tuple[PlaceKind, bool]:
        """What a member may have so many of: of threads, replies and words each by themselves."""
        is_of_comment = self.first.kind is PlaceKind.THREAD and self.first.subject_id is not None
        return self.first.kind, is_of_comment


# An event, and the watch that it is told for.
Notice = tuple[Watch, Event]


class Followed(msgspec.Struct, frozen=True):
    """A catalog or a thread that is looked at again and again.

    `version` counts what was written about it, 0 before there is anything to compare with. Comments
    are new that were written after `since`, by the game's clock. `read_at` is its last success;
    `failure` is the error's code of the last look where that failed at `failed_at`, as `failures`
    in a row did.
    """

    kind: PlaceKind
    place_id: int
    followed_at: datetime
    version: int = 0
    since: datetime | None = None
    read_at: datetime | None = None
    failing_since: datetime | None = None
    failed_at: datetime | None = None
    failures: int = 0
    failure: str | None = None
    # Since when the game no longer has it: two looks in a row said so.
    gone_at: datetime | None = None


class SeenItem(msgspec.Struct, frozen=True):
    """An item of a followed catalog as it was seen last, and what news of it is measured by.

    `item` is all of it as JSON, but for what is its reader's; null where 1.0.0 saw it, or where it
    was there, but couldn't be read, as `currency_id` is then. A lower price is one below
    `base_cost`; it follows a price that rose at `risen_at` once that has stood for a day. What is
    gone is told once that has lasted a day.
    """

    id: int
    name: str
    cost: int
    currency_id: int | None
    is_clearance: bool
    is_member_item: bool
    base_cost: int
    first_seen_at: datetime
    risen_at: datetime | None = None
    clearance_ended_at: datetime | None = None
    gone_at: datetime | None = None
    item: msgspec.Raw = NO_ITEM
    is_gone_told: bool = False


class SeenComment(msgspec.Struct, frozen=True):
    """A comment as it was seen last; `digest` tells texts apart.

    `root_id` is the comment at the top of those that it answers: itself, where it answers none.
    `parent_id` is the one that it answers, None for none, and where only 1.0.0 saw it; `player_id`
    is its writer, where the game shows that. What `is_only_placed` no look has seen yet: it says
    where a look finds a comment to which a member waits for replies.
    """

    id: int
    root_id: int
    page: int
    digest: str
    written_at: datetime
    # Whether it has another text than at first, or is gone.
    is_changed: bool = False
    is_gone: bool = False
    parent_id: int | None = None
    player_id: int | None = None
    is_only_placed: bool = False


class Delivery(msgspec.Struct, frozen=True):
    """The outcome of an event that was owed to a subscription.

    `reason` is what Discord answered last, and `due_at` the next try, where it is still owed. It is
    the message `key`, there by its `message_id`, unless it is no longer wanted. What
    `is_removed` was taken by a moderator's removal, `removed_by` None once their data was erased.
    """

    subscription_id: int
    state: MessageState
    settled_at: datetime | None
    reason: str | None
    due_at: datetime | None
    key: str = ""
    message_id: int | None = None
    is_wanted: bool = True
    is_removed: bool = False
    removed_by: int | None = None
