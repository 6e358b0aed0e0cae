"""The card of a server's threads and catalogs, with what is new in them."""

from collections import abc
from types import MappingProxyType

from msgspec import Struct

from bot import errors
from bot.features.server_setup import Listed
from bot.i18n import t
from bot.ui import drawing, markdown, shared_actions, theme
from bot.ui.here import Here
from storage.names import Named, PlaceKind

# The most characters for the names of one kind.
_ROOM = 1500
# What is new in a place, by its kind and number.
Lately = abc.Mapping[tuple[PlaceKind, int], str]


class ThreadNews(Struct, frozen=True):
    """What is new to a member in threads, and the thread they read last, even without a name."""

    lately: Lately = MappingProxyType({})
    last_id: int = 0


async def thread_news(here: Here, threads: abc.Sequence[Named]) -> ThreadNews:
    """Return a feature's news about threads, empty if there is no such feature."""
    return next(iter(await here.hooks.thread_news(here, threads)), ThreadNews())


def places_card(
    listed: Listed,
    remark: str = "",
    *,
    may_set_up: bool = False,
    in_server: bool = True,
    lately: Lately = MappingProxyType({}),
) -> drawing.Card:
    card = drawing.Card(theme.FORUM)
    if not any(listed.values()):
        remark = t("Nothing is set up here yet. Server managers can start with `/setup show`.")
        if not in_server:
            words = (
                errors.NoNamesKnown.title,
                errors.NoNamesKnown.body,
                errors.NoNamesKnown.next_step,
            )
            remark = "\n".join(map(t, words))
    title = t("The game's forum and shop")
    card.say("\n".join(filter(None, [f"## {title}", remark])))
    for kind, title, action, placeholder in (
        (PlaceKind.THREAD, t("Threads"), shared_actions.OpenThread, t("Read a thread…")),
        (PlaceKind.CATALOG, t("Catalogs"), shared_actions.OpenCatalog, t("Browse a catalog…")),
    ):
        # Two servers may have names for one place.
        if names := list({named.game_id: named for named in listed.get(kind, ())}.values()):
            card.say("\n".join([f"**{title}**", *_lines(kind, names, lately)]))
            entries = [drawing.Entry(named.name, action(named.game_id)) for named in names]
            card.choose(entries, placeholder, name=kind.value)
    if max(map(len, listed.values())) > drawing.MAX_CHOICES:
        card.say(
            "-# "
            + t("This list shows %(count)s. Find the others by name.", count=drawing.MAX_CHOICES)
        )
    buttons = (
        shared_actions.orders_button(),
        shared_actions.account_button(),
        shared_actions.help_button(),
    )
    style = drawing.GREY if any(listed.values()) else drawing.BLUE
    card.buttons(*buttons, *([shared_actions.setup_button(style=style)] if may_set_up else []))
    return card


def _lines(kind: PlaceKind, names: abc.Sequence[Named], lately: Lately) -> abc.Iterator[str]:
    """Yield a line for each place with news, then the other names."""
    told = markdown.fitting(new_lines(kind, names, lately), _ROOM)
    yield from told
    room = _ROOM - sum(markdown.room_for(line) + 1 for line in told)
    others = [markdown.escape(named.name) for named in names if (kind, named.game_id) not in lately]
    if len(told) < len(names):
        shown = markdown.fitting(others, room, gap=3)
        yield " · ".join(markdown.and_more(shown, len(names) - len(told)))


def new_lines(kind: PlaceKind, names: abc.Iterable[Named], lately: Lately) -> abc.Iterator[str]:
    for named in names:
        if words := lately.get((kind, named.game_id)):
            yield f"{markdown.escape(named.name)} · {words}"
