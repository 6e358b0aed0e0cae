"""Collect every sentence of the sources, and bring the language catalogs up to date with them.

`--new fr` starts a language. `--least 95` fails if less of one is translated, in percent.
`--renamed FILE` first changes sentences in the sources, catalogs, tests and documents (`renaming`).
"""

import argparse
import ast
import json
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import IO, cast

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from bot import i18n
from bot.i18n import DRAFTED, SOURCE_LANGUAGE, catalog_file, catalogs
from tools import renaming

ROOT = Path(__file__).parents[1]
SOURCES = ("bot", "cogs", "storage")
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "t": None,
    "N_": None,
    "L": None,
    "nt": (1, 2),
    "pt": ((1, "c"), 2),
}
METHOD = "tools.strings:marked_sentences"


@cache
def template() -> Catalog:
    """Collect the sentences that the sources mark."""
    found = Catalog(project="Kiosk", copyright_holder="The Kiosk authors", charset="utf-8")
    for folder in SOURCES:
        marked = extract_from_dir(ROOT / folder, [("**.py", METHOD)], keywords=KEYWORDS)
        for file, _line, message, _comments, context in marked:
            found.add(message, locations=[(f"{folder}/{file}", 0)], context=context)
    return found


def marked_sentences(
    file: IO[bytes], keywords: Collection[str], comment_tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Find the marks in one file, as Babel asks its extractors to.

    Babel's own reads tokens, among which an f-string was a single one before Python 3.12.
    """
    calls = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if isinstance(call.func, ast.Name) and call.func.id in keywords:
            yield call.lineno, call.func.id, tuple(map(_text_of, call.args)), []


def _text_of(argument: ast.expr) -> str | None:
    """Return the text of an argument, None if it isn't a text."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    return None


def read_catalog(language: str) -> Catalog:
    """Read a language's catalog as it is kept, obsolete and fuzzy sentences included."""
    with catalog_file(language).open("rb") as file:
        return read_po(file, locale=language)


def begin(language: str) -> None:
    """Make the catalog of a new language, of which nothing is translated."""
    path = catalog_file(language)
    if path.exists():
        sys.exit(f"{path.relative_to(ROOT)} is there already")
    path.parent.mkdir(parents=True)
    _write(Catalog(locale=language, last_translator=f"{DRAFTED}, not yet read by a native speaker"))
    catalogs[language] = None


def update(language: str) -> tuple[int, int]:
    """Bring one catalog up to date. Return how many sentences are translated, and the total."""
    catalog = read_catalog(language)
    catalog.update(template(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    _write(catalog)
    messages = [message for message in catalog if message.id]
    return sum(map(is_translated, messages)), len(messages)


def command_texts(language: str) -> dict[str, str]:
    """Return the translations of what may be a command's name, description or choice."""
    said: dict[str, str] = {}
    catalog = read_catalog(language)
    for text in _texts_of_commands():
        message = catalog.get(text)
        if message is not None and is_translated(message) and message.string != text:
            said[text] = str(message.string)
    return said


@cache
def _texts_of_commands() -> list[str]:
    texts: list[str] = []
    for folder in SOURCES:
        # Choices are words of cards as well.
        marks = {"L", "N_"} if folder == "cogs" else {"L"}
        for path in sorted((ROOT / folder).rglob("*.py")):
            with path.open("rb") as file:
                found = [texts[0] for _, _, texts, _ in marked_sentences(file, marks, (), {})]
            texts += [text for text in found if text and "%(" not in text]
    return texts


def rename(renamed: renaming.Renamed) -> None:
    """Change sentences in the sources, tests, tools and catalogs, and labels in the documents."""
    for folder in (*SOURCES, "tests", "tools", "benchmarks", "playground"):
        # What isn't marked in Kiosk itself is no sentence: the database may keep it.
        marks = KEYWORDS if folder in SOURCES else ()
        for path in sorted((ROOT / folder).rglob("*.py")):
            _change(path, renaming.rename_in_source(path.read_text("utf-8"), renamed, marks))
    # What was released keeps its words.
    documents = {*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")} - {ROOT / "CHANGELOG.md"}
    for path in sorted(documents):
        _change(path, renaming.rename_in_document(path.read_text("utf-8"), renamed))
    for language in catalogs.keys() - {SOURCE_LANGUAGE}:
        catalog = read_catalog(language)
        renaming.rename_in_catalog(catalog, renamed)
        _write(catalog)


def _change(path: Path, text: str) -> None:
    if text != path.read_text("utf-8"):
        path.write_text(text, "utf-8")


def _write(catalog: Catalog) -> None:
    """Write a catalog with the lines of its header that don't change with each run."""
    header = {
        "Language": catalog.locale_identifier or "",
        # Who read the translation, or that no one did.
        "Last-Translator": catalog.last_translator,
        "Plural-Forms": catalog.plural_forms,
        "Content-Type": "text/plain; charset=utf-8",
    }
    lines = [f'"{name}: {value}\\n"\n' for name, value in header.items()]
    with catalog_file(str(catalog.locale)).open("wb") as file:
        file.write("".join(['msgid ""\nmsgstr ""\n', *lines, "\n"]).encode())
        write_po(file, catalog, omit_header=True, include_lineno=False, width=100)


def is_translated(message: Message) -> bool:
    """Return whether every form of a message is there."""
    forms = cast("str | tuple[str, ...]", message.string)
    return bool(forms) and all(forms)


def main() -> None:
    """Update every language."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--new", metavar="LANGUAGE")
    parser.add_argument("--renamed", type=Path, metavar="FILE")
    parser.add_argument("--least", type=int, default=0, metavar="PERCENT")
    given = parser.parse_args()
    if given.new:
        begin(given.new)
    if given.renamed:
        rename(renaming.read_renamed(given.renamed))
    languages = sorted(catalogs.keys() - {SOURCE_LANGUAGE})
    counts = {language: update(language) for language in languages}
    texts = {language: command_texts(language) for language in languages}
    said = json.dumps(texts, ensure_ascii=False, indent=1, sort_keys=True)
    (i18n.LOCALES / i18n.COMMANDS).write_text(f"{said}\n", encoding="utf-8")
    lacking: list[str] = []
    for language, (done, count) in counts.items():
        print(f"{language}: {done} of {count} sentences, {done * 100 // count} %")
        if done * 100 < given.least * count:
            lacking.append(language)
    if lacking:
        sys.exit(f"less than {given.least} % is translated into {', '.join(lacking)}")


if __name__ == "__main__":
    main()
