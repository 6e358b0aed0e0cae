"""What is announced of the game: who follows what, how it was seen last, and what is new of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from storage.messages import MessageState
from storage.names import ItemRef

# Of one server; each may be another catalog to look at every few minutes.
MOST_SUBSCRIPTIONS = 200
# Discord's numbers for a forum channel, where a message is a post with a title, and for an
# announcement channel, whose messages can be published.
FORUM_CHANNEL, NEWS_CHANNEL = 15, 5
# The kind of the entries by which members are told.
WATCH_KIND = "watch"


class News(StrEnum):
    """What can be new about an item, in the order in which it is told."""

    NEW = "new"
    BACK = "back"
    CLEARANCE = "clearance"
    CHEAPER = "cheaper"
    MEMBERS = "members"


class Filter(StrEnum):
    """What a subscription lets an event through by."""

    NEWS = "news"
    TYPE = "type"
    COST = "cost"


class SeenItem(Struct, frozen=True):
    """An item of a followed catalog as it was seen last, and what news of it is measured by.

    A lower price is one below `base_cost`; it follows a price that rose at `risen_at` once that
    has stood for a day. `currency_id` is None for an item that was there, but couldn't be read.
    """

    item_id: int
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


class NewEvent(Struct, frozen=True):
    """What is new about an item; `item` is the item itself as JSON (interface 2.3).

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
        """Where the item was."""
        return ItemRef(self.catalog_id, self.page, self.item_id)


class NewSubscription(Struct, frozen=True):
    """What a server wants to hear of a catalog, and where; None where anything goes.

    `channel_kind` is Discord's number for the kind of channel, `tag_id` what posts there are filed
    under.
    """

    guild_id: int
    channel_id: int
    channel_kind: int
    catalog_id: int
    news: frozenset[News]
    locale: str
    created_by: int
    role_id: int | None = None
    type_id: int | None = None
    type_name: str | None = None
    max_cost: int | None = None
    tag_id: int | None = None
    channel_name: str = ""


class Subscription(NewSubscription, frozen=True, kw_only=True):
    """A subscription that is kept.

    While it is paused, `pause_reason` is Discord's code for what was refused, None where a person
    paused it; what happened after `paused_after`, an event's id, was not announced.
    """

    id: int
    created_at: datetime
    paused_at: datetime | None = None
    pause_reason: int | None = None
    paused_after: int | None = None


class FollowedCatalog(Struct, frozen=True):
    """A catalog that is polled.

    `version` counts what was written about its items, 0 before there is anything to compare with.
    `read_at` is its last success, or one within the hour before it; `failure` names the error of
    the last poll where that failed at `failed_at`, as `failures` in a row did.
    """

    catalog_id: int
    followed_at: datetime
    version: int = 0
    read_at: datetime | None = None
    failing_since: datetime | None = None
    failed_at: datetime | None = None
    failures: int = 0
    failure: str | None = None


class Announcement(Struct, frozen=True):
    """That an event was owed to a subscription, and what became of it.

    `waits_for` is what Discord answered last, and `due_at` the next try, where it is still owed.
    """

    subscription_id: int
    event_id: int
    state: MessageState
    settled_at: datetime | None
    waits_for: str | None = None
    due_at: datetime | None = None


Judgement = Mapping[Filter, bool]
Changes = tuple[Sequence[SeenItem], Sequence[NewEvent]]


class NewWatch(Struct, frozen=True):
    """One item, or without an `item_id` whatever fits a search; None where anything goes.

    `name` is the item's, or the part of names that is looked for. `named_in` is the server whose
    name for the catalog the member knows.
    """

    member_id: int
    catalog_id: int
    locale: str
    item_id: int | None = None
    name: str = ""
    type_id: int | None = None
    type_name: str | None = None
    max_cost: int | None = None
    is_clearance: bool = False
    named_in: int | None = None


class Watch(NewWatch, frozen=True, kw_only=True):
    """A watch that is kept."""

    id: int
    created_at: datetime


# An event, and the watch it is told for.
Notice = tuple[Watch, Event]


class NewFollow(Struct, frozen=True):
    """Where a server wants to read a thread's new comments.

    `channel_kind` is Discord's number for the kind of channel, `tag_id` what posts there are filed
    under.
    """

    guild_id: int
    channel_id: int
    channel_kind: int
    thread_id: int
    locale: str
    created_by: int
    tag_id: int | None = None


class Follow(NewFollow, frozen=True, kw_only=True):
    """One that is kept; `pause_reason` is Discord's code for what was refused while paused."""

    id: int
    created_at: datetime
    paused_at: datetime | None = None
    pause_reason: int | None = None


class FollowedThread(Struct, frozen=True):
    """A thread that is polled.

    Comments are new that were written after `since`, by the game's clock. `version` counts what
    was written about them, 0 before there was anything to compare with.
    """

    thread_id: int
    version: int
    since: datetime
    failures: int = 0


class SeenComment(Struct, frozen=True):
    """A comment as it was seen last; `digest` tells texts apart, `revision` counts changes.

    `root_id` is the comment at the top of those that it answers: itself, where it answers none.
    """

    comment_id: int
    root_id: int
    page: int
    digest: str
    written_at: datetime
    revision: int = 0
    is_gone: bool = False


class FollowPost(Struct, frozen=True):
    """What has become of a comment in a channel; `is_alone` where no other shares its message."""

    comment_id: int
    delivery: str
    is_alone: bool
    state: MessageState
    channel_id: int | None
    message_id: int | None

    @property
    def is_changeable(self) -> bool:
        """Whether a message shows the comment alone, or is about to and may be drawn already."""
        is_there = self.message_id is not None or self.state is MessageState.OWED
        return self.is_alone and is_there
