"""Reading what the operator sets, and what the log says."""

import json
import logging
import os
from pathlib import Path

import aiohttp
import discord
import pytest
from pydantic import SecretStr

from bot.errors import NoToken, TokenSource
from bot.features.accounts import bare_token
from bot.i18n import speaking
from bot.log import configure_logging
from bot.settings import Settings, SettingsError, load_settings, what_sets_nothing
from bot.ui.error_cards import log_error
from bot.ui.shared_actions import token_words
from storage.vault import new_key
from tests.support.cards import text_of
from tests.support.rogue_game import open_rogue_game, reply
from tests.support.world import open_world

NAMES = [name.upper() for name in Settings.model_fields]


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def test_the_environment_outranks_the_file(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text("LOG_LEVEL=debug\nGAME_BODY_FORMAT=FORM\n")
    monkeypatch.setenv("LOG_LEVEL", "error")

    settings = load_settings(env_file)
    assert (settings.log_level, settings.game_body_format) == ("ERROR", "form")


def test_blanks_and_quotes_are_not_kept(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_keys_may_be_in_a_file(env_file: Path, tmp_path: Path) -> None:
    keys = [new_key(), new_key()]
    (tmp_path / "keys").write_text("\r\n".join([*keys, ""]), encoding="utf-8-sig")
    env_file.write_text(f"KIOSK_KEYS_FILE={tmp_path / 'keys'}\n")

    assert load_settings(env_file).kiosk_keys == tuple(map(SecretStr, keys))


@pytest.mark.parametrize(
    ("content", "others", "says"),
    [
        (None, "", "KIOSK_KEYS_FILE: can't read {file}: No such file or directory. Choose a file"),
        (b"", "", "KIOSK_KEYS_FILE: {file} is empty. Add this database's keys. For a new"),
        (b" \r\n", "", "KIOSK_KEYS_FILE: {file} is empty"),
        (b"\xff\xfe", "", "KIOSK_KEYS_FILE: {file} isn't text. Add this database's keys"),
        (b"short", "", "KIOSK_KEYS: "),
        (new_key().encode(), new_key(), "KIOSK_KEYS_FILE: KIOSK_KEYS is set too"),
    ],
    ids=["missing", "empty", "blank", "no text", "no key", "both"],
)
def test_what_is_wrong_with_a_file_of_keys_is_named(
    env_file: Path, tmp_path: Path, content: bytes | None, others: str, says: str
) -> None:
    file = tmp_path / "keys"
    if content is not None:
        file.write_bytes(content)
    env_file.write_text(f"KIOSK_KEYS_FILE={file}\nKIOSK_KEYS={others}\n")

    with pytest.raises(SettingsError) as caught:
        load_settings(env_file)

    (problem,) = caught.value.problems
    assert problem.startswith(says.format(file=file))


def test_keywords_alone_ignore_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_LEVEL", "nonsense")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///elsewhere.db")
    assert Settings().database_url == "sqlite:///kiosk.db"


def test_each_fault_is_one_line_that_names_the_setting_and_its_mend(env_file: Path) -> None:
    wrong = {
        "DISCORD_TOKEN": ("Bot abc", "it has characters that tokens never have. Copy"),
        "GAME_TOKEN": ("two words", "it has characters that tokens never have. Copy"),
        "POLL_INTERVAL": ("5m", "should be a number, for example 2.5"),
        "GAME_PLAIN_HTTP": ("perhaps", "should be true or false"),
        "GAME_BODY_FORMAT": ("yaml", "should be 'json' or 'form'"),
        "DATABASE_URL": ("mysql://x", "the address must be like sqlite:///kiosk.db or postgresql"),
        "KIOSK_KEYS": ("abc", "a key isn't 32 bytes in base64"),
        "TOKEN_HELP": ("x" * 501, "should have at most 500 characters"),
        "NUMBER_HELP": ("x" * 501, "should have at most 500 characters"),
        "TOKEN_URL": ("javascript:alert(1)", "enter a full address, for example https://"),
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

    # What deploy/ sets is not to be outranked by a copy.
    assert sorted([*given, "BACKUP_DIR", "TOKEN_HELP_IN", "NUMBER_HELP_IN"]) == sorted(NAMES)
    for name in ("BACKUP_DIR", "TOKEN_HELP_DE", "NUMBER_HELP_DE"):
        assert any(line.startswith(f"#{name}=") for line in lines)
    defaults = {
        name.upper(): str(field.default)
        for name, field in Settings.model_fields.items()
        if field.default
    }
    assert {name: value for name, value in given.items() if value} == defaults


@pytest.mark.parametrize(
    "pasted",
    [
        "a-b=c",
        "  a-b=c\n",
        "Bearer a-b=c",
        "bearer  a-b=c",
        "Authorization: Bearer a-b=c",
        '"a-b=c"',
        "'Bearer a-b=c'",
        'Bearer "a-b=c"',
        "`a-b=c`",
        "„a-b=c“",
        "\ufeffa-b=c\u200b",
        "a\u00a0-\u00adb\u2060=\u200bc\u3164",
        "\u00a0 a-b=c \u202f",
        "Bearer\u00a0a-b=c",
        "Bearer\u200ba-\nb=c",
        "a-b\n=c\r\n",
        "a-b \r\n =c",
        "Authorization: Bearer a-b=c\nAccept: application/json",
        "Host: game.example\r\nauthorization:bearer a-b=c\r\nAccept: */*\r\n",
        "Authorization: Bearer a-b=c Accept: */*",
        '-H "Authorization: Bearer a-b=c"',
        "curl https://game.example/api -H 'Authorization: Bearer a-b=c' \\",
        "--header 'Authorization: Bearer a-b=c' --header 'Accept: application/json'",
        '"Authorization": "Bearer a-b=c"',
        '"Authorization": "Bearer a-b=c",\n"Accept": "application/json"',
        "{'Authorization': 'Bearer a-b=c'}",
        "Authorization=Bearer a-b=c",
        "Bearer: a-b=c",
        "Authorization: a-b=c",
        '{"token": "a-b=c"}',
        '{"access_token":"a-b=c","token_type":"bearer"}',
        '{"token_type": "Bearer", "access_token": "a-b=c", "refresh_token": "d"}',
        '{"data": {"accessToken": "Bearer a-b=c"}}',
        "access_token=a-b=c",
        "<a-b=c>",
        "a-b=c,",
    ],
)
def test_what_comes_along_when_a_token_is_copied_is_dropped(pasted: str) -> None:
    assert bare_token(pasted) == "a-b=c"


def test_a_token_that_starts_like_the_scheme_stays_whole() -> None:
    assert bare_token("bearer-of-news") == "bearer-of-news"
    assert bare_token("12|token.of:mine") == "12|token.of:mine"


@pytest.mark.parametrize(
    "typed", ["", " ", "\u200b", "Bearer", "Authorization: Bearer", "no token", "snö☃", '""']
)
def test_what_no_header_can_carry_is_no_token(typed: str) -> None:
    with pytest.raises(NoToken):
        bare_token(typed)


@pytest.fixture(autouse=True)
def own_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the handlers of the tests as they were."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)


def test_that_no_events_and_no_voices_are_wanted_is_no_warning_and_others_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord.VoiceClient, "warn_nacl", True)
    monkeypatch.setattr(discord.VoiceClient, "warn_dave", True)
    configure_logging("json", "INFO")

    discord.Client(intents=discord.Intents.none())
    logging.getLogger("discord.state").warning("something else")

    (told,) = capsys.readouterr().err.splitlines()
    assert "something else" in told


def test_a_network_that_fails_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("console", "INFO")
    log = logging.getLogger("discord.shard")

    log.error("Retrying...", exc_info=aiohttp.ClientConnectionError("cut\noff"))
    (line,) = capsys.readouterr().err.splitlines()
    assert "Retrying... cut off" in line
    log.error("Retrying...", exc_info=ZeroDivisionError())
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_path_that_is_not_utf_8_is_not_lost(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json", "INFO")

    logging.getLogger("bot").critical("Kiosk can't run: %s", os.fsdecode(b"/M\xfcll/kiosk.db"))

    (line,) = capsys.readouterr().err.splitlines()
    assert "Kiosk can't run: /M\\udcfcll/kiosk.db" in line


def test_no_page_in_front_of_discord_and_no_password_is_in_the_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("json", "INFO")
    log = logging.getLogger("bot")

    said = "429 Too Many Requests (error code: 0)"
    page = "<!DOCTYPE html>\n<p>1015</p>\n</html>"
    proxy = "400, message='Bad status line', url='http://me:{}@proxy.example:3128'"
    log.warning("asked again: %s, %s", f"{said}: {page}", proxy.format("hid:d%40en"))
    log.error("failed", exc_info=ValueError(f"{said}: {page}\n{proxy.format('hidden')}"))

    warned, failed = map(json.loads, capsys.readouterr().err.splitlines())
    assert warned["event"] == f"asked again: {said}, {proxy.format('•••')}"
    assert failed["exception"] == f"ValueError: {said}\n{proxy.format('•••')}"


@pytest.mark.parametrize("log_format", ["json", "console"])
async def test_a_reference_that_a_member_is_shown_is_in_the_log_at_every_level(
    log_format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply({"message": "Oh."}, status=500), reply({"message": "Oh."}))
        down = await world.slash("forum read", thread="77")
        assert "Reference" not in text_of(down)
        configure_logging("json" if log_format == "json" else "console", "ERROR")
        card = await world.slash("forum read", thread="77")
        reference = text_of(card).rpartition("Reference: ")[2].strip(" *_-#`\n")
        server, member = world.guild.id, world.member.id

    (line,) = capsys.readouterr().err.splitlines()
    told = {
        "reference": reference,
        "command": "forum read",
        "method": "GET",
        "path": "/api/threads/77/comments?sort=latest&page=1",
        "status": 200,
        "server": server,
        "member": member,
    }
    assert "place" in line
    if log_format == "json":
        assert told.items() <= json.loads(line).items()
    else:
        line = line.replace("'", "")
        assert all(f"{name}={value}" in line for name, value in told.items())


def test_an_error_of_kiosks_own_has_its_reference_its_place_and_its_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("json", "ERROR")
    with pytest.raises(ZeroDivisionError) as failed:
        _ = 1 / 0

    reference = log_error(failed.value)

    told = json.loads(capsys.readouterr().err)
    assert told["reference"] == reference
    assert told["place"].startswith(f"{__name__}:")
    assert "1 / 0\n" in told["exception"]


async def test_each_request_to_the_game_is_told_to_whoever_debugs_and_no_ordinary_mistake_to_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply({"message": "Not found."}, status=404))
        configure_logging("json", "DEBUG")
        await world.slash("forum read", thread="77")

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (asked,) = [line for line in lines if line["event"] == "Asked the game"]
    assert (asked["method"], asked["status"]) == ("GET", 404)
    assert asked["path"] == "/api/threads/77/comments?sort=latest&page=1"
    assert asked["milliseconds"] >= 0
    (mistake,) = [line for line in lines if line.get("reference")]
    assert (mistake["level"], "exception" in mistake) == ("info", False)


def test_the_way_to_a_token_is_said_in_several_languages(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env_file.write_text("TOKEN_HELP=In the settings\nTOKEN_HELP_DE=In den Einstellungen\n")
    settings = load_settings(env_file)
    source = TokenSource(settings.token_help, "", settings.token_help_in)
    for locale, said in (("en-US", "In the settings"), ("de", "In den Einstellungen")):
        with speaking(locale):
            assert token_words(source) == said
    monkeypatch.setenv("TOKEN_HELP_DE", "w" * 501)
    with pytest.raises(SettingsError, match="TOKEN_HELP_DE: "):
        load_settings(env_file)
    monkeypatch.setenv("TOKEN_HELP_XX", "Somewhere")
    (told,) = (text for name, text, _ in what_sets_nothing() if name == "TOKEN_HELP_XX")
    assert "Kiosk speaks de" in told
