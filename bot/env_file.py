"""The file `.env`, which Kiosk, Docker Compose and systemd each read in their own way."""

import logging
import re
from collections import abc
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dotenv.parser import Binding

# It logs each line that it can't read, at each reading, and not how to fix it.
logging.getLogger("dotenv").setLevel(logging.ERROR)

# What all three read alike. Compose fills in $ and ends a value at #, systemd takes \ away, and
# Kiosk fills in ${ even in single quotes. Before and behind, all of them drop blanks.
_ALIKE = re.compile(
    r"""
    \s* (?:
        ' (?: (?!\$\{ | \\[\\']) [^'] )* '
        | " [^"$\\]* "
        | [^\s'"$\\#] [^$\\#]*
    )? \s*
    """,
    re.VERBOSE,
)
_DIFFERS = "Docker Compose or systemd reads this line differently"
_MEND = "Write NAME='…', and nothing before or after it"
# For a value that is quoted so, but has something that one of them takes for its own.
_MEND_QUOTED = r"Leave out ${, \\ and \', and everything after the last quote"


def read_values(file: Path) -> tuple[abc.Mapping[str, str | None], str]:
    """Return what a file sets, if it exists, and what is wrong with it as a whole."""
    text, trouble = _text(file)
    if not text:
        return {}, trouble
    # Nothing else needs dotenv. It isn't needed if everything is in the environment, either.
    from dotenv import dotenv_values

    return dotenv_values(stream=StringIO(text)), trouble


def find_unreadable(file: Path) -> abc.Iterator[tuple[str, str, bool]]:
    """Yield each line that sets nothing, as its file and number, and what to say of the mistake."""
    for place, binding in _lines(file):
        if binding.error or (binding.key and binding.value is None):
            yield place, "Kiosk can't read this line, so it sets nothing. Write NAME='…'", True


def find_differences(file: Path) -> abc.Iterator[tuple[str, str]]:
    """Yield each line that is not read alike, as its file and number, and what to write."""
    for place, binding in _lines(file):
        name, _, value = binding.original.string.strip().partition("=")
        if binding.value is not None and (name.strip() != binding.key or not _is_read_alike(value)):
            mend = _MEND_QUOTED if value.lstrip().startswith("'") else _MEND
            yield place, f"{binding.key}: {_DIFFERS}. {mend}"


def write_value(value: str) -> str:
    """Write a value so that all three read it alike, if there is a way."""
    ways = (value, f"'{value}'", f'"{value}"')
    return next(filter(_is_read_alike, ways), value)


def _is_read_alike(written: str) -> bool:
    return _ALIKE.fullmatch(written) is not None


def _lines(file: Path) -> abc.Iterator[tuple[str, "Binding"]]:
    from dotenv.parser import parse_stream

    for binding in parse_stream(StringIO(_text(file)[0])):
        # Empty lines come with the one after them.
        written = binding.original.string
        empty = written[: len(written) - len(written.lstrip())].count("\n")
        yield f"{file.resolve()}:{binding.original.line + empty}", binding


def _text(file: Path) -> tuple[str, str]:
    """Return what is written in a file, and why it can't be read."""
    try:
        return file.read_text(encoding="utf-8"), ""
    except FileNotFoundError:
        # All of it may be in the environment.
        return "", ""
    except UnicodeDecodeError:
        return "", "this file isn't UTF-8 text. Save it as UTF-8"
    except IsADirectoryError:
        return "", "this is a folder. Replace it with a file like .env.example"
    except OSError as error:
        mend = "Let the user that runs Kiosk read it"
        return "", f"can't read this file: {error.strerror}. {mend}"
