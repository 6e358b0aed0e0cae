"""Build cards as Discord takes them: components as plain data, in one typed builder."""

import functools
import ipaddress
import logging
import re
import typing
from collections import abc
from contextlib import suppress
from itertools import islice

import discord
from discord import ui
from yarl import URL

from bot.features.matching import LABEL_SEPARATOR
from bot.i18n import catalogs, command_text, pt, t
from bot.ui import custom_ids, markdown, old_kinds, theme

log = logging.getLogger(__name__)

BLUE = discord.ButtonStyle.primary
GREY = discord.ButtonStyle.secondary
GREEN = discord.ButtonStyle.success
RED = discord.ButtonStyle.danger
# Discord's limits for one message of components.
MAX_COMPONENTS = 40
MAX_CHARACTERS = 4000
MAX_IN_ROW = 5
MAX_CHOICES = 25
MAX_CHOICE_LENGTH = 100
# Labels are shorter in a list with more entries, so that Discord takes them all.
_SHORT_LIST = 10
_MAX_IN_LONG_LIST = 50
# Discord takes 10,170 bytes of readable text as UTF-8, and counts some more for each text.
MAX_BYTES = 9000
_BYTES_FOR_ONE_TEXT = 12
# How many of these bytes texts leave for lists, whose entries share the rest.
_BYTES_FOR_LISTS = 2000
_READ = ("content", "label", "description", "placeholder")
_UNREAD = ("custom_id", "value", "url")

# The parts of a list's entries that are shortened, and the room to try, step by step.
_OF_ENTRIES = ("label", "description")
_SHORTER = range(90, 0, -10)

# For a picture's description: a card has room for ten of them.
_MAX_DESCRIPTION_LENGTH = 60
# The host names that Discord takes. A name that ends in a number isn't one.
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_HOST = re.compile(rf"(?=.{{1,253}}$)(?:{_LABEL}\.)+(?!\d){_LABEL}", re.IGNORECASE)
# In a network that translates, these addresses lead to the IPv4 addresses inside them.
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")

# Discord's type numbers of components.
ROW = 1
BUTTON = 2
SELECT = 3
SECTION = 9
TEXT = 10
THUMBNAIL = 11
GALLERY = 12
_FILE = 13
_SEPARATOR = 14
CONTAINER = 17

# A component as Discord sends and receives it.
Component = abc.Mapping[str, typing.Any]

# A command that a sentence names. Members' texts have a backslash before each of these marks.
_NAMED = re.compile(r"(?<!\\)`/([^`\n]+)`")
# By each command's name in every language. Filled once Discord was asked for the ids.
_mentions: dict[str, str] = {}

# A component that a card takes in a row.
Button = typing.NewType("Button", Component)
A = typing.TypeVar("A", bound=custom_ids.Action)


class Entry(typing.NamedTuple):
    """An entry of a list. Its texts are shown as one plain line."""

    label: str
    action: custom_ids.Action
    description: str = ""
    emoji: str | None = None
    is_chosen: bool = False


def button(
    action: custom_ids.Action | str,
    label: str | None,
    *,
    style: discord.ButtonStyle = GREY,
    emoji: str | None = None,
    disabled: bool = False,
) -> Button:
    """Return a button for an action or a custom id. `emoji` is a single character."""
    made: dict[str, typing.Any] = {
        "type": BUTTON,
        "style": style.value,
        "disabled": disabled,
        "custom_id": action if isinstance(action, str) else action.custom_id(),
    }
    if label is not None:
        made["label"] = label
    if emoji is not None:
        made["emoji"] = {"name": emoji}
    return Button(made)


def page_button(url: str, label: str) -> Button:
    return Button(
        {"type": BUTTON, "style": discord.ButtonStyle.link.value, "url": url, "label": label}
    )


def learn_commands(names: abc.Iterable[str], ids: abc.Mapping[str, int]) -> None:
    """Store the mention of each command. Subcommands use the id of their first word."""
    _mentions.clear()
    for name in names:
        words = name.split()
        if words[0] not in ids:
            continue
        # Discord shows a mention in the reader's language.
        mention = f"</{name}:{ids[words[0]]}>"
        for language in catalogs:
            said = (command_text(word, language) for word in words)
            _mentions[" ".join(said)] = mention


def paragraph(text: str) -> Component:
    """Return markdown as a text component. Commands in it become tappable mentions."""
    content = _NAMED.sub(lambda named: _mentions.get(named[1], named[0]), text)
    return {"type": TEXT, "content": content}


def section(text: str, beside: Component) -> Component:
    """Return markdown as a text component, with another component beside it."""
    return {"type": SECTION, "components": [paragraph(text)], "accessory": beside}


def thumbnail(url: str | None, description: str) -> Component | None:
    """Return a picture to show beside a text, or None if Discord can't load it."""
    if not url or not _is_public("/".join(url.split("/", 3)[:3])):
        return None
    words = markdown.one_line(description, _MAX_DESCRIPTION_LENGTH, plain=True)
    return {"type": THUMBNAIL, "media": {"url": url}, "description": words}


@functools.lru_cache(maxsize=256)
def _is_public(site: str) -> bool:
    """Return whether Discord accepts and reaches a site, such as `https://pictures.example`."""
    try:
        host = URL(site).raw_host
    except ValueError:
        # For example, `xn--`, which is no name in any script.
        return False
    if not host or host.endswith((".localhost", ".local", ".internal")):
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return _HOST.fullmatch(host) is not None
    if address in _TRANSLATED:
        address = ipaddress.IPv4Address(int(address) % 2**32)
    return address.is_global


def attached_file(name: str) -> Component:
    return {"type": _FILE, "file": {"url": f"attachment://{name}"}}


def parts_of(components: abc.Iterable[Component]) -> abc.Iterator[Component]:
    """Yield components of a card or a form and all their parts, as Discord counts them."""
    waiting = [*components][::-1]
    while waiting:
        component = waiting.pop()
        yield component
        inside = [*(component.get("components") or ())]
        inside += [component[name] for name in ("accessory", "component") if component.get(name)]
        waiting += reversed(inside)


class Card(ui.LayoutView):
    def __init__(self, colour: discord.Colour) -> None:
        super().__init__(timeout=None)
        # Finished from the start: the router handles presses, so discord.py need not keep the view.
        self.stop()
        self._framed: list[Component] = []
        self.components: list[Component] = [
            {"type": CONTAINER, "accent_color": colour.value, "components": self._framed}
        ]

    def add(self, component: Component) -> None:
        self._framed.append(component)

    def say(
        self, text: str, beside: Component | None = None, *, below: abc.Iterable[Component] = ()
    ) -> None:
        """Add markdown, something `beside` it, and up to two paragraphs `below`."""
        texts = [paragraph(text), *below]
        if beside is not None:
            texts = [{"type": SECTION, "components": texts, "accessory": beside}]
        self._framed += texts

    def divide(self) -> None:
        self._framed.append({"type": _SEPARATOR, "divider": True, "spacing": 1})

    def gap(self) -> None:
        """Separate two entries of a list, without a line."""
        self._framed.append({"type": _SEPARATOR, "divider": False, "spacing": 1})

    def buttons(self, *buttons: Button) -> None:
        """Add a row of up to five buttons, if there are any. Raises ValueError for a sixth."""
        if len(buttons) > MAX_IN_ROW:
            raise ValueError("Discord takes no more buttons in a row")
        if buttons:
            self._framed.append({"type": ROW, "components": [*buttons]})

    def choose(self, entries: abc.Iterable[Entry], placeholder: str, *, name: str = "") -> None:
        """Add a list of actions, with as many entries as Discord takes, if there are any.

        A `name` distinguishes the list from another one on the card.
        """
        by_value = {entry.action.custom_id(): entry for entry in entries}
        options = [
            _option(value, entry, is_short=len(by_value) > _SHORT_LIST)
            for value, entry in islice(by_value.items(), MAX_CHOICES)
        ]
        custom_id = custom_ids.ChooseAction(name).custom_id()
        select = {"custom_id": custom_id, "options": options, "placeholder": placeholder}
        if options:
            self._framed.append({"type": ROW, "components": [{"type": SELECT, **select}]})

    def leave_out_pictures(self) -> None:
        """Drop pictures beside texts, last first, until the card with its addresses fits."""
        for position in range(len(self._framed) - 1, -1, -1):
            part = self._framed[position]
            size = _size_of(self.components)
            if size.sent <= MAX_BYTES and size.parts <= MAX_COMPONENTS:
                return
            if part["type"] == SECTION and part["accessory"]["type"] == THUMBNAIL:
                self._framed[position : position + 1] = part["components"]

    @property
    def room(self) -> int:
        """The room left for another text, see `room_for`."""
        size = _size_of(self.components)
        bytes_left = MAX_BYTES - _BYTES_FOR_LISTS - size.bytes
        return min(MAX_CHARACTERS - size.characters, bytes_left // 2)

    def has_components_v2(self) -> bool:
        return True

    @property
    def fits(self) -> bool:
        """Whether Discord takes the card."""
        try:
            self.to_components()
        except ValueError:
            return False
        return True

    def to_components(self) -> list[typing.Any]:
        """Return the components, with lists shortened to fit. Raises ValueError if they don't fit.

        Discord refuses a message with two components of one custom id: the later one is left out.
        """
        distinct = taken = [*_distinct(self.components, set())]
        size = _size_of(taken)
        for longest in _SHORTER:
            if size.bytes <= MAX_BYTES:
                break
            taken = _with_short_lists(distinct, longest)
            size = _size_of(taken)
        is_too_long = size.characters > MAX_CHARACTERS or size.bytes > MAX_BYTES
        if size.parts > MAX_COMPONENTS or is_too_long:
            raise ValueError("a card is larger than Discord takes")
        return taken


def _option(value: str, entry: Entry, *, is_short: bool) -> Component:
    label = markdown.one_line(entry.label, MAX_CHOICE_LENGTH, plain=True) or markdown.ELLIPSIS
    made: dict[str, typing.Any] = {
        "label": _shortened(label) if is_short else label,
        "value": value,
        "default": entry.is_chosen,
    }
    if description := markdown.one_line(entry.description, MAX_CHOICE_LENGTH, plain=True):
        made["description"] = description
    if entry.emoji is not None:
        made["emoji"] = {"name": entry.emoji}
    return made


def _shortened(label: str) -> str:
    """Return a shorter label, with the part after the name, which distinguishes equal names."""
    name, separator, behind = label.rpartition(LABEL_SEPARATOR)
    if not separator:
        return markdown.cut(label, _MAX_IN_LONG_LIST)
    behind = markdown.cut(separator + behind, _MAX_IN_LONG_LIST // 2)
    return markdown.cut(name, _MAX_IN_LONG_LIST - markdown.room_for(behind)) + behind


def _distinct(components: abc.Iterable[Component], known: set[str]) -> abc.Iterator[Component]:
    """Yield components without those whose custom id is `known` from an earlier one."""
    for component in components:
        custom_id = component.get("custom_id")
        if custom_id in known:
            log.error("Two components of a card have the same custom id: %s", custom_id)
            continue
        if custom_id is not None:
            known.add(custom_id)
        if "components" not in component:
            yield component
            continue
        inside = [*_distinct(component["components"], known)]
        if component["type"] == SECTION and not [*_distinct([component["accessory"]], known)]:
            yield from inside
        elif inside or component["type"] != ROW:
            yield {**component, "components": inside}


class _Size(typing.NamedTuple):
    parts: int
    # Characters of texts only.
    characters: int
    # Bytes of UTF-8 of everything readable.
    bytes: int
    # The same, with addresses of pictures and ids of presses: Discord may count these, too.
    sent: int


def _size_of(components: abc.Iterable[Component]) -> _Size:
    """Measure components as Discord does."""
    parts = characters = texts = 0
    read: list[str] = []
    unread: list[str] = []
    for part in parts_of(components):
        parts += 1
        if part["type"] == TEXT:
            texts += 1
            characters += len(part["content"])
        for record in (part, *part.get("options", ()), *part.get("items", ())):
            read += [record[name] for name in _READ if record.get(name)]
            unread += [record[name] for name in _UNREAD if record.get(name)]
            unread += [record["media"]["url"]] if "media" in record else []
    count = len("".join(read).encode()) + texts * _BYTES_FOR_ONE_TEXT
    return _Size(parts, characters, count, count + len("".join(unread).encode()))


def _with_short_lists(components: abc.Iterable[Component], longest: int) -> list[Component]:
    shortened: list[Component] = []
    for component in components:
        made = dict(component)
        if "components" in component:
            made["components"] = _with_short_lists(component["components"], longest)
        if component["type"] == SELECT:
            made["options"] = [
                {
                    **entry,
                    **{
                        key: markdown.cut(entry[key], longest)
                        for key in _OF_ENTRIES
                        if key in entry
                    },
                }
                for entry in component["options"]
            ]
        shortened.append(made)
    return shortened


def notice(
    title: str,
    body: str = "",
    *,
    colour: discord.Colour = theme.CALM,
    footer: str = "",
    buttons: tuple[Button, ...] = (),
) -> Card:
    card = Card(colour)
    card.say("\n".join(filter(None, [f"### {title}", body])))
    if footer:
        card.say(f"-# {footer}")
    card.buttons(*buttons)
    return card


def question(
    title: str, body: str, action: custom_ids.Action, label: str, back: custom_ids.Action
) -> Card:
    """Ask before an action that no press can undo."""
    buttons = answers(action, label, back)
    return notice(title, body, colour=theme.PROBLEM, buttons=buttons)


def answers(
    action: custom_ids.Action, label: str, back: custom_ids.Action
) -> tuple[Button, Button]:
    """Return the buttons below a question."""
    return button(action, label, style=RED), button(back, t("Cancel"))


def switch_words(name: str, *, is_on: bool) -> str:
    return f"**{name}** · {pt('a switch', 'on') if is_on else pt('a switch', 'off')}"


def say_switch(card: Card, name: str, hint: str, switch: custom_ids.Action, *, is_on: bool) -> None:
    """Add a setting's name, hint, state and toggle button, with the action `switch`."""
    label = t("Turn off") if is_on else t("Turn on")
    card.say(f"{switch_words(name, is_on=is_on)}\n-# {hint}", button(switch, label))


def step_buttons(
    before: custom_ids.Action | None, after: custom_ids.Action | None, *, in_text: bool = False
) -> tuple[Button, Button]:
    """Return Previous and Next, or those of a long text, disabled if they lead nowhere."""
    labels = (t("Previous part"), t("Next part")) if in_text else (t("Previous"), t("Next"))
    of = "text" if in_text else ""
    return (
        button(before or f"before.{of}", labels[0], disabled=before is None),
        button(after or f"after.{of}", labels[1], disabled=after is None),
    )


def actions_in(message: discord.Message, wanted: type[A]) -> list[A]:
    """Return the actions of one class in a message's buttons and list entries, in order."""
    found = dict[A, None]()
    for part in parts_of(component.to_dict() for component in message.components):
        custom_id = part.get("custom_id", "")
        meant = [old_kinds.renewed(custom_id, entry["value"]) for entry in part.get("options", ())]
        if custom_ids.kind_of(custom_id) == custom_ids.ChooseAction.kind:
            meant = [entry["value"] for entry in part["options"]]
        for action_id in meant or [custom_id]:
            with suppress(ValueError):
                found[wanted.read(action_id)] = None
    return list(found)
