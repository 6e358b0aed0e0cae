"""Holds requests to Discord's own specification of its API, if the environment names a copy."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError, validators

Schema = Mapping[str, Any]
Errors = Iterator[ValidationError]

# Discord's openapi.json, as github.com/discord/discord-api-spec has it.
VARIABLE = "DISCORD_SPEC"
_FILE = Path(os.environ[VARIABLE]).resolve() if os.environ.get(VARIABLE) else None
_SCHEMAS = "#/components/schemas/"
# What Discord takes although its specification doesn't say so, by the schemas' names.
_TAKEN_TOO: Mapping[str, Schema] = {
    # An id may be a number, as discord.py sends most.
    "SnowflakeType": {"type": ["string", "integer"], "pattern": "^(0|[1-9][0-9]*)$", "minimum": 0}
}
_DIGITS = re.compile(r"-?\d+")
_MAX_REASON_LENGTH = 240


@cache
def specification() -> "Specification | None":
    """Give the one that the environment names."""
    return None if _FILE is None else Specification(json.loads(_FILE.read_bytes()))


def unspecified(method: str, path: str, body: object) -> list[str]:
    """Give what Discord's specification has against a request, if there is one to ask."""
    asked = specification()
    return [] if asked is None else asked.faults(method, path, body)


class Specification:
    """An OpenAPI document; `checked` counts the requests that were held to it."""

    def __init__(self, document: Schema) -> None:
        self.checked = 0
        self._paths: Mapping[str, Schema] = document["paths"]
        self._schemas: Mapping[str, Schema] = {**document["components"]["schemas"], **_TAKEN_TOO}
        # Those with the most fixed words first: `@original` is no message's id.
        by_words = sorted(self._paths, key=lambda path: path.count("{"))
        self._patterns = [
            (re.compile(re.sub(r"\{\w+\}", r"[^/]+", path)), path) for path in by_words
        ]
        self._validators: dict[tuple[str, str], Any] = {}
        lenient = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
        keywords = {"$ref": self._follow, "oneOf": self._choose, "anyOf": self._choose}
        extend: Any = cast("Any", validators).extend
        self._validator: Any = extend(Draft202012Validator, keywords, type_checker=lenient)

    def faults(self, method: str, path: str, body: object) -> list[str]:
        """Give what is wrong with a request, each with its method, its path and its place."""
        self.checked += 1
        template = next((known for pattern, known in self._patterns if pattern.fullmatch(path)), "")
        operation = self._paths.get(template, {}).get(method.lower())
        if operation is None:
            return [f"{method} {path}: Discord's specification has no such request"]
        asked = operation.get("requestBody")
        if asked is None:
            return []
        if body is None:
            return [f"{method} {path}: has no body"] if asked.get("required") else []
        return [
            f"{method} {path}: {error.json_path}: {_reason(error)}"
            for error in self._validator_of(method, template, asked).iter_errors(body)
        ]

    def _validator_of(self, method: str, template: str, asked: Schema) -> Any:
        if (method, template) not in self._validators:
            schema = asked["content"]["application/json"]["schema"]
            self._validators[method, template] = self._validator(schema)
        return self._validators[method, template]

    def _resolve(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].removeprefix(_SCHEMAS)]
        return schema

    def _follow(self, validator: Any, _ref: str, instance: object, schema: Schema) -> Errors:
        yield from validator.descend(instance, self._resolve(schema))

    def _choose(
        self, validator: Any, union: Sequence[Schema], instance: object, _schema: Schema
    ) -> Errors:
        """Hold what is one of several things to the one that it is, so that errors are its own."""
        branches = [self._resolve(branch) for branch in union]
        if all("const" in branch for branch in branches):
            values = [branch["const"] for branch in branches]
            if instance not in values:
                yield ValidationError(f"{instance!r} is none of {values}")
            return
        is_null = instance is None
        branches = [branch for branch in branches if (branch.get("type") == "null") == is_null]
        if isinstance(instance, Mapping):
            branches = _branches_for(cast("Schema", instance), branches)
            if not branches:
                kind = cast("Schema", instance).get("type")
                yield ValidationError(f"nothing of type {kind!r} may stand here")
                return
        errors = [list(validator.descend(instance, branch)) for branch in branches]
        if not errors:
            yield ValidationError(f"{instance!r} is nothing that may stand here")
        elif all(errors):
            yield from min(errors, key=len)


def _branches_for(instance: Schema, branches: list[Schema]) -> list[Schema]:
    """Give those of its `type`, or where they have none those that know the most of its names."""
    kinds = [_kinds(branch) for branch in branches]
    if all(kinds):
        return [
            branch
            for branch, known in zip(branches, kinds, strict=True)
            if instance.get("type") in known
        ]
    known = [len(instance.keys() & branch.get("properties", {}).keys()) for branch in branches]
    return [branch for branch, count in zip(branches, known, strict=True) if count == max(known)]


def _kinds(branch: Schema) -> Iterable[object]:
    return branch.get("properties", {}).get("type", {}).get("enum", ())


def _is_integer(_checker: object, instance: object) -> bool:
    # "Our API accepts strings for int fields if they are parseable as ints."
    if isinstance(instance, str):
        return _DIGITS.fullmatch(instance) is not None
    return isinstance(instance, int) and not isinstance(instance, bool)


def _reason(error: ValidationError) -> str:
    """Give what is wrong; of a long text its ends, for the reason stands last."""
    reason = error.message
    half = _MAX_REASON_LENGTH // 2
    return reason if len(reason) <= _MAX_REASON_LENGTH else f"{reason[:half]} … {reason[-half:]}"
