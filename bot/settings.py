"""The operator's settings: read once at the start, from the environment and a `.env` file."""

import os
import re
import typing
from collections import abc
from difflib import get_close_matches
from pathlib import Path

import pydantic

from bot import COMMAND, i18n
from bot.env_file import find_unreadable, read_values
from bot.log import LogFormat
from storage.database import check_address
from storage.vault import Vault

ENV_FILE = Path(".env")
# A new key opens nothing of a database that is there.
KEYS_MEND = f"Add this database's keys. For a new database, `{COMMAND} keys new` makes a key"
# Replacements for pydantic's own words, which are for programmers.
_WORDS = {
    "bool_parsing": "should be true or false",
    "float_parsing": "should be a number, for example 2.5",
    "int_parsing": "should be a whole number",
}
_QUOTED = re.compile(r"^([\"'])((?:(?!\1).)*)\1$", re.DOTALL)
# These were settings once, and do no harm if they are still set.
_NO_MORE = frozenset(
    {"DIRECT_CHANNEL_INTERVAL", "LEASE_SECONDS", "SENTRY_DSN", "SHARD_COUNT", "SHARD_IDS"}
)
_LANGUAGES = sorted(i18n.catalogs.keys() - {i18n.SOURCE_LANGUAGE})
# The operator's own words, with their settings in each language but English.
_HELP_IN = {
    name: {language: f"{name}_{language.lower()}" for language in _LANGUAGES}
    for name in ("token_help", "number_help")
}
# From 0 to 1: how similar a name must be to a setting's name to count as a typo of it.
_CLOSE = 0.75


class SettingsError(Exception):
    """Settings are missing or malformed. `problems` has one line for each."""

    def __init__(self, problems: abc.Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _check_keys(keys: tuple[pydantic.SecretStr, ...]) -> tuple[pydantic.SecretStr, ...]:
    if keys:
        try:
            Vault(keys)
        except ValueError as error:
            raise ValueError(f"{error}. {KEYS_MEND}") from error
    return keys


def check_token(token: pydantic.SecretStr | None) -> pydantic.SecretStr | None:
    # It is sent in a header.
    if token and not re.fullmatch(r"[\x21-\x7e]+", token.get_secret_value()):
        raise ValueError("it has characters that tokens never have. Copy only the token")
    return token


def _check_link(url: str) -> str:
    if url and not re.fullmatch(r"https?://[^\s/]+\S{0,400}", url):
        raise ValueError("enter a full address, for example https://game.example/token")
    return url


_Help = typing.Annotated[str, pydantic.StringConstraints(strip_whitespace=True, max_length=500)]
_Token = typing.Annotated[pydantic.SecretStr | None, pydantic.AfterValidator(check_token)]


class Settings(pydantic.BaseModel):
    """Every setting by its name in lower case."""

    model_config = pydantic.ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    discord_token: _Token = None
    game_base_url: str | None = None
    game_token: _Token = None
    # In seconds.
    poll_interval: typing.Annotated[float, pydantic.Field(ge=1, allow_inf_nan=False)] = 300.0
    # Whether the game may be asked over plain http on a private network.
    game_plain_http: bool = False
    game_body_format: typing.Annotated[
        typing.Literal["json", "form"], pydantic.BeforeValidator(str.lower)
    ] = "json"
    database_url: typing.Annotated[str, pydantic.AfterValidator(check_address)] = (
        "sqlite:///kiosk.db"
    )
    # The folder for a daily backup of a database in a file, or "" for none.
    backup_dir: typing.Annotated[str, pydantic.StringConstraints(strip_whitespace=True)] = ""
    kiosk_keys: typing.Annotated[
        tuple[pydantic.SecretStr, ...],
        pydantic.BeforeValidator(lambda keys: keys.replace(",", " ").split()),
        pydantic.AfterValidator(_check_keys),
    ] = ()
    # If they are in a file of their own, such as a Docker secret or one of systemd's credentials.
    kiosk_keys_file: str = ""
    token_help: _Help = ""
    # In other languages, by the names of their catalogs.
    token_help_in: dict[str, _Help] = {}
    number_help: _Help = ""
    number_help_in: dict[str, _Help] = {}
    token_url: typing.Annotated[str, pydantic.AfterValidator(_check_link)] = ""
    # Where members report problems, and what is kept about them.
    support_url: typing.Annotated[str, pydantic.AfterValidator(_check_link)] = ""
    privacy_url: typing.Annotated[str, pydantic.AfterValidator(_check_link)] = ""
    # On all addresses, for interactions that Discord posts. None if they come over its gateway.
    interactions_port: typing.Annotated[int | None, pydantic.Field(ge=0, le=65_535)] = None
    # On loopback. 0 means any port that is free.
    monitoring_port: typing.Annotated[int | None, pydantic.Field(ge=0, le=65_535)] = None
    log_format: typing.Annotated[LogFormat, pydantic.BeforeValidator(str.lower)] = "console"
    log_level: typing.Annotated[
        typing.Literal["DEBUG", "INFO", "WARNING", "ERROR"], pydantic.BeforeValidator(str.upper)
    ] = "INFO"

    def vault(self) -> Vault:
        if not self.kiosk_keys:
            raise SettingsError([f"KIOSK_KEYS: missing. {KEYS_MEND}"])
        return Vault(self.kiosk_keys)


def load_settings(env_file: Path = ENV_FILE) -> Settings:
    """Read the settings from the environment and the file. Raises SettingsError."""
    settings, problems = read_settings(env_file)
    if problems:
        raise SettingsError(problems)
    return settings


def read_settings(env_file: Path = ENV_FILE) -> tuple[Settings, abc.Sequence[str]]:
    """Return the settings, with defaults in place of wrong ones, and a line for each of those."""
    named, trouble = _read(env_file)
    given: dict[str, object] = {**named}
    problems = [f"{env_file.resolve()}: {trouble}"] if trouble else []
    if key_file := named.get("kiosk_keys_file"):
        given["kiosk_keys"], wrong = _read_keys(Path(key_file), has_others="kiosk_keys" in named)
        problems += [f"KIOSK_KEYS_FILE: {wrong}"] if wrong else []
    for help_name, settings_in in _HELP_IN.items():
        given[f"{help_name}_in"] = {
            language: text for language, name in settings_in.items() if (text := named.get(name))
        }
    while True:
        try:
            return Settings.model_validate(given), problems
        except pydantic.ValidationError as error:
            faults = {fault["loc"]: fault for fault in error.errors()}
            for (name, *language), fault in faults.items():
                message = fault["msg"]
                for start in ("Value error, ", "Input ", "String "):
                    message = message.removeprefix(start)
                told = str(name)
                if language:
                    told = "_".join([told.removesuffix("_in"), *map(str, language)])
                problems.append(f"{told.upper()}: {_WORDS.get(fault['type'], message)}")
                given.pop(str(name), None)


def _read_keys(file: Path, *, has_others: bool) -> tuple[str, str]:
    """Return what a file of keys holds, and what is wrong with it."""
    if has_others:
        return "", "KIOSK_KEYS is set too. Leave one of them empty"
    try:
        # Some editors begin a file with a mark of their own.
        keys = file.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        mend = "Choose a file that the user who runs Kiosk can read"
        return "", f"can't read {file}: {error.strerror}. {mend}"
    except UnicodeDecodeError:
        return "", f"{file} isn't text. {KEYS_MEND}"
    return keys, "" if keys else f"{file} is empty. {KEYS_MEND}"


def what_sets_nothing() -> abc.Iterator[tuple[str, str, bool]]:
    """Yield names, and lines of the file, what to say of each, and if it is a mistake."""
    yield from find_unreadable(ENV_FILE)
    helps = [name for settings_in in _HELP_IN.values() for name in settings_in.values()]
    known = {name.upper() for name in (*Settings.model_fields, *helps)}
    of_languages = tuple(f"{name.upper()}_" for name in _HELP_IN)
    named, _ = _read(ENV_FILE)
    for name in sorted({name.upper() for name in named} - known):
        meant = get_close_matches(name, known, n=1, cutoff=_CLOSE)
        if name in _NO_MORE:
            yield name, "isn't a setting any more. Remove it from .env", False
        elif name.startswith(of_languages):
            yield name, f"Kiosk speaks {', '.join(_LANGUAGES)}. No one sees this text", True
        elif meant:
            yield name, f"unknown setting. Did you mean {meant[0]}?", True


def _read(env_file: Path) -> tuple[abc.Mapping[str, str], str]:
    """Return what is set, by its name in lower case, and what is wrong with the file."""
    file, trouble = read_values(env_file)
    named: dict[str, str] = {}
    for name, value in (*file.items(), *os.environ.items()):
        # A Windows line's end, or Docker, leaves something around it.
        bare = _QUOTED.sub(r"\2", (value or "").strip()).strip()
        if bare:
            named[name.lower()] = bare
    return named, trouble
