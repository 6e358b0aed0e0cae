"""Every sentence in every language: none that bypasses the catalogs, no catalog that lags."""

import ast
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from babel.messages.catalog import Message

from bot import i18n
from bot.i18n import catalogs, compiled, language_name, language_of, nt, pt, speaking, t
from playground.pseudo import Pseudo, english
from tests.support.languages import TRANSLATED, forms_of, messages_of
from tools import strings
from tools.strings import KEYWORDS, SOURCES, is_translated, marked_sentences, read_catalog, template

ROOT = Path(__file__).parents[2]

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

    assert set(kept) == wanted, "run `make strings`"


def test_commands_are_said_by_a_file_of_their_own_that_is_up_to_date() -> None:
    kept = json.loads((i18n.LOCALES / i18n.COMMANDS).read_text(encoding="utf-8"))
    wanted = {language: strings.command_texts(language) for language in TRANSLATED}
    assert kept == wanted, "run `make strings`"
    assert i18n.command_text("Manage your game account", "de") == "Dein Spielkonto verwalten"
    assert i18n.command_text("Manage your game account", "en") == "Manage your game account"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_places_of_its_source(language: str) -> None:
    messages = catalog_messages(language).values()

    said = [message for message in messages if is_translated(message)]
    assert not [m.id for m in said if places(m.id) != places(m.string)]


def places(forms: object) -> set[str]:
    return set(re.findall(r"%\(\w+\)s|%", str(forms)))


@pytest.mark.parametrize("path", SHOWN_TO_MEMBERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_bypasses_the_catalogs(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))

    found = [f"line {node.lineno}: {node.value}" for node in unmarked_prose(tree)]
    assert not found, (
        "Mark what people read (t, N_); what only the log says goes into another file."
    )


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
        assert (pt("a field", "Thread"), t("Thread")) == ("Thread", "Zum Thread")


def test_every_source_folder_is_searched() -> None:
    assert {"bot", "cogs", "storage"} == set(SOURCES)


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("en-US", "en"),
        ("en-GB", "en"),
        ("de", "de"),
        # As a server's language is kept.
        ("pt_BR", "pt_BR"),
        ("pt-BR", "pt_BR"),
        ("es-ES", "es"),
        ("es-419", "es"),
        ("sv-SE", "sv"),
        ("no", "nb"),
        ("zh-CN", "zh"),
        # Not the other script.
        ("zh-TW", "en"),
        ("ko", "en"),
        ("", "en"),
    ],
)
def test_a_locale_leads_to_the_nearest_catalog_and_else_to_english(
    locale: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for known in ("pt_BR", "es", "sv", "nb", "zh"):
        monkeypatch.setitem(catalogs, known, Pseudo())

    assert language_of(locale) == language


def test_a_catalog_of_its_own_comes_before_its_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    for known in ("es", "es_419", "zh_TW"):
        monkeypatch.setitem(catalogs, known, Pseudo())

    assert [*map(language_of, ("es-419", "es-ES", "zh-TW"))] == ["es_419", "es", "zh_TW"]


def a_catalog(*forms: str) -> io.BytesIO:
    """Give a catalog of three sentences: one with these forms, one with a context, one to do."""
    numbered = "".join(f'msgstr[{number}] "{form}"\n' for number, form in enumerate(forms))
    return io.BytesIO(
        f'msgid "a leaf"\nmsgid_plural "%(count)s leaves"\n{numbered}\n'
        'msgctxt "items"\nmsgid "Show"\nmsgstr "Items"\n\nmsgid "Buy"\nmsgstr ""\n'.encode()
    )


@pytest.mark.parametrize(
    ("language", "forms", "said"),
    [
        ("de", ["one", "other"], {0: "other", 1: "one", 2: "other", 21: "other"}),
        ("fr", ["one", "other"], {0: "one", 1: "one", 2: "other"}),
        ("ja", ["other"], {0: "other", 1: "other", 5: "other"}),
        ("pl", ["one", "few", "many"], {1: "one", 2: "few", 5: "many", 22: "few", 112: "many"}),
        ("ru", ["one", "few", "many"], {1: "one", 21: "one", 24: "few", 11: "many"}),
        ("cs", ["one", "few", "other"], {1: "one", 3: "few", 5: "other"}),
    ],
)
def test_each_language_has_its_own_plural_forms(
    language: str, forms: list[str], said: dict[int, str]
) -> None:
    read = compiled(a_catalog(*forms), language)

    assert {count: read.ngettext("a leaf", "%(count)s leaves", count) for count in said} == said


def test_what_is_not_translated_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogs, "pl", compiled(a_catalog("", "", ""), "pl"))

    with speaking("pl"):
        assert (t("Buy"), t("Not even there"), pt("items", "Show")) == (
            "Buy",
            "Not even there",
            "Items",
        )
        leaves = [nt("a leaf", "%(count)s leaves", count) for count in (1, 5)]
        assert leaves == ["a leaf", "5 leaves"]


def test_a_language_begins_with_all_sentences_and_says_that_nobody_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(i18n, "LOCALES", tmp_path)
    monkeypatch.setattr(i18n, "catalogs", {"en": None})
    monkeypatch.setattr(strings, "catalogs", {"en": None})
    monkeypatch.setattr(sys, "argv", ["strings", "--new", "pl", "--least", "95"])
    with pytest.raises(SystemExit, match="less than 95 % is translated into pl"):
        strings.main()
    assert re.search(r"pl: 0 of \d+ sentences, 0 %", capsys.readouterr().out)
    made = i18n.catalog_file("pl").read_text(encoding="utf-8")
    assert '"Last-Translator: drafted, not yet read by a native speaker\\n"' in made
    assert '"Plural-Forms: nplurals=3; plural=' in made
    before = made
    monkeypatch.setattr(sys, "argv", ["strings"])
    strings.main()
    assert i18n.catalog_file("pl").read_text(encoding="utf-8") == before


def test_numbers_are_grouped_as_the_language_does() -> None:
    assert nt("and %(count)s more", "and %(count)s more", 1200) == "and 1,200 more"


def test_a_language_is_called_as_it_calls_itself() -> None:
    assert [*map(language_name, ("de", "es", "pt_BR"))] == [
        "Deutsch",
        "español",
        "português (Brasil)",
    ]


def test_the_pseudo_language_is_longer_and_reads_as_english() -> None:
    sentence = "Kiosk can't post in %(channel)s: look at `/setup show`."
    said = Pseudo().gettext(sentence)

    assert english(said) == sentence
    assert len(said) > 1.2 * len(sentence)
    assert len(said.encode()) > 1.8 * len(sentence)
    assert {"%(channel)s", "`/setup"} <= set(re.findall(r"%\(\w+\)s|`/\w+", said))


# Of each verb one form, and words that read as what they aren't.
GONE_FROM_GERMAN = re.compile(
    r"(?<![\w`])(?:[Vv]ersuch es|[Dd]rück|[Pp]rüf|[Ss]uch dir|[Ff]rag|[Ss]ag)(?!\w)"
    r"|(?<![\w`])(?:[Ss]chreib|[Gg]eh|[Kk]opier|[Ff]ang)(?!\w)"
    r"|braucht dich|brauchen dich|Es braucht |shop beobachtet`|[Nn]och nicht bestätigt(?!:)"
    r"|Knopf|Knöpfe|Log-Kanal|erwähnt"
)
# What a German word stands for, and nothing else.
ONE_MEANING = {
    r"(?<!\w)(?!Melde dich)\w*[Mm]eld(?:e|en|et|ung|ungen)(?!\w)": r"[Rr]eport",
    r"[Aa]ufheben|aufgehoben": r"[Uu]nlink",
    r"[Vv]erwerfen|[Vv]erworfen|[Vv]erwirf": r"[Dd]iscard",
    r"[Aa]bweisen|[Aa]bgewiesen": r"[Dd]ismiss",
    r"[Ff]reigeben|[Ff]reigegeben": r"[Ss]how",
}


def test_german_has_one_form_of_the_imperative_and_no_word_that_misleads() -> None:
    forms = [str(message.string) for message in catalog_messages("de").values()]

    assert not list(filter(GONE_FROM_GERMAN.search, forms))


@pytest.mark.parametrize("word", ONE_MEANING)
def test_a_german_word_stands_for_one_thing(word: str) -> None:
    said = [
        (message.id, form)
        for message in messages_of("de")
        for form in forms_of(message.string)
        if re.search(word, form)
    ]

    assert said
    assert not [pair for pair in said if not re.search(ONE_MEANING[word], str(pair[0]))]
