"""What servers and members subscribe to, what was seen there, and the news that they hear of."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from storage.messages import MessageState
from storage.names import ItemRef, PlaceKind

# Discord's numbers for a forum channel, where a message is a post with a title, and for an
# announcement channel, whose messages can be published.
FORUM_CHANNEL, NEWS_CHANNEL = 15, 5
# The kind of the entries by which members are told.
WATCH_KIND = "watch"
# Why a subscription is stopped, unless Discord refused something: a person has paused it, or no
# linked account reads its catalog any more.
PERSON = "person"
UNREAD = "unread"


class News(StrEnum):
    """Kinds of news about an item, in the order in which cards list them."""

    NEW = "new"
    BACK = "back"
    CLEARANCE = "clearance"
    CHEAPER = "cheaper"
    MEMBERS = "members"


class NewEvent(Struct, frozen=True):
    """News about an item; `item` is the item itself as JSON (interface 2.3).

    `page` is the catalog's page it was on, `old_cost` what it has become cheaper than.
    """

    item_id: int
    news: frozenset[News]
    item: str
    page: int = 1
    old_cost: int | None = None


class Event(NewEvent, frozen=True, kw_only=True):
    """An event that is on record; `is_late` when nobody had looked for more than a day before."""

    id: int
    catalog_id: int
    happened_at: datetime
    is_late: bool = False

    @property
    def ref(self) -> ItemRef:
        return ItemRef(self.catalog_id, self.page, self.item_id)


class NewSubscription(Struct, frozen=True, kw_only=True):
    """A channel's or a member's subscription to a catalog or a thread; None where anything goes.

    Of a thread, all that is written is news. `channel_kind` is Discord's number for the kind of
    channel, `tag_id` what posts there are filed under. Types are names: one may be wished for that
    no item has yet. `max_cost` is of a `currency`, "" for any. A member watches one item, or
    whatever fits a search; `name` is the item's, or the part of names that is looked for, and
    `named_in` the server whose name for the catalog the member knows.
    """

    kind: PlaceKind = PlaceKind.CATALOG
    game_id: int
    news: frozenset[News]
    locale: str
    created_by: int
    guild_id: int | None = None
    channel_id: int | None = None
    channel_kind: int | None = None
    channel_name: str = ""
    role_id: int | None = None
    tag_id: int | None = None
    member_id: int | None = None
    named_in: int | None = None
    item_id: int | None = None
    name: str = ""
    types: frozenset[str] = frozenset()
    max_cost: int | None = None
    currency: str = ""
    is_clearance: bool = False


class Subscription(NewSubscription, frozen=True, kw_only=True):
    """A subscription that is kept: active, or stopped for one reason.

    `stopped_for` is PERSON or UNREAD, or Discord's code for what it refused. What came after
    `missed_after`, the id of an event or of a comment, was not told.
    """

    id: int
    created_at: datetime
    stopped_at: datetime | None = None
    stopped_for: str | None = None
    missed_after: int | None = None

    @property
    def is_unread(self) -> bool:
        return self.stopped_for == UNREAD

    @property
    def refusal(self) -> int | None:
        """Discord's code, where it has refused what was posted."""
        why = self.stopped_for
        return int(why) if why is not None and why.isdecimal() else None


# An event, and the member's subscription that it is told for.
Notice = tuple[Subscription, Event]


class Followed(Struct, frozen=True):
    """A catalog or a thread that is looked at again and again.

    `version` counts what was written about it, 0 before there is anything to compare with. Comments
    are new that were written after `since`, by the game's clock. `reader_id` is whose token it was
    read with last. `read_at` is its last success; `failure` is the error's code of the last look
    where that failed at `failed_at`, as `failures` in a row did.
    """

    kind: PlaceKind
    game_id: int
    followed_at: datetime
    version: int = 0
    since: datetime | None = None
    reader_id: int | None = None
    read_at: datetime | None = None
    failing_since: datetime | None = None
    failed_at: datetime | None = None
    failures: int = 0
    failure: str | None = None


class SeenItem(Struct, frozen=True):
    """An item of a followed catalog as it was seen last, and what news of it is measured by.

    A lower price is one below `base_cost`; it follows a price that rose at `risen_at` once that
    has stood for a day. `currency_id` is None for an item that was there, but couldn't be read.
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


class SeenComment(Struct, frozen=True):
    """A comment as it was seen last; `digest` tells texts apart.

    `root_id` is the comment at the top of those that it answers: itself, where it answers none.
    """

    id: int
    root_id: int
    page: int
    digest: str
    written_at: datetime
    # Whether it has another text than at first, or is gone.
    is_changed: bool = False
    is_gone: bool = False


class Delivery(Struct, frozen=True):
    """The outcome of an event that was owed to a subscription.

    `reason` is what Discord answered last, and `due_at` the next try, where it is still owed.
    """

    subscription_id: int
    state: MessageState
    settled_at: datetime | None
    reason: str | None
    due_at: datetime | None
