"""Say every sentence in its reader's language. In the sources, each is in English."""

import asyncio
import functools
import gettext
import io
import json
from collections import abc
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, NamedTuple

DOMAIN = "kiosk"
LOCALES = Path(__file__).parent / "locales"
COMMANDS = "commands.json"
SOURCE_LANGUAGE = "en"
# How Last-Translator begins in the header of a catalog that no native speaker has read.
DRAFTED = "drafted"

# The catalog for a locale that has none, if that isn't its language's: a reader of one script of
# Chinese may not read the other, and Discord's Norwegian is Bokmål.
_READ_AS = {"zh_TW": SOURCE_LANGUAGE, "no": "nb"}
# Catalogs by their names, such as pt_BR. None until one is read.
catalogs: dict[str, gettext.NullTranslations | None] = {
    SOURCE_LANGUAGE: gettext.NullTranslations(),
    **{path.parts[-3]: None for path in LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po")},
}

# What CLDR calls minimumGroupingDigits, which Babel doesn't know: there, 1234 has no groups yet.
_FOUR_IN_A_ROW = frozenset({"bg", "es", "es_ES", "hu", "it", "pl"})
_MIN_GROUPED = 10_000


class _Reader(NamedTuple):
    """The reader of sentences. `numbers` is one of Babel's locales, such as es_419.

    Two countries of one language may write numbers differently.
    """

    language: str
    numbers: str
    catalog: gettext.NullTranslations


_ENGLISH = _Reader(SOURCE_LANGUAGE, SOURCE_LANGUAGE, gettext.NullTranslations())
_reader = ContextVar("reader", default=_ENGLISH)


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for a mark
    """Mark a sentence that is translated when it is shown."""
    return message


def t(message: str, **values: object) -> str:
    """Translate a sentence, then fill in its `%(name)s` places."""
    return _reader.get().catalog.gettext(message) % values


def pt(context: str, message: str) -> str:
    """Translate a sentence that means something else in another context."""
    return _reader.get().catalog.pgettext(context, message)


def nt(singular: str, plural: str, count: int, **values: object) -> str:
    """Translate a sentence in the grammatical number of `count`, shown as `%(count)s`."""
    chosen = _reader.get().catalog.ngettext(singular, plural, count)
    return chosen % {"count": number(count), **values}


@functools.lru_cache(maxsize=1024)
def _grouped(value: int, locale: str) -> str:
    # Babel works out the grammar of digits again each time, and a card has a dozen numbers.
    from babel.numbers import format_decimal

    if locale in _FOUR_IN_A_ROW and value < _MIN_GROUPED:
        return str(value)
    return format_decimal(value, locale=locale)


def number(value: int) -> str:
    return _grouped(value, _reader.get().numbers)


def decimal_sign() -> str:
    """Return the sign that the reader writes before the decimals of a number."""
    from babel.numbers import get_decimal_symbol

    return get_decimal_symbol(_reader.get().numbers)


def listed(parts: abc.Sequence[str]) -> str:
    """Return parts as one list of words: "a, b and c"."""
    from babel.lists import format_list

    return format_list(parts, locale=_reader.get().language)


@contextmanager
def speaking(locale: object) -> abc.Generator[None]:
    """Translate into the language of a Discord locale inside the block."""
    before = _reader.get()
    speak(locale)
    try:
        yield
    finally:
        _reader.set(before)


async def speak_once_read(locale: object) -> None:
    """Speak as `speak` does, once the catalog is read: 90 ms, in which others are answered."""
    language = language_of(locale)
    known = catalogs[language] or await asyncio.to_thread(catalog, language)
    _reader.set(_Reader(language, _numbers_of(str(locale)), known))


def speak(locale: object) -> None:
    """Translate into the language of a Discord locale for the rest of the running task."""
    language = language_of(locale)
    _reader.set(_Reader(language, _numbers_of(str(locale)), catalog(language)))


@functools.cache
def _numbers_of(locale: str) -> str:
    """Return by which of Babel's locales the reader of a Discord locale writes numbers."""
    from babel import localedata

    own = locale.replace("-", "_")
    return own if own and localedata.exists(own) else language_of(locale)


def spoken(texts: abc.Mapping[str, str]) -> str:
    """Return the text in the reader's language, by the catalogs' names, or "" without one."""
    return texts.get(_reader.get().language, "")


def is_draft() -> bool:
    """Return whether no native speaker has read the reader's catalog, as its header says."""
    header = _reader.get().catalog.info()
    return header.get("last-translator", "").startswith(DRAFTED)


def language_of(locale: object) -> str:
    """Return the catalog's name for a Discord locale: its own, its language's, or English."""
    own = str(locale).replace("-", "_")
    language = _READ_AS.get(own, own.partition("_")[0])
    return next((name for name in (own, language) if name in catalogs), SOURCE_LANGUAGE)


@functools.cache
def language_name(language: str) -> str:
    """Return a language's own name for itself, as it is written there."""
    from babel import Locale

    return Locale.parse(language).display_name or language


def catalog(language: str) -> gettext.NullTranslations:
    """Return a language's catalog. The text form is read directly, so that it can't be stale."""
    known = catalogs[language]
    if known is None:
        with catalog_file(language).open("rb") as file:
            known = catalogs[language] = compiled(file, language)
    return known


def command_text(text: str, language: str) -> str:
    """Return a command's name or description in a language.

    They have a file of their own, which `make strings` writes: no start reads whole catalogs.
    """
    known = _command_texts().get(language)
    return catalog(language).gettext(text) if known is None else known.get(text, text)


@functools.cache
def _command_texts() -> abc.Mapping[str, abc.Mapping[str, str]]:
    return json.loads((LOCALES / COMMANDS).read_bytes())


def compiled(file: IO[bytes], language: str) -> gettext.NullTranslations:
    """Read a catalog, with the plural forms of its language. What it lacks is said in English."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    made = io.BytesIO()
    write_mo(made, read_po(file, locale=language))
    made.seek(0)
    return gettext.GNUTranslations(made)


def catalog_file(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
