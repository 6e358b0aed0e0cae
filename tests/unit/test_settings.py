"""Reading what the operator sets."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.settings import Settings, SettingsError, load_settings
from storage.vault import new_key

NAMES = [name.upper() for name in Settings.model_fields]


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def test_nothing_set_gives_the_defaults(env_file: Path) -> None:
    settings = load_settings(env_file)

    assert settings.database_url == "sqlite:///kiosk.db"
    assert settings.game_base_url is None
    assert settings.game_body_format == "json"
    assert settings.kiosk_keys == ()


def test_the_environment_outranks_the_file(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text("LOG_LEVEL=debug\nGAME_BODY_FORMAT=FORM\n")
    monkeypatch.setenv("LOG_LEVEL", "error")

    settings = load_settings(env_file)
    assert (settings.log_level, settings.game_body_format) == ("ERROR", "form")


def test_an_empty_line_is_as_good_as_none(env_file: Path) -> None:
    env_file.write_text("GAME_BASE_URL=\nKIOSK_KEYS=\nDISCORD_TOKEN=\n")

    settings = load_settings(env_file)
    assert (settings.game_base_url, settings.discord_token) == (None, None)


def test_blanks_quotes_and_the_line_ends_of_windows_are_not_of_a_value(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env_file.write_bytes(b'DATABASE_URL="sqlite:///kiosk.db "\r\nLOG_LEVEL=error\r\n')
    monkeypatch.setenv("GAME_BASE_URL", "https://game.example\r")
    monkeypatch.setenv("LOG_LEVEL", " \r")
    # Docker keeps the quotes of its --env-file.
    monkeypatch.setenv("DISCORD_TOKEN", '"a-token"')
    monkeypatch.setenv("TOKEN_HELP", '"Settings", then "Token"')

    settings = load_settings(env_file)
    assert settings.database_url == "sqlite:///kiosk.db"
    assert settings.game_base_url == "https://game.example"
    assert settings.log_level == "ERROR"
    assert settings.discord_token == SecretStr("a-token")
    assert settings.token_help == '"Settings", then "Token"'


def test_keys_are_separated_by_commas(env_file: Path) -> None:
    first, second = new_key(), new_key()
    env_file.write_text(f"KIOSK_KEYS={first}, {second}\n")

    keys = load_settings(env_file).kiosk_keys
    assert [key.get_secret_value() for key in keys] == [first, second]


def test_keywords_alone_are_enough_and_the_environment_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "nonsense")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///elsewhere.db")

    assert Settings().database_url == "sqlite:///kiosk.db"


def test_each_fault_is_one_line_that_names_the_setting_and_its_mend(env_file: Path) -> None:
    wrong = {
        "DISCORD_TOKEN": ("Bot abc", "it has characters that no token has: copy it again"),
        "GAME_TOKEN": ("two words", "it has characters that no token has: copy it again"),
        "POLL_INTERVAL": ("5m", "should be a number, such as 2.5"),
        "GAME_PLAIN_HTTP": ("perhaps", "should be true or false"),
        "EMOJIS": ("some", "should be true or false"),
        "DIRECT_CHANNEL_INTERVAL": ("-1", "should be greater than or equal to 0"),
        "GAME_BODY_FORMAT": ("yaml", "should be 'json' or 'form'"),
        "DATABASE_URL": ("mysql://x", "the address is neither sqlite:///kiosk.db nor postgresql"),
        "KIOSK_KEYS": ("abc", "a key is not 32 bytes in base64"),
        "SHARD_COUNT": ("many", "should be a whole number"),
        "SHARD_IDS": ("all", "write the shards like 0-7, or 0,2,5"),
        "TOKEN_HELP": ("x" * 501, "should have at most 500 characters"),
        "TOKEN_URL": ("javascript:alert(1)", "write a whole address, such as https://"),
        "LEASE_SECONDS": ("0", "should be greater than or equal to 1"),
        "MONITORING_PORT": ("70000", "should be less than or equal to 65535"),
        "LOG_FORMAT": ("xml", "should be 'console' or 'json'"),
        "LOG_LEVEL": ("LOUD", "should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
    }
    env_file.write_text("".join(f"{name}={value}\n" for name, (value, _) in wrong.items()))

    with pytest.raises(SettingsError) as faults:
        load_settings(env_file)
    told = dict(line.split(": ", 1) for line in faults.value.problems)
    assert told.keys() == wrong.keys()
    assert [name for name, (_, mend) in wrong.items() if not told[name].startswith(mend)] == []


def test_a_malformed_key_is_not_repeated(env_file: Path) -> None:
    env_file.write_text("KIOSK_KEYS=bm90LWEta2V5\n")

    with pytest.raises(SettingsError) as faults:
        load_settings(env_file)
    assert "bm90LWEta2V5" not in str(faults.value)


def test_a_file_that_is_no_text_is_named(env_file: Path) -> None:
    env_file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SettingsError, match="UTF-8"):
        load_settings(env_file)


@pytest.mark.parametrize("seconds", ["0", "0.5", "-300", "nan", "inf", "soon"])
def test_catalogs_are_looked_at_once_a_second_at_most(env_file: Path, seconds: str) -> None:
    env_file.write_text(f"POLL_INTERVAL={seconds}\n")

    with pytest.raises(SettingsError, match="POLL_INTERVAL"):
        load_settings(env_file)


def test_no_secret_is_in_a_repr() -> None:
    key = new_key()
    settings = Settings.model_validate(
        {"discord_token": "discord-secret", "game_token": "game-secret", "kiosk_keys": key}
    )

    for secret in ("discord-secret", "game-secret", key):
        assert secret not in repr(settings)


def test_the_example_names_every_setting_with_its_default() -> None:
    lines = (Path(__file__).parents[2] / ".env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))

    assert sorted(given) == sorted(NAMES)
    defaults = {
        name.upper(): str(field.default)
        for name, field in Settings.model_fields.items()
        if field.default
    }
    assert {name: value for name, value in given.items() if value} == defaults


def test_shards_are_given_as_ranges_and_single_ones(env_file: Path) -> None:
    env_file.write_text("SHARD_COUNT=16\nSHARD_IDS=0-2, 7,9-9\n")

    assert load_settings(env_file).shard_ids == (0, 1, 2, 7, 9)


def test_the_command_line_outranks_both(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text("SHARD_COUNT=16\n")
    monkeypatch.setenv("SHARD_IDS", "0-7")

    assert load_settings(env_file, shards="8").shard_ids == (8,)
    settings = load_settings(env_file, shards="3/4")
    assert (settings.shard_ids, settings.shard_count) == ((3,), 4)


@pytest.mark.parametrize(
    ("lines", "mend"),
    [
        ("SHARD_IDS=all\nSHARD_COUNT=2", "SHARD_IDS: write the shards like 0-7, or 0,2,5"),
        ("SHARD_IDS=7-0\nSHARD_COUNT=8", "SHARD_IDS: write the shards like 0-7, or 0,2,5"),
        ("SHARD_IDS=0-9999999999\nSHARD_COUNT=8", "SHARD_IDS: write the shards like 0-7, or 0,2,5"),
        ("SHARD_IDS=0-7", "SHARD_IDS: SHARD_COUNT is missing: of how many shards are these?"),
        ("SHARD_IDS=0-8\nSHARD_COUNT=8", "SHARD_IDS: of 8 shards, the last one is 7"),
        ("SHARD_IDS=0,0-1\nSHARD_COUNT=8", "SHARD_IDS: a shard is named twice"),
        ("SHARD_COUNT=0", "SHARD_COUNT: should be greater than or equal to 1"),
        ("LEASE_SECONDS=0.1", "LEASE_SECONDS: should be greater than or equal to 1"),
    ],
)
def test_shards_that_can_not_be_are_told_with_their_mend(
    env_file: Path, lines: str, mend: str
) -> None:
    env_file.write_text(lines)

    with pytest.raises(SettingsError) as faults:
        load_settings(env_file)
    assert faults.value.problems == [mend]
