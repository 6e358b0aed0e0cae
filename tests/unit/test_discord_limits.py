"""The limits that every conversation is held to refuse what Discord would."""

from typing import Any

import pytest
from simcord import HttpLogEntry

from tests.support.discord_limits import card_faults, faults_in

PICTURE = {"type": 11, "media": {"url": "https://assets.example/a.png"}}


def text(content: str = "Hello") -> dict[str, Any]:
    return {"type": 10, "content": content}


def button(**changes: Any) -> dict[str, Any]:
    return {"type": 2, "style": 2, "label": "Buy", "custom_id": "buy", **changes}


def row(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(parts)}


def section(*parts: dict[str, Any], accessory: dict[str, Any] = PICTURE) -> dict[str, Any]:
    return {"type": 9, "components": list(parts), "accessory": accessory}


def picture(url: str, description: str | None = None) -> dict[str, Any]:
    return {"type": 11, "media": {"url": url}, "description": description}


def select(count: int = 1, **changes: Any) -> dict[str, Any]:
    options = [{"label": f"{index}", "value": f"{index}"} for index in range(count)]
    return {"type": 3, "custom_id": "choose", "options": options, **changes}


def framed(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": 17, "components": list(parts)}


def called_back(kind: int, data: dict[str, Any]) -> list[str]:
    answer = {"type": kind, "data": data}
    return faults_in([HttpLogEntry("POST", "/interactions/1/t/callback", {}, answer, None)])


def given(*commands: dict[str, Any]) -> list[str]:
    return faults_in([HttpLogEntry("PUT", "/applications/1/commands", {}, list(commands), None)])


def command(**changes: Any) -> dict[str, Any]:
    return {"name": "shop", "description": "Shop", "type": 1, **changes}


def form(**changes: Any) -> dict[str, Any]:
    field = {"type": 4, "custom_id": "text", "style": 2}
    label = {"type": 18, "label": "Text", "component": {**field, **changes.pop("field", {})}}
    return {"title": "Write", "custom_id": "write", "components": [label], **changes}


def test_a_card_at_its_limits_passes() -> None:
    card = framed(
        text("a" * 3900),
        section(text(), text(), text()),
        section(text(), accessory=button()),
        row(*(button(custom_id=f"{index}" * 100, label="a" * 80) for index in range(5))),
        row(select(25, placeholder="a" * 150)),
        *(text("a") for _ in range(17)),
    )
    assert card_faults([card]) == []


@pytest.mark.parametrize(
    "part",
    [
        text(""),
        text(" \n "),
        text("a" * 4001),
        row(),
        row(*(button(custom_id=f"{index}") for index in range(6))),
        row(button(), select()),
        row(button(label="")),
        row(button(label="a" * 81)),
        row(button(custom_id="")),
        row(button(custom_id="a" * 101)),
        row(button(), button()),
        row(button(style=5, custom_id=None, url="javascript:alert(1)")),
        row(select(0)),
        row(select(26)),
        row(select(placeholder="a" * 151)),
        row(select(2, max_values=3)),
        row(select(options=[{"label": "", "value": "1"}])),
        row(select(options=[{"label": "a" * 101, "value": "1"}])),
        row(select(options=[{"label": "1", "value": "1", "description": "a" * 101}])),
        row(select(options=[{"label": "1", "value": "1"}, {"label": "2", "value": "1"}])),
        section(),
        section(text(), text(), text(), text()),
        section(text(), accessory=text()),
        section(text(), accessory=picture("ftp://assets.example/a.png")),
        section(text(), accessory=picture("https://[half/a.png")),
        section(text(), accessory=picture("https://my_assets.example/a.png")),
        section(text(), accessory=picture("https://assets..example/a.png")),
        section(text(), accessory=picture("https://assets-.example/a.png")),
        section(text(), accessory=picture("https://assets.example/" + "a" * 2048)),
        section(text(), accessory=picture("https://assets.example/a.png", "a" * 1025)),
        section(text(), accessory=picture("https://assets.example/a.png", "")),
        {"type": 12, "items": []},
        {"type": 14, "spacing": 3},
        framed(framed(text())),
        PICTURE,
        button(),
    ],
)
def test_a_part_beyond_its_limits_is_found(part: dict[str, Any]) -> None:
    assert card_faults([part])


def test_a_card_of_too_many_parts_or_characters_is_found() -> None:
    assert card_faults([framed(*(text("a") for _ in range(40)))])
    assert card_faults([text("a" * 2001), text("a" * 2000)])
    # 12 bytes more are counted for each text.
    assert not card_faults([text("雨" * 2992 + "я" * 6)])
    assert card_faults([text("雨" * 2992 + "я" * 6 + "a")])
    wide = {"label": "雨" * 100, "description": "雨" * 100}
    options = [{**wide, "value": f"{number}"} for number in range(16)]
    assert card_faults([text(), row({"type": 3, "custom_id": "choose", "options": options})])
    assert card_faults([])


@pytest.mark.parametrize(
    "broken",
    [
        form(title=""),
        form(title="a" * 46),
        form(custom_id=""),
        form(components=[]),
        form(components=[text()] * 6),
        form(components=[row(button())]),
        form(field={"max_length": 4001}),
        form(field={"disabled": True}),
        form(field={"placeholder": "a" * 101}),
        form(field={"max_length": 3, "value": "four"}),
    ],
)
def test_a_form_beyond_its_limits_is_found(broken: dict[str, Any]) -> None:
    assert called_back(9, form()) == []
    assert called_back(9, broken)


@pytest.mark.parametrize(
    "choices",
    [
        [{"name": "a", "value": "a"}] * 26,
        [{"name": "", "value": "a"}],
        [{"name": "a" * 101, "value": "a"}],
        [{"name": "a", "value": "a" * 101}],
        [{"name": "a", "value": 2**54}],
    ],
)
def test_suggestions_beyond_their_limits_are_found(choices: list[dict[str, Any]]) -> None:
    assert called_back(8, {"choices": [{"name": "a", "value": "a"}] * 25}) == []
    assert called_back(8, {"choices": choices})


def test_a_message_of_components_with_content_besides_is_found() -> None:
    assert called_back(4, {"flags": 1 << 15, "components": [text()]}) == []
    assert called_back(4, {"flags": 1 << 15, "components": [text()], "content": "Hello"})
    assert called_back(4, {"content": ""})
    assert called_back(4, {"content": "", "embeds": [{"description": "Hello"}]})
    assert called_back(4, {"embeds": [{"description": ""}]})
    assert not called_back(4, {"embeds": [{"description": "Hello"}]})


@pytest.mark.parametrize(
    "broken",
    [
        command(name="Shop"),
        command(name="a" * 33),
        command(name="shop", name_localizations={"de": "Der Laden"}),
        command(description=""),
        command(description_localizations={"de": "a" * 101}),
        command(options=[command(type=3, name=f"o{index}") for index in range(26)]),
        command(options=[command(type=3), command(type=3)]),
        command(options=[command(type=3), command(type=3, name="o", required=True)]),
        command(options=[command(type=3, choices=[{"name": "", "value": "a"}])]),
        command(options=[command(type=3, choices=[{"name": "a", "value": "a"}] * 26)]),
        command(options=[command(type=4, max_value=2**54)]),
        command(options=[command(type=3, max_length=6001)]),
        command(options=[command(type=1), command(type=3, name="o")]),
        command(type=3, description="Menus have none"),
        command(type=3, name="a" * 33, description=""),
    ],
)
def test_a_command_beyond_its_limits_is_found(broken: dict[str, Any]) -> None:
    assert given(command(options=[command(type=1, options=[command(type=3)])])) == []
    assert given(broken)


def test_a_sixth_follow_up_is_found() -> None:
    body = {"flags": 1 << 15, "components": [text()]}
    requests = [HttpLogEntry("POST", "/webhooks/1/token", {}, body, None)] * 6
    assert faults_in(requests[:5]) == []
    assert faults_in(requests)
