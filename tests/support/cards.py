"""Read what a card shows, as a person would."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import simcord
from simcord.components import walk_components

TEXT_DISPLAY, ROW, BUTTON, STRING_SELECT = 10, 1, 2, 3
_BLUE = 1

Shown = simcord.InteractionResult | simcord.ResponseMessage | Any


def components(shown: Shown) -> list[dict[str, Any]]:
    """Give every component of a message or of an interaction's answer, nested ones too."""
    message = answer_of(shown)
    raw: Iterable[Any] = message.components
    return list(walk_components([_as_dict(component) for component in raw]))


def text_of(shown: Shown) -> str:
    """Give all the text a card shows, a line for each paragraph."""
    return "\n".join(_texts(components(shown)))


def buttons_of(shown: Shown) -> dict[str, dict[str, Any]]:
    return {
        str(component.get("label")): component
        for component in components(shown)
        if component["type"] == BUTTON
    }


def blue_of(shown: Shown) -> list[str]:
    """Give the labels of a card's blue buttons."""
    return [label for label, button in buttons_of(shown).items() if button.get("style") == _BLUE]


def rows_of(shown: Shown) -> list[list[str]]:
    """Give the labels of a card's buttons, a list for each row."""
    rows = [component["components"] for component in components(shown) if component["type"] == ROW]
    labels = [[str(part["label"]) for part in row if part["type"] == BUTTON] for row in rows]
    return [label for label in labels if label]


def selects_of(shown: Shown) -> list[dict[str, Any]]:
    return [component for component in components(shown) if component["type"] == STRING_SELECT]


def answer_of(shown: Shown) -> Any:
    """Give the message that answers an interaction: the follow-up when there is no other."""
    if not isinstance(shown, simcord.InteractionResult):
        return shown
    if shown.followups:
        return shown.followups[-1]
    assert shown.response is not None, "the interaction was not answered"
    return shown.response


def _texts(found: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for component in found:
        if component["type"] == TEXT_DISPLAY:
            yield str(component["content"])


def _as_dict(component: Any) -> dict[str, Any]:
    if isinstance(component, dict):
        return cast("dict[str, Any]", component)
    return component.to_dict()


def opens(shown: Any, comment_id: int | str = r"(\d+)") -> list[str]:
    """Return the entries of a card's lists that open a comment, or any."""
    return _entries(shown, rf"kiosk\.forum\.comment:\d+:\w+:\d+:{comment_id}:")


def replies_to(shown: Any, comment_id: int) -> list[str]:
    return _entries(shown, rf"kiosk\.forum\.write_form:\d+:{comment_id}:")


def _entries(shown: Any, pattern: str) -> list[str]:
    values = (entry["value"] for listed in selects_of(shown) for entry in listed["options"])
    return [value for value in values if re.match(pattern, value)]
