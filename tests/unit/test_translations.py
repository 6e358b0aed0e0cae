"""Each translation has what its source has: places, markdown, commands and names of buttons."""

import ast
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from gettext import c2py

import pytest
from babel import Locale

from bot.i18n import catalogs, compiled, is_draft, speaking, t
from tests.support.languages import TRANSLATED, forms_of, messages_of
from tests.unit.test_i18n import ROOT, name_of
from tests.unit.test_translated_limits import nodes
from tools.strings import is_translated, read_catalog

BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
QUOTED = re.compile(r"“([^”\n]+)”")
COMMAND = re.compile(r"`(/[^`\n]+)`")
# A command's name, and those of its options.
WORD = re.compile(r"[a-z]+")
# The form of 0, 1, 2, 5, 21 and 22, if that isn't one for 1 and one for all others.
PLURALS = {
    "fr": [0, 0, 1, 1, 1, 1],
    "ja": [0, 0, 0, 0, 0, 0],
    "pl": [2, 0, 1, 2, 2, 1],
    "pt_BR": [0, 0, 1, 1, 1, 1],
}

every_language = pytest.mark.parametrize("language", TRANSLATED)


def pairs(language: str) -> Iterator[tuple[str, str]]:
    """Give each translated form with the English one of its kind: the first is the singular's."""
    for message in messages_of(language):
        if is_translated(message):
            sources = forms_of(message.id)
            for number, form in enumerate(forms_of(message.string)):
                yield sources[min(number, len(sources) - 1)], form


def signs(text: str) -> Counter[str]:
    """Count what Discord formats, line ends, and emoji."""
    marks = re.findall(r"\*\*|`|\n|^-# |^> |^#+ ", text, re.MULTILINE)
    return Counter([*marks, *(sign for sign in text if unicodedata.category(sign) == "So")])


@every_language
def test_a_translation_has_the_markdown_and_emoji_of_its_source(language: str) -> None:
    assert not [form for source, form in pairs(language) if signs(form) != signs(source)]


@every_language
def test_a_command_in_a_sentence_is_called_as_members_type_it(language: str) -> None:
    def typed(command: str) -> str:
        with speaking(language):
            return WORD.sub(lambda found: t(found[0]), command)

    assert not [
        (source, form)
        for source, form in pairs(language)
        if Counter(map(typed, COMMAND.findall(source))) != Counter(COMMAND.findall(form))
    ]


@every_language
def test_a_button_in_a_sentence_is_called_as_on_the_button(language: str) -> None:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for source, form in pairs(language):
        names[source].add(form)

    def is_named(name: str, form: str) -> bool:
        return name not in names or any(called in form for called in names[name])

    assert not [
        (name, form)
        for source, form in pairs(language)
        for name in (*BOLD.findall(source), *QUOTED.findall(source))
        if not is_named(name, form)
    ]


@pytest.mark.parametrize("language", sorted({*TRANSLATED} - {"de"}))
def test_names_of_commands_and_options_are_english(language: str) -> None:
    texts = {
        str(text.value)
        for node in nodes()
        if isinstance(node, ast.Call) and name_of(node.func) == "L"
        for text in node.args
        if isinstance(text, ast.Constant)
    }
    names = {text for text in texts if WORD.fullmatch(text)}
    assert {"account", "catalog"} < names
    with speaking(language):
        assert not [name for name in names if t(name) != name]


@every_language
def test_a_form_for_several_counts_says_which(language: str) -> None:
    """As Japanese has one form for all; of 0, nothing is said that doesn't say so by itself."""
    plural = c2py(read_catalog(language).plural_expr)
    counts: defaultdict[int, set[int]] = defaultdict(set)
    for count in range(1, 1000):
        counts[plural(count)].add(count)
    assert [plural(count) for count in (0, 1, 2, 5, 21, 22)] == PLURALS.get(
        language, [1, 0, 1, 1, 1, 1]
    )
    assert not [
        form
        for message in messages_of(language)
        if len(forms_of(message.id)) > 1 and is_translated(message)
        for number, form in enumerate(forms_of(message.string))
        if len(counts[number]) > 1 and "%(count)s" in forms_of(message.id)[1]
        if "%(count)s" not in form
    ]


def test_who_has_read_a_translation_stands_in_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 'msgid ""\nmsgstr "Last-Translator: %s\\n"\n\nmsgid "Buy"\nmsgstr "Kup"\n'
    for who, is_so in (("drafted, not yet read by a native speaker", True), ("Somebody", False)):
        catalog = compiled(io.BytesIO((made % who).encode()), "pl")
        monkeypatch.setitem(catalogs, "pl", catalog)
        with speaking("pl"):
            assert (is_draft(), t("Buy")) == (is_so, "Kup")
    assert not is_draft()


@every_language
def test_the_document_of_words_has_those_on_the_buttons(language: str) -> None:
    lines = (ROOT / "docs" / "words.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    (column,) = (
        number for number, name in enumerate(cells[0]) if name == Locale(language[:2]).english_name
    )
    texts = {str(message.id): message for message in messages_of(language)}
    wrong = [
        (word, row[column])
        for row in cells[2:]
        for word in row[0].split(", ")
        if word[0].isupper()
        and word in texts
        and not texts[word].context
        and str(texts[word].string) not in row[column]
    ]
    assert not wrong
