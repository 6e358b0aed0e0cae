"""Find English in what members were shown who speak another language."""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import simcord
from babel.messages.catalog import Message

from bot.i18n import SOURCE_LANGUAGE, catalogs, speaking
from playground.pseudo import PSEUDO, Pseudo
from tools.strings import read_catalog

TRANSLATED = sorted(catalogs.keys() - {SOURCE_LANGUAGE})
# By what Discord calls them if that isn't the catalog's name.
LOCALES = {"es": ("es-419", "es-ES"), "pt_BR": ("pt-BR",)}
EVERY_LANGUAGE = [SOURCE_LANGUAGE, *TRANSLATED, PSEUDO]

# Where Discord's messages, forms and lists keep what people read.
_LABELS = {"label", "placeholder", "title", "name"}
_SHOWN = {"content", "description", *_LABELS}
_PLACE = re.compile(r"%\(\w+\)s")
# Shorter ones may stand in what players wrote.
_MIN_WORDS = 3


def english_shown(env: simcord.Env, language: str) -> list[str]:
    """Give every text sent to Discord so far that has an English sentence in it, or is a label."""
    sources = list(_translated_sources(language))
    untranslated = _any_of(_untranslated_sources(language))
    sentences = _any_of(source for source in sources if _word_count(source) >= _MIN_WORDS)
    # One word between two places is found in any text.
    labels = _any_of(each for each in sources if "%(" not in each or _word_count(each) > 1)
    return [
        text
        for key, whole in _shown(env)
        # What has no translation yet is said in English.
        for text in [untranslated.sub("", whole)]
        if sentences.search(text) or (key in _LABELS and labels.fullmatch(text))
    ]


def locales_of(language: str) -> tuple[str, ...]:
    """Give the locales of Discord's that are spoken to in a language."""
    return LOCALES.get(language, (language.replace("_", "-"),))


@contextmanager
def pseudo_known() -> Generator[None]:
    """Let Kiosk know the pseudo-language inside the block."""
    catalogs[PSEUDO] = Pseudo()
    try:
        yield
    finally:
        del catalogs[PSEUDO]


@contextmanager
def spoken(language: str) -> Generator[None]:
    """Speak one of EVERY_LANGUAGE inside the block."""
    with pseudo_known(), speaking(language):
        yield


def messages_of(language: str) -> list[Message]:
    """Give every sentence of a catalog."""
    return [message for message in read_catalog(language) if message.id]


def forms_of(text: Any) -> tuple[str, ...]:
    """Give a sentence's grammatical numbers; most have one form for all."""
    return (text,) if isinstance(text, str) else tuple(text)


def _shown(env: simcord.Env) -> Iterator[tuple[str, str]]:
    for request in env.http_requests:
        # The commands themselves are in English, and have their translations beside it.
        if not request.path.endswith("/commands"):
            yield from _texts(request.json)


def _texts(part: object) -> Iterator[tuple[str, str]]:
    if isinstance(part, list):
        for each in cast("list[object]", part):
            yield from _texts(each)
    elif isinstance(part, Mapping):
        for key, value in cast("Mapping[str, object]", part).items():
            if key in _SHOWN and isinstance(value, str):
                yield key, value
            yield from _texts(value)


def _translated_sources(language: str) -> Iterator[str]:
    """Give the English texts that read otherwise in a language; in the pseudo-language, all do."""
    if language == PSEUDO:
        yield from (text for message in messages_of(TRANSLATED[0]) for text in forms_of(message.id))
        return
    for message in messages_of(language):
        sources, translations = forms_of(message.id), forms_of(message.string)
        if all(translations):
            yield from (text for text in sources if text not in translations)


def _untranslated_sources(language: str) -> Iterator[str]:
    """Give the English texts that have no translation. If there are none, one that no card has."""
    yield "\0"
    for message in messages_of(language) if language != PSEUDO else ():
        if not all(forms_of(message.string)):
            yield from forms_of(message.id)


def _word_count(source: str) -> int:
    return len(re.findall(r"[A-Za-z]{2,}", _PLACE.sub("", source)))


def _any_of(sources: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        "|".join(".+".join(map(re.escape, _PLACE.split(source))) for source in sources)
    )
