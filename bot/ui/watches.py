"""Members' watches on cards: their texts, their places, and how to stop them."""

from collections import abc

from bot.features.directory import Directory
from bot.i18n import listed, nt, t
from bot.ui import drawing, items, markdown, shared_actions
from storage import subscriptions
from storage.member_watches import Watch
from storage.names import PlaceKind

# How many places of one watch to name.
_MAX_NAMED = 3
# The room for a comment or for words.
_SUBJECT_ROOM = 60
# The watches' places as texts, by the ids of the watches' first parts.
Titles = abc.Mapping[int, str]


async def titles_of(directory: Directory, watches: abc.Iterable[Watch]) -> Titles:
    titles: dict[int, str] = {}
    for watch in watches:
        names = sorted({await title_of(directory, part) for part in watch.parts})
        more = len(names) - _MAX_NAMED
        if more > 0:
            others = nt("%(count)s more", "%(count)s more", more)
            names = [*names[:_MAX_NAMED], others]
        titles[watch.first.id] = listed(names)
    return titles


async def title_of(directory: Directory, part: subscriptions.Subscription) -> str:
    # In a direct message, names are those of the servers that the member has used.
    member_id = part.member_id if part.asked_in is None else None
    place = await directory.place(part.asked_in, part.kind, part.place_id, member_id=member_id)
    return place_title(part.kind, part.place_id, place.name)


def place_title(kind: PlaceKind, place_id: int, name: str | None) -> str:
    if kind is PlaceKind.CATALOG:
        return items.catalog_title(place_id, name)
    return t("Thread %(id)s", id=place_id) if name is None else markdown.escape(name)


def watch_words(watch: Watch) -> str:
    first = watch.first
    if first.kind is PlaceKind.CATALOG:
        if first.subject_id is not None:
            return items.name_of(first.subject_name)
        return items.query_words(first.query, as_things=True)
    subject = markdown.one_line(first.subject_name, _SUBJECT_ROOM)
    if first.subject_id is None:
        return t("comments with “%(words)s”", words=subject)
    return t("replies to “%(text)s”", text=subject or f"#{first.subject_id}")


def footer_of(note: str) -> str:
    """Return a note about a watch's messages, and how long the first one can take."""
    return f"{note}\n{first_message_line()}"


def first_message_line() -> str:
    late = t("If many members wait, your first direct message from Kiosk can take hours.")
    return f"-# {late}"


def add_stop_lists(card: drawing.Card, watches: abc.Sequence[Watch], titles: Titles) -> None:
    """Add lists to stop watches, one for each sort, since Discord's lists take 25 entries."""
    for sort in dict.fromkeys(watch.sort for watch in watches):
        entries = [
            drawing.Entry(
                markdown.unescape(watch_words(watch)),
                shared_actions.AskEndWatch(watch.first.id),
                markdown.unescape(titles[watch.first.id]),
                emoji="🔕",
            )
            for watch in watches
            if watch.sort == sort
        ]
        kind, is_of_comment = sort
        placeholder = t("Stop watching…")
        name = "watches"
        if kind is PlaceKind.THREAD:
            placeholder = (
                t("Stop watching replies…") if is_of_comment else t("Stop watching words…")
            )
            name = f"watches.{is_of_comment}"
        card.choose(entries, placeholder, name=name)
