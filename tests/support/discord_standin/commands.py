"""The commands that the bot has given Discord, and what using one of them sends."""

from collections.abc import Mapping
from typing import Any

from tests.support.discord_standin.objects import Message, Payload, new_id
from tests.support.discord_standin.refusals import ENTRY_POINT_MISSING, Refusal

_CHAT_INPUT, _MESSAGE_MENU, _ENTRY_POINT = 1, 3, 4
_SUBCOMMAND, _SUBCOMMAND_GROUP = 1, 2
_DEFAULTS: Payload = {
    "type": _CHAT_INPUT,
    "description": "",
    "options": [],
    "nsfw": False,
    "dm_permission": True,
    "default_member_permissions": None,
    "contexts": None,
    "integration_types": [0],
}


class Commands:
    """The application's global commands. Every list is refused if a `refusal` is set."""

    def __init__(self, application_id: int) -> None:
        self.refusal: Refusal | None = None
        self._application_id = application_id
        self._commands: list[Payload] = []

    def replace(self, commands: list[Payload]) -> list[Payload]:
        """Take a whole new list, as the bulk overwrite does; ids of known names are kept.

        Raises Refusal, for a list without the command that opens the application's Activity, too.
        """
        if self.refusal is not None:
            raise self.refusal
        if _entry_points(self._commands) > _entry_points(commands):
            raise ENTRY_POINT_MISSING
        known = {(command["name"], command["type"]): command["id"] for command in self._commands}
        self._commands = [self._complete(command, known) for command in commands]
        return self._commands

    def all(self, *, with_translations: bool) -> list[Payload]:
        if with_translations:
            return self._commands
        return [
            {name: said for name, said in command.items() if not name.endswith("_localizations")}
            for command in self._commands
        ]

    def use_on(self, name: str, message: Message) -> Payload:
        """Give the interaction data of a message's menu."""
        command = self._find(name, _MESSAGE_MENU)
        return {
            "id": command["id"],
            "name": name,
            "type": _MESSAGE_MENU,
            "target_id": str(message.id),
            "resolved": {"messages": {str(message.id): message.as_payload()}},
        }

    def use(self, name: str, options: Mapping[str, object], focused: str | None = None) -> Payload:
        """Give the interaction data of `/name` with options; refuses what Discord's app would.

        Where an option is `focused`, entries for it are asked for.
        """
        root, *path = name.split()
        command = self._find(root)
        data: Payload = {"id": command["id"], "name": root, "type": _CHAT_INPUT, "options": []}
        level, given = command, data
        for step in path:
            level = _named(level, step)
            inner: Payload = {"name": step, "type": level["type"], "options": []}
            given["options"].append(inner)
            given = inner
        given["options"] = [
            {"name": option, "type": _named(level, option)["type"], "value": value}
            for option, value in options.items()
        ]
        if focused is not None:
            # Someone is still typing.
            for option in given["options"]:
                option["focused"] = option["name"] == focused
            return data
        for option in level.get("options") or ():
            is_branch = option["type"] in (_SUBCOMMAND, _SUBCOMMAND_GROUP)
            assert not is_branch, f"/{name} is not a whole command"
            is_missing = option.get("required") and option["name"] not in options
            assert not is_missing, f"/{name} needs {option['name']}"
        return data

    def _find(self, name: str, kind: int = _CHAT_INPUT) -> Payload:
        for command in self._commands:
            if (command["name"], command["type"]) == (name, kind):
                return command
        raise AssertionError(f"the bot has no command {name!r}")

    def _complete(self, command: Payload, known: Mapping[Any, str]) -> Payload:
        complete = {**_DEFAULTS, **command}
        number = known.get((complete["name"], complete["type"])) or str(new_id())
        application = str(self._application_id)
        return {**complete, "id": number, "version": number, "application_id": application}


def _entry_points(commands: list[Payload]) -> set[str]:
    return {command["name"] for command in commands if command.get("type") == _ENTRY_POINT}


def _named(level: Payload, name: str) -> Payload:
    for option in level.get("options") or ():
        if option["name"] == name:
            return option
    raise AssertionError(f"{level['name']!r} has no option or subcommand {name!r}")
