"""Every sentence in every language: none that bypasses the catalogs, no catalog that lags."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from babel.messages.catalog import Message

from bot.i18n import SOURCE_LANGUAGE, language_of, languages, nt, pt, speaking
from tools.strings import KEYWORDS, SOURCES, is_translated, marked_sentences, read_catalog, template

ROOT = Path(__file__).parents[2]
TRANSLATED = sorted(languages() - {SOURCE_LANGUAGE})

# Calls whose texts are translated, or are for operators and machines.
MARKS = {"t", "nt", "N_", "L", "pt"}
LOGGED = {"getLogger", "debug", "info", "warning", "error", "exception", "log"}
NOT_SHOWN = LOGGED | {
    "MalformedResponse",
    "TryAgain",
    "NotYet",
    "ValueError",
    "TypeError",
    "RuntimeError",
    "Path",
    "compile",
    "cast",
}
# Parts of the program that members see. What operators see is in English.
SHOWN_TO_MEMBERS = [
    *sorted((ROOT / "cogs").rglob("*.py")),
    *sorted((ROOT / "bot" / "ui").glob("*.py")),
    ROOT / "bot" / "ui" / "messages" / "news.py",
    *sorted((ROOT / "bot" / "features").rglob("*.py")),
    ROOT / "bot" / "errors.py",
]
# Two words with a space between them: a sentence, or the start of one.
PROSE = re.compile(r"[A-Za-z]{2,}[,.]? [A-Za-z]{2,}")


def catalog_messages(language: str) -> dict[str | tuple[str, ...], Message]:
    return {ids_of(message): message for message in read_catalog(language) if message.id}


def ids_of(message: Message) -> str | tuple[str, ...]:
    ids = cast("str | Iterable[str]", message.id)
    return ids if isinstance(ids, str) else tuple(ids)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalog_has_every_sentence_and_no_other(language: str) -> None:
    kept = catalog_messages(language)
    wanted = {ids_of(message) for message in template() if message.id}

    assert not [message.id for message in kept.values() if not is_translated(message)]
    assert set(kept) == wanted, "run `make strings`"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_places_of_its_source(language: str) -> None:
    messages = catalog_messages(language).values()

    assert not [m.id for m in messages if places(m.id) != places(m.string)]


def places(forms: object) -> set[str]:
    return set(re.findall(r"%\(\w+\)s|%", str(forms)))


@pytest.mark.parametrize("path", SHOWN_TO_MEMBERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_bypasses_the_catalogs(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))

    assert not [f"line {node.lineno}: {node.value}" for node in unmarked_prose(tree)]


def unmarked_prose(node: ast.AST) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Call) and name_of(node.func) in MARKS | NOT_SHOWN:
        for argument in node.args[1:] if name_of(node.func) in MARKS else []:
            yield from unmarked_prose(argument)
        return
    is_enum = isinstance(node, ast.ClassDef) and any(
        name_of(base).endswith("Enum") for base in node.bases
    )
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        # An enum's values are for machines.
        if is_enum and isinstance(child, ast.Assign):
            continue
        if (
            isinstance(child, ast.Constant)
            and isinstance(child.value, str)
            and PROSE.search(child.value)
        ):
            yield child
        yield from unmarked_prose(child)


def name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_a_sentence_that_bypasses_the_catalogs_would_be_found() -> None:
    tree = ast.parse(
        '"""Doc string."""\n'
        'card.say("Nothing to see")\n'
        'card.say(t("All is well"))\n'
        "class End(StrEnum):\n"
        '    TOO_FAR = "too far"\n'
        '    def shown(self): return "That is too far"\n'
    )

    assert [node.value for node in unmarked_prose(tree)] == ["Nothing to see", "That is too far"]


def test_a_sentence_is_found_inside_an_f_string(tmp_path: Path) -> None:
    source = tmp_path / "views.py"
    source.write_text("card.say(f\"### {t('Nothing here')} {nt('a leaf', 'leaves', count)}\")")

    with source.open("rb") as file:
        found = [texts for _, _, texts, _ in marked_sentences(file, KEYWORDS, (), {})]

    assert found == [("Nothing here",), ("a leaf", "leaves", None)]


def test_a_word_of_two_meanings_is_found_with_its_context(tmp_path: Path) -> None:
    source = tmp_path / "views.py"
    source.write_text("t('Show'), pt('items', 'Show')")

    with source.open("rb") as file:
        found = [texts for _, _, texts, _ in marked_sentences(file, KEYWORDS, (), {})]

    assert found == [("Show",), ("items", "Show")]
    with speaking("de"):
        assert (pt("items", "Show"), pt("a comment", "Show")) == ("Zeigen", "Freigeben")


def test_every_source_folder_is_searched() -> None:
    assert {"bot", "cogs", "storage"} == set(SOURCES)


@pytest.mark.parametrize(
    ("locale", "language"), [("de", "de"), ("en-US", "en"), ("en-GB", "en"), ("ja", "en")]
)
def test_a_language_without_a_catalog_is_answered_in_english(locale: str, language: str) -> None:
    assert language_of(locale) == language


def test_plural_forms_follow_the_number() -> None:
    assert nt("and %(count)s more", "and %(count)s more", 1200) == "and 1,200 more"


# Of each verb one form, and words that read as what they aren't.
GONE_FROM_GERMAN = re.compile(
    r"(?<![\w`])(?:[Vv]ersuch es|[Dd]rück|[Pp]rüf|[Ss]uch dir|[Ff]rag|[Ss]ag)(?!\w)"
    r"|(?<![\w`])(?:[Ss]chreib|[Gg]eh)(?!\w)"
    r"|braucht dich|brauchen dich|Es braucht |shop beobachtet`|[Nn]och nicht bestätigt\."
)


def test_german_has_one_form_of_the_imperative_and_no_word_that_misleads() -> None:
    forms = [str(message.string) for message in catalog_messages("de").values()]

    assert not list(filter(GONE_FROM_GERMAN.search, forms))
