"""What holds requests to Discord's specification finds what is wrong, and says where."""

from typing import Any

import pytest

from tests.support.discord_limits.specification import Specification


def kind(number: int, **properties: Any) -> dict[str, Any]:
    """Describe a component of a type, all of whose properties are needed."""
    described = {"type": {"type": "integer", "enum": [number]}, **properties}
    return {"type": "object", "properties": described, "required": list(described)}


def one_of(*names: str) -> dict[str, Any]:
    return {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in names]}


def asks(schema: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


LABEL = {"type": "string", "maxLength": 80}
# Like Discord's own, but small.
SCHEMAS: dict[str, Any] = {
    "Text": kind(10, content={"type": "string"}),
    "Button": kind(2, style={"oneOf": [{"const": 1}, {"const": 2}]}, label=LABEL),
    "Row": kind(1, components={"type": "array", "items": one_of("Button")}),
    "SnowflakeType": {"type": "string"},
    "Message": {
        "type": "object",
        "properties": {
            "components": {"type": ["array", "null"], "items": one_of("Text", "Row")},
            "reference": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Thread"}]},
            "flags": {"type": "integer"},
        },
    },
    "Post": {
        "type": "object",
        "properties": {"name": LABEL, "message": {"$ref": "#/components/schemas/Message"}},
        "required": ["name", "message"],
    },
    "Thread": {
        "type": "object",
        "properties": {"name": LABEL, "id": {"$ref": "#/components/schemas/SnowflakeType"}},
    },
}
DOCUMENT: dict[str, Any] = {
    "components": {"schemas": SCHEMAS},
    "paths": {
        "/channels/{channel_id}/messages": {"get": {}, "post": asks(one_of("Message"))},
        "/channels/{channel_id}/threads": {"post": asks(one_of("Thread", "Post"))},
        "/messages/{message_id}": {"patch": asks(one_of("Thread"))},
        "/messages/@original": {"patch": asks(one_of("Message"))},
    },
}


def button(**changes: Any) -> dict[str, Any]:
    return {"type": 1, "components": [{"type": 2, "style": 1, "label": "Buy", **changes}]}


def message(*components: object, **changes: Any) -> dict[str, Any]:
    return {"components": list(components), **changes}


TEXT = {"type": 10, "content": "Hello"}


@pytest.mark.parametrize(
    ("asked", "body"),
    [
        ("GET /channels/1/messages", None),
        ("POST /channels/1/messages", message(TEXT, button())),
        ("POST /channels/1/messages", {"components": None, "reference": None}),
        # discord.py sends ids as numbers, and Discord reads digits as numbers.
        ("POST /channels/1/messages", message(reference={"id": 1}, flags="64")),
        ("POST /channels/1/threads", {"name": "Park life", "message": message(TEXT)}),
        ("PATCH /messages/@original", message(TEXT)),
    ],
)
def test_a_good_request_passes(asked: str, body: object) -> None:
    method, path = asked.split()
    assert Specification(DOCUMENT).faults(method, path, body) == []


@pytest.mark.parametrize(
    ("asked", "body", "fault"),
    [
        ("POST /channels/1/messages", None, "has no body"),
        ("DELETE /channels/1/messages", None, "Discord's specification has no such request"),
        ("GET /channels/1/pins", None, "Discord's specification has no such request"),
        ("POST /channels/1/messages", [], "$: [] is not of type 'object'"),
        (
            "POST /channels/1/messages",
            message(TEXT, button(label=None)),
            "$.components[1].components[0].label: None is not of type 'string'",
        ),
        (
            "POST /channels/1/messages",
            message(button(style=7)),
            "$.components[0].components[0].style: 7 is none of [1, 2]",
        ),
        (
            "POST /channels/1/messages",
            message({"type": 10}),
            "$.components[0]: 'content' is a required property",
        ),
        (
            "POST /channels/1/messages",
            message({"type": 2, "style": 1, "label": "Buy"}),
            "$.components[0]: nothing of type 2 may stand here",
        ),
        ("POST /channels/1/messages", message("Hello"), "$.components[0]: 'Hello' is not of type"),
        (
            "POST /channels/1/messages",
            message(reference={"name": 1}),
            "$.reference.name: 1 is not of type 'string'",
        ),
        ("POST /channels/1/messages", message(flags="many"), "$.flags: 'many' is not of type"),
        (
            "POST /channels/1/threads",
            {"name": "Park life", "message": message({"type": 9})},
            "$.message.components[0]: nothing of type 9 may stand here",
        ),
        (
            "PATCH /messages/@original",
            message({"type": 10}),
            "$.components[0]: 'content' is a required property",
        ),
    ],
)
def test_a_bad_request_is_refused_with_its_place(asked: str, body: object, fault: str) -> None:
    method, path = asked.split()
    (said,) = Specification(DOCUMENT).faults(method, path, body)
    assert said.startswith(f"{asked}: {fault}")


def test_of_a_long_text_the_reason_is_told() -> None:
    asked = message(button(label="a" * 1000))
    (said,) = Specification(DOCUMENT).faults("POST", "/channels/1/messages", asked)
    assert "label: 'aaa" in said
    assert said.endswith("is too long")
    assert len(said) < 400


def test_requests_are_counted() -> None:
    specification = Specification(DOCUMENT)
    specification.faults("GET", "/channels/1/messages", None)
    specification.faults("POST", "/channels/1/messages", message(TEXT))
    assert specification.checked == 2
