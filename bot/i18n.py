"""Say every sentence in the language of whoever reads it; in the sources, each is in English."""

import gettext
import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path

DOMAIN = "kiosk"
LOCALES = Path(__file__).parent / "locales"
SOURCE_LANGUAGE = "en"

_language: ContextVar[str] = ContextVar("language", default=SOURCE_LANGUAGE)


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for a mark
    """Mark a sentence that is translated when it is shown."""
    return message


def t(message: str, **values: object) -> str:
    """Translate a sentence, then fill in its `%(name)s` places."""
    return catalog(_language.get()).gettext(message) % values


def pt(context: str, message: str) -> str:
    """Translate a sentence that means something else in another context."""
    return catalog(_language.get()).pgettext(context, message)


def nt(singular: str, plural: str, count: int, **values: object) -> str:
    """Translate a sentence in the grammatical number of `count`, shown as `%(count)s`."""
    chosen = catalog(_language.get()).ngettext(singular, plural, count)
    return chosen % {"count": number(count), **values}


@lru_cache(maxsize=1024)
def _grouped(value: int, language: str) -> str:
    # Babel works out the grammar of digits anew each time, and a card has a dozen numbers.
    from babel.numbers import format_decimal

    return format_decimal(value, locale=language)


def number(value: int) -> str:
    return _grouped(value, _language.get())


def listed(parts: Sequence[str]) -> str:
    """Return parts as one list of words: "a, b and c"."""
    from babel.lists import format_list

    return format_list(parts, locale=_language.get())


@contextmanager
def speaking(locale: object) -> Generator[None]:
    """Translate into the language of a Discord locale inside the block."""
    reset = _language.set(language_of(locale))
    try:
        yield
    finally:
        _language.reset(reset)


def speak(locale: object) -> None:
    """Translate into the language of a Discord locale for the rest of the running task."""
    _language.set(language_of(locale))


@cache
def language_of(locale: object) -> str:
    language = str(locale).partition("-")[0]
    return language if language in languages() else SOURCE_LANGUAGE


@cache
def languages() -> frozenset[str]:
    catalogs = LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po")
    return frozenset({SOURCE_LANGUAGE, *(path.parent.parent.name for path in catalogs)})


@cache
def language_name(language: str) -> str:
    from babel import Locale

    return (Locale.parse(language).display_name or language).capitalize()


@cache
def catalog(language: str) -> gettext.NullTranslations:
    """Read a language's catalog; the text form is read directly, so that it can't be stale."""
    if language == SOURCE_LANGUAGE:
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with catalog_file(language).open("rb") as file:
        sentences = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, sentences)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def catalog_file(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
