"""Changing a sentence everywhere: the sources, with their lines, and the catalogs."""

import ast

import pytest
from babel.messages.catalog import Catalog

from tools.renaming import rename_in_catalog, rename_in_document, rename_in_source

LONG = " ".join(["word"] * 30)


@pytest.mark.parametrize(
    ("source", "renamed"),
    [
        ('say(t("Mend it"))\n', 'say(t("Fix it now"))\n'),
        ('say(\n    t("Mend " "it"),\n)\n', 'say(\n    t("Fix it now"),\n)\n'),
        ('say(\n    "Mend"\n    " it"\n)\n', 'say(\n    "Fix it now"\n)\n'),
        ('é = ("ä", "Mend it")\n', 'é = ("ä", "Fix it now")\n'),
        ('say(t("Mend it now"), f"Mend it {1}")\n', 'say(t("Mend it now"), f"Mend it {1}")\n'),
    ],
)
def test_a_sentence_is_changed_as_a_whole(source: str, renamed: str) -> None:
    assert rename_in_source(source, {"Mend it": "Fix it now"}) == renamed


def test_in_kiosk_itself_only_marked_texts_are_sentences() -> None:
    source = 'class Kind(StrEnum):\n    LINKED = "linked"\n\n\nsay(t("linked"), N_("linked"))\n'

    renamed = rename_in_source(source, {"linked": "Linked"}, {"t", "N_"})

    assert renamed == source.replace('("linked")', '("Linked")')


def test_a_sentence_that_grows_takes_several_lines() -> None:
    source = 'said = "Mend it"\nif True:\n    say(t("Mend it"))\n'

    renamed = rename_in_source(source, {"Mend it": LONG})

    assert max(map(len, renamed.splitlines())) <= 100
    texts = [node.value for node in ast.walk(ast.parse(renamed)) if isinstance(node, ast.Constant)]
    assert texts.count(LONG) == 2


def test_a_translation_stays_with_its_sentence() -> None:
    catalog = Catalog(locale="de")
    catalog.add("Mend it", "Beheben")
    catalog.add(("%(n)s fault", "%(n)s faults"), ("%(n)s Fehler", "%(n)s Fehler"))

    rename_in_catalog(catalog, {"Mend it": "Fix it", "%(n)s faults": "%(n)s problems"})

    said = {message.id: message.string for message in catalog if message.id}
    assert said == {
        "Fix it": "Beheben",
        ("%(n)s fault", "%(n)s problems"): ("%(n)s Fehler", "%(n)s Fehler"),
    }


def test_a_document_names_a_label_by_its_new_words() -> None:
    said = rename_in_document("Press **Mend it**, then Mend it.", {"Mend it": "Fix it"})

    assert said == "Press **Fix it**, then Mend it."
