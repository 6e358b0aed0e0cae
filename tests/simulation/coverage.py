"""What there is to reach in Kiosk, and what the fixed walks do reach."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from bot.ui.custom_ids import Action
from bot.ui.messages.kinds import Kind
from cogs import COGS
from storage.messages import MessageState
from storage.roles import RuleKind
from storage.subscriptions import PERSON
from storage.writes import WriteKind, WriteState
from tests.support.databases import run_beside

REACHED = Path(__file__).with_name("reached.toml")

# States, told by Kiosk's tables: no promise is held against them.
_STATES = {
    "messages": "SELECT DISTINCT kind FROM messages WHERE state = 'sent'",
    "message states": "SELECT DISTINCT state FROM messages",
    "write states": "SELECT DISTINCT kind || ' ' || state FROM writes",
    "case states": (
        "SELECT DISTINCT CASE WHEN released_text_key IS NOT NULL THEN 'released'"
        " WHEN dismissed_at IS NOT NULL THEN 'dismissed'"
        " WHEN hit_word IS NOT NULL THEN 'held back' ELSE 'open' END"
        " || CASE WHEN substr(subject, 1, 6) = 'player' THEN ' player' ELSE ' comment' END"
        " FROM cases"
    ),
    "removal states": (
        "SELECT DISTINCT CASE WHEN until IS NULL THEN 'for good' ELSE 'until' END"
        " || CASE WHEN ended_at IS NULL THEN '' ELSE ', ended' END"
        " || CASE WHEN is_by_rule THEN ', by a rule' ELSE '' END FROM removals"
    ),
    "subscription states": (
        "SELECT DISTINCT kind || CASE WHEN member_id IS NULL THEN ' of a channel'"
        " ELSE ' of a member' END || CASE WHEN stopped_at IS NULL THEN ''"
        f" WHEN stopped_for = '{PERSON}' THEN ', paused' ELSE ', refused' END FROM subscriptions"
    ),
    "role rule states": (
        "SELECT DISTINCT kind || CASE WHEN takes_away THEN ', takes away' ELSE ', leaves' END"
        " || CASE WHEN refused_at IS NULL THEN '' ELSE ', refused' END FROM role_rules"
    ),
}

_QUERY = " UNION ALL ".join(
    f"SELECT '{group}', found.* FROM ({query}) AS found" for group, query in _STATES.items()
)


def _below(of: type) -> Iterator[Any]:
    for each in of.__subclasses__():
        yield each
        yield from _below(each)


@cache
def action_kinds() -> frozenset[str]:
    """Return the kinds of all actions that a button or an entry of a list can be."""
    for name in COGS:
        import_module(name)
    ours = (action for action in _below(Action) if _is_ours(action))
    return frozenset(action.kind for action in ours if "kind" in vars(action))


def _is_ours(of: type) -> bool:
    """Tell Kiosk's own from those that tests make."""
    return of.__module__.startswith(("bot.", "cogs."))


def everything(commands: list[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return all that there is to reach, by its group; `commands` are what Discord was given."""
    return {
        "actions": set(action_kinds()),
        "commands": set(_names(commands)),
        "messages": {each.name for each in _below(Kind) if "name" in vars(each) and _is_ours(each)},
        "message states": set(MessageState),
        "write states": {f"{kind} {state}" for kind in WriteKind for state in WriteState},
        "case states": {
            f"{state} {subject}"
            for state in ("open", "dismissed", "released", "held back")
            for subject in ("comment", "player")
        },
        "removal states": {
            f"{lasts}{ended}{rule}"
            for lasts in ("for good", "until")
            for ended in ("", ", ended")
            for rule in ("", ", by a rule")
        },
        "subscription states": {
            f"{kind} of a {whom}{state}"
            for kind in ("thread", "catalog")
            for whom, states in {"channel": ("", ", paused", ", refused"), "member": ("",)}.items()
            for state in states
        },
        "role rule states": {
            f"{kind}, {then}{refused}"
            for kind in RuleKind
            for then in ("takes away", "leaves")
            for refused in ("", ", refused")
        },
    }


def _names(commands: list[Mapping[str, Any]], before: str = "/") -> Iterator[str]:
    for command in commands:
        below = [one for one in command.get("options") or () if one["type"] in (1, 2)]
        if below:
            yield from _names(below, f"{before}{command['name']} ")
        elif before == "/" and command.get("type", 1) != 1:
            yield f"menu {command['name']}"
        else:
            yield f"{before}{command['name']}"


def states(database_url: str) -> Iterator[tuple[str, str]]:
    """Yield the states that stand in a bot's database, each with its group."""
    for group, state in run_beside(database_url, _QUERY):
        yield str(group), str(state)


def group_of(kind: str) -> str:
    return "commands" if kind.startswith(("/", "menu ")) else "actions"


def read_reached() -> dict[str, dict[str, int | str]]:
    """Return by group what the fixed walks reach: with a seed, or with why they don't."""
    return tomllib.loads(REACHED.read_text(encoding="utf-8"))


def write_reached(seeds: Mapping[tuple[str, str], int]) -> None:
    """Write down which seed reached what; the reasons that stand there for others stay."""
    groups: dict[str, dict[str, int | str]] = {}
    known = read_reached() if REACHED.exists() else {}
    for group, entries in known.items():
        for name, seed in entries.items():
            if isinstance(seed, str):
                groups.setdefault(group, {})[name] = seed
    for (group, name), seed in seeds.items():
        groups.setdefault(group, {})[name] = seed
    lines = ["# Made by `python -m tests.simulation --write-reached`; the reasons by hand."]
    for group in sorted(groups):
        lines += ["", f'["{group}"]']
        for name in sorted(groups[group]):
            value = groups[group][name]
            shown = f'"{value}"' if isinstance(value, str) else value
            lines.append(f'"{name}" = {shown}')
    REACHED.write_text("\n".join(lines) + "\n", encoding="utf-8")
