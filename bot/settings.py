"""What the operator sets: read once at the start, from the environment and a `.env` file."""

import re
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from storage.database import check_address
from storage.errors import BadDatabaseUrl
from storage.vault import BadKey, Vault


class SettingsError(Exception):
    """Settings are missing or malformed; `problems` has one line for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _split_keys(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


def _check_keys(keys: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if keys:
        try:
            Vault(keys)
        except BadKey as error:
            raise ValueError(str(error)) from None
    return keys


def _check_database_url(url: str) -> str:
    try:
        check_address(url)
    except BadDatabaseUrl as error:
        raise ValueError(str(error)) from None
    return url


def _check_link(url: str) -> str:
    if url and not re.fullmatch(r"https?://[^\s/]+\S{0,400}", url):
        raise ValueError("write a whole address, such as https://game.example/token")
    return url


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _split_shards(value: object) -> object:
    """Read `0-7` and `0,2,5-7`. Raises ValueError."""
    if not isinstance(value, str):
        return value
    shards: list[int] = []
    for part in value.replace(" ", "").split(","):
        match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise ValueError("write the shards like 0-7, or 0,2,5")
        shards += range(first, last + 1)
    return tuple(shards)


def _check_shards(shards: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
    count = info.data.get("shard_count")
    if not shards or "shard_count" not in info.data:
        return shards
    if count is None:
        raise ValueError("SHARD_COUNT is missing: of how many shards are these?")
    if max(shards) >= count:
        raise ValueError(f"of {count} shards, the last one is {count - 1}")
    if len(set(shards)) < len(shards):
        raise ValueError("a shard is named twice")
    return shards


class Settings(BaseSettings):
    """Every setting by its name in lower case; built from keywords, it looks nowhere else."""

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    _looks_around: ClassVar[bool] = False

    discord_token: SecretStr | None = None
    game_base_url: str | None = None
    game_token: SecretStr | None = None
    # In seconds.
    poll_interval: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 300.0
    # Whether the game may be asked over plain http on a private network.
    game_plain_http: bool = False
    direct_channel_interval: Annotated[float, Field(ge=0, le=3600)] = 10.0
    game_body_format: Annotated[Literal["json", "form"], BeforeValidator(_lower)] = "json"
    database_url: Annotated[str, AfterValidator(_check_database_url)] = "sqlite:///kiosk.db"
    kiosk_keys: Annotated[
        tuple[SecretStr, ...],
        NoDecode,
        BeforeValidator(_split_keys),
        AfterValidator(_check_keys),
    ] = ()
    shard_count: Annotated[int | None, Field(ge=1, le=100_000)] = None
    shard_ids: Annotated[
        tuple[int, ...], NoDecode, BeforeValidator(_split_shards), AfterValidator(_check_shards)
    ] = ()
    token_help: Annotated[str, AfterValidator(str.strip), Field(max_length=500)] = ""
    token_url: Annotated[str, AfterValidator(_check_link)] = ""
    lease_seconds: Annotated[float, Field(ge=1, le=60)] = 10.0
    # On loopback; 0 for any that is free.
    monitoring_port: Annotated[int | None, Field(ge=0, le=65_535)] = None
    sentry_dsn: SecretStr | None = None
    log_format: Annotated[Literal["console", "json"], BeforeValidator(_lower)] = "console"
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper)] = (
        "INFO"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take keywords alone, so that a test's bot never meets the operator's environment."""
        around = (env_settings, dotenv_settings) if cls._looks_around else ()
        return (init_settings, *around)


class _EnvironmentSettings(Settings):
    _looks_around = True


def load_settings(env_file: Path = Path(".env"), *, shards: str | None = None) -> Settings:
    """Read the settings; the environment outranks the file, and `shards` (`0-7/16`) both.

    Raises SettingsError.
    """
    given: dict[str, str] = {}
    if shards is not None:
        given["shard_ids"], slash, count = shards.partition("/")
        given |= {"shard_count": count} if slash else {}
    try:
        # The keyword is pydantic-settings' own, which it keeps from type checkers.
        return _EnvironmentSettings(_env_file=env_file, **given)  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        raise SettingsError(
            [_problem(str(fault["loc"][0]), fault["msg"]) for fault in error.errors()]
        ) from None
    except UnicodeDecodeError:
        raise SettingsError([f"{env_file}: this file is not UTF-8 text"]) from None


def _problem(field: str, message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return f"{field.upper()}: {text}"
