"""What a handler may ask of a store: to read, while a service decides and writes."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.sources import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
WRITING = {"change_one", "execute", "execute_many", "transaction"}


def called(node: ast.AST) -> set[str]:
    """Return the names of the methods that are called in a piece of code."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}


def writes_of(store: ast.ClassDef) -> set[str]:
    """Return the methods of a store that write, alone or by another one of its methods."""
    methods = {
        part.name: called(part)
        for part in store.body
        if isinstance(part, ast.AsyncFunctionDef | ast.FunctionDef)
    }
    writes = {name for name, calls in methods.items() if calls & WRITING}
    while more := {name for name, calls in methods.items() if calls & writes} - writes:
        writes |= more
    return writes


@cache
def stores() -> dict[str, set[str]]:
    """Return the names by which stores are reached, each with the methods there that write."""
    classes = {
        part.name: writes_of(part)
        for path in ROOT.glob("storage/*.py")
        for part in tree_of(path).body
        if isinstance(part, ast.ClassDef)
    }
    found: dict[str, set[str]] = defaultdict(set)
    for path in [*ROOT.glob("bot/**/*.py"), *ROOT.glob("cogs/**/*.py")]:
        for node in nodes_of(path):
            match node:
                case ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
                    kind = node.annotation
                case ast.arg(arg=name, annotation=ast.expr() as kind):
                    pass
                case _:
                    continue
            found[name] |= classes.get(ast.unparse(kind).rpartition(".")[2], set())
    return {name: writes for name, writes in found.items() if writes}


def writes_in(tree: ast.Module) -> Iterator[str]:
    """Yield the writing methods that handlers name.

    A kind of messages keeps what Discord answered, and a cog begins with duties for the worker.
    """
    nodes = list(_handlers_of(tree))
    aliases = {
        target.id: node.value.attr
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value
        name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        store = aliases.get(name, name)
        if node.attr in stores().get(store, ()):
            yield f"{store}.{node.attr}"


def _handlers_of(node: ast.AST) -> Iterator[ast.AST]:
    is_kind = isinstance(node, ast.ClassDef) and any(
        ast.unparse(base).endswith("Kind") for base in node.bases
    )
    begins = isinstance(node, ast.FunctionDef) and node.name == "__init__"
    if is_kind or begins:
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _handlers_of(child)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("await here.features.accounts.links.save(1)", ["links.save"]),
        ("await here.features.accounts.links.find(1)", []),
        ("store = here.service(RoleService).rules\nawait store.add(rule)", ["rules.add"]),
        ("change = here.features.moderation.settings.change", ["settings.change"]),
        ("class Told(kinds.Kind):\n    write = shown.record_told", []),
    ],
)
def test_a_write_is_found(code: str, found: list[str]) -> None:
    assert list(writes_in(ast.parse(code))) == found


def test_handlers_ask_stores_to_read_alone() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): writes
        for path in sorted(ROOT.glob("cogs/**/*.py"))
        if path.name != "service.py" and (writes := list(writes_in(tree_of(path))))
    }

    assert not found, f"call a method of a service, and write there: {found}"
