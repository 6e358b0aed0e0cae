"""What the operator sets: read once at the start, from the environment and a `.env` file."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
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


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


class Settings(BaseSettings):
    """Every setting by its name in lower case; built from keywords, it looks nowhere else."""

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    _looks_around: ClassVar[bool] = False

    discord_token: SecretStr | None = None
    game_base_url: str | None = None
    game_token: SecretStr | None = None
    game_body_format: Annotated[Literal["json", "form"], BeforeValidator(_lower)] = "json"
    database_url: Annotated[str, AfterValidator(_check_database_url)] = "sqlite:///kiosk.db"
    kiosk_keys: Annotated[
        tuple[SecretStr, ...],
        NoDecode,
        BeforeValidator(_split_keys),
        AfterValidator(_check_keys),
    ] = ()
    lease_seconds: Annotated[float, Field(ge=1, le=60)] = 10.0
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


def load_settings(env_file: Path = Path(".env")) -> Settings:
    """Read the settings; the environment outranks the file. Raises SettingsError."""
    try:
        # The keyword is pydantic-settings' own, which it keeps from type checkers.
        return _EnvironmentSettings(_env_file=env_file)  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        raise SettingsError(
            [_problem(str(fault["loc"][0]), fault["msg"]) for fault in error.errors()]
        ) from None
    except UnicodeDecodeError:
        raise SettingsError([f"{env_file}: this file is not UTF-8 text"]) from None


def _problem(field: str, message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return f"{field.upper()}: {text}"
