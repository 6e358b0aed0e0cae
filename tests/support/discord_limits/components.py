"""Discord's published limits for the parts of messages and forms.

Source: Discord's developer documentation, "Component Reference".
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

Payload = Mapping[str, Any]
Faults = Iterator[str]

MAX_TEXT, MAX_URL_LENGTH = 4000, 2048
ROW, BUTTON, SELECT, FIELD, SECTION, TEXT, THUMBNAIL = 1, 2, 3, 4, 9, 10, 11
GALLERY, FILE, SEPARATOR, CONTAINER, LABEL, CHECKBOX = 12, 13, 14, 17, 18, 23
UPLOAD, RADIO_GROUP, CHECKBOX_GROUP = 19, 21, 22
OTHER_SELECTS = (5, 6, 7, 8)
_LINK, _PREMIUM = 5, 6

# An underscore, an empty label or a hyphen at an edge is refused, and with it the message.
_HOST = re.compile(
    r"https?://(?:\[[\da-f:.]+\]|(?!-)[^\s_/.:]+(?<!-)(?:\.(?!-)[^\s_/.:]+(?<!-))*)(?:[:/]|$)"
)

IN_CONTAINER = {ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR}
IN_MESSAGE = IN_CONTAINER | {CONTAINER}
IN_FORM = {TEXT, LABEL}
IN_LABEL = {FIELD, SELECT, *OTHER_SELECTS, CHECKBOX, UPLOAD, RADIO_GROUP, CHECKBOX_GROUP}


def walk(part: Payload) -> Iterator[Payload]:
    yield part
    below = [*(part.get("components") or ()), part.get("accessory"), part.get("component")]
    for child in filter(None, below):
        yield from walk(child)


def parts_faults(parts: list[Payload]) -> Faults:
    """Give what is wrong with components, those below others among them."""
    custom_ids = [part["custom_id"] for part in parts if part.get("custom_id") is not None]
    if len(set(custom_ids)) < len(custom_ids):
        yield f"custom ids are not unique: {custom_ids}"
    for part in parts:
        check = _CHECKS.get(part["type"])
        if check is None:
            yield f"a component of type {part['type']}, which Kiosk has no use for"
        else:
            yield from check(part)


def _row_faults(row: Payload) -> Faults:
    kinds = [child["type"] for child in row["components"]]
    is_buttons = 1 <= len(kinds) <= 5 and set(kinds) == {BUTTON}
    if not is_buttons and not (len(kinds) == 1 and kinds[0] in {SELECT, *OTHER_SELECTS}):
        yield f"an action row of {kinds}, which is neither one to five buttons nor one select"


def _button_faults(button: Payload) -> Faults:
    yield from text(button, "label", 0, 80)
    if not button.get("label") and not button.get("emoji"):
        yield "a button has neither label nor emoji"
    if button["style"] == _LINK:
        yield from _url(button.get("url"), 512)
    elif button["style"] != _PREMIUM:
        yield from text(button, "custom_id", 1, 100)


def _select_faults(select: Payload) -> Faults:
    yield from text(select, "custom_id", 1, 100)
    yield from text(select, "placeholder", 0, 150)
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    if not 0 <= least <= 25 or not max(least, 1) <= most <= 25:
        yield f"a select of {least} to {most} values"
    if select["type"] == SELECT:
        yield from _options_faults(select["options"], most)


def _options_faults(options: list[Payload], most: int) -> Faults:
    if not 1 <= len(options) <= 25 or most > len(options):
        yield (
            f"{len(options)} entries of a list, of which {most} may be chosen: Discord takes "
            "1 to 25, so show them by pages, or let people type the name"
        )
    values = {option["value"] for option in options}
    if len(values) < len(options):
        yield "options of one value"
    if sum(bool(option.get("default")) for option in options) > most:
        yield "more options are chosen from the start than may be"
    for option in options:
        yield from text(option, "label", 1, 100)
        yield from text(option, "value", 1, 100)
        yield from text(option, "description", 0, 100)


def _field_faults(field: Payload) -> Faults:
    yield from text(field, "custom_id", 1, 100)
    yield from text(field, "placeholder", 0, 100)
    least = field.get("min_length") or 0
    most = field.get("max_length") or MAX_TEXT
    if not 0 <= least <= most <= MAX_TEXT:
        yield f"a field of {least} to {most} characters"
    value = field.get("value")
    if value and not least <= len(value) <= most:
        yield f"a field of {least} to {most} characters is filled with {len(value)}"


def _label_faults(label: Payload) -> Faults:
    yield from text(label, "label", 1, 45)
    yield from text(label, "description", 0, 100)
    yield from allowed([label["component"]], IN_LABEL, "a label")


def _group_faults(group: Payload) -> Faults:
    yield from text(group, "custom_id", 1, 100)
    least = 2 if group["type"] == RADIO_GROUP else 1
    if not least <= len(group["options"]) <= 10:
        yield f"a group of {len(group['options'])}"
    for option in group["options"]:
        yield from text(option, "label", 1, 100)
        yield from text(option, "value", 1, 100)


def _checkbox_faults(checkbox: Payload) -> Faults:
    yield from text(checkbox, "custom_id", 1, 100)


def _section_faults(section: Payload) -> Faults:
    if not 1 <= len(section["components"]) <= 3:
        yield f"a section of {len(section['components'])} texts"
    yield from allowed(section["components"], {TEXT}, "a section")
    yield from allowed([section["accessory"]], {BUTTON, THUMBNAIL}, "a section's side")


def _text_faults(display: Payload) -> Faults:
    yield from text(display, "content", 1, MAX_TEXT)
    if not str(display.get("content")).strip():
        yield "a text display shows nothing"


def _picture_faults(picture: Payload) -> Faults:
    url = picture["media"]["url"]
    yield from _url(url, MAX_URL_LENGTH)
    if _HOST.match(str(url)) is None:
        yield f"a picture's host is not well formed: {url!r:.120}"
    # Optional, but not empty if it is given.
    if picture.get("description") is not None:
        yield from text(picture, "description", 1, 1024)


def _gallery_faults(gallery: Payload) -> Faults:
    if not 1 <= len(gallery["items"]) <= 10:
        yield f"a gallery of {len(gallery['items'])} pictures"
    for picture in gallery["items"]:
        yield from _picture_faults(picture)


def _file_faults(file: Payload) -> Faults:
    # Only what is attached to the same message can be shown.
    if not str(file["file"]["url"]).startswith("attachment://"):
        yield f"a file at {file['file']['url']}, which is not attached"


def _separator_faults(separator: Payload) -> Faults:
    if separator.get("spacing", 1) not in {1, 2}:
        yield f"a spacing of {separator['spacing']}"


def _container_faults(container: Payload) -> Faults:
    if not 0 <= (container.get("accent_color") or 0) <= 0xFFFFFF:
        yield f"the colour {container['accent_color']}"
    yield from allowed(container["components"], IN_CONTAINER, "a container")


_CHECKS: dict[int, Callable[[Payload], Faults]] = {
    ROW: _row_faults,
    BUTTON: _button_faults,
    FIELD: _field_faults,
    SECTION: _section_faults,
    TEXT: _text_faults,
    THUMBNAIL: _picture_faults,
    GALLERY: _gallery_faults,
    FILE: _file_faults,
    SEPARATOR: _separator_faults,
    CONTAINER: _container_faults,
    LABEL: _label_faults,
    CHECKBOX: _checkbox_faults,
    UPLOAD: _checkbox_faults,
    **dict.fromkeys((RADIO_GROUP, CHECKBOX_GROUP), _group_faults),
    **dict.fromkeys((SELECT, *OTHER_SELECTS), _select_faults),
}


def allowed(parts: Iterable[Payload], kinds: set[int], place: str) -> Faults:
    """Give the components that are not of these types."""
    for part in parts:
        if part["type"] not in kinds:
            yield f"a component of type {part['type']} in {place}"


def text(part: Payload, key: str, least: int, most: int) -> Faults:
    """Hold a text to its length; one that may be empty may be absent too."""
    value = part.get(key)
    if value is None and least == 0:
        return
    if not isinstance(value, str) or not least <= len(value) <= most:
        yield f"{key} must have {least} to {most} characters: {value!r:.120}"


def _url(url: Any, most: int) -> Faults:
    if not isinstance(url, str) or len(url) > most or any(c.isspace() for c in url):
        yield f"not an address: {url!r:.120}"
        return
    try:
        address = urlsplit(url)
        has_host = bool(address.hostname)
    except ValueError:
        has_host = False
        address = urlsplit("")
    if address.scheme not in {"http", "https"} or not has_host:
        yield f"not an address of the web: {url!r:.120}"
