"""What is odd about the lines of a file of settings."""

from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.env_file import find_differences, find_unreadable, read_values, write_value

# As Compose 2 reads it, and systemd 252, whose own reader was asked.
ALIKE = [
    *("", "abc", " abc ", "two words", "it's", 'a"b', "a;b", "12|ab/+=", "''", "'a'", '"a"'),
    *("'a#b'", "'a #b'", '"a #b"', "'a$b'", r"'a\b'", "'a\"b'", '"it\'s"', "'two\nlines'"),
]
DIFFERENT = [
    *("a#b", "a #b", "#a", " # b", "a$b", "a${b}c", "'a${b}c'", '"a$b"', r"a\b", r'"a\b"'),
    *(r"'a\\b'", r"'it\'s'", "'a' # b"),
]


@pytest.mark.parametrize("value", ALIKE)
def test_a_value_that_all_read_alike_is_not_told(tmp_path: Path, value: str) -> None:
    file = tmp_path / ".env"
    file.write_text(f"DISCORD_TOKEN={value}\n")

    assert not list(find_differences(file))


@pytest.mark.parametrize("value", DIFFERENT)
def test_a_value_that_somebody_reads_differently_is_told_with_its_line(
    tmp_path: Path, value: str
) -> None:
    file = tmp_path / ".env"
    file.write_text(f"LOG_LEVEL=INFO\n\n# What is next.\n\nDISCORD_TOKEN={value}\n")

    ((place, text),) = find_differences(file)

    assert place == f"{file}:5"
    mend = "Leave out ${, " if value.startswith("'") else "Write NAME='…', and nothing"
    told = "DISCORD_TOKEN: Docker Compose or systemd reads this line differently. "
    assert text.startswith(f"{told}{mend}")


def test_a_line_for_a_shell_is_told(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("export LOG_LEVEL=INFO\n")

    ((_, text),) = find_differences(file)

    assert text.endswith("Write NAME='…', and nothing before or after it")


@pytest.mark.parametrize("value", ["abc", "a#b", "a$b", "it's #1", r"a\b", "a b"])
def test_a_value_that_is_written_is_read_alike(tmp_path: Path, value: str) -> None:
    file = tmp_path / ".env"
    file.write_text(f"GAME_TOKEN={write_value(value)}\n")

    assert dotenv_values(file) == {"GAME_TOKEN": value}
    assert not list(find_differences(file))


def test_the_example_is_read_alike() -> None:
    assert not list(find_differences(Path(__file__).parents[2] / ".env.example"))


@pytest.mark.parametrize(
    "line",
    ["DISCORD_TOKEN", "DISCORD_TOKEN abc", "DISCORD_TOKEN: abc", "'a'b=c", "A='b", 'A="b" c', "=b"],
)
def test_a_line_that_sets_nothing_is_named_by_its_number_and_not_by_what_is_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str
) -> None:
    file = tmp_path / ".env"
    file.write_text(f"LOG_LEVEL=INFO\n\n{line}\n# The last one.\nLOG_FORMAT=json\n")

    ((place, text, is_mistake),) = find_unreadable(file)

    assert (place, is_mistake) == (f"{file}:3", True)
    assert text == "Kiosk can't read this line, so it sets nothing. Write NAME='…'"
    values, _ = read_values(file)
    assert {name for name, value in values.items() if value} == {"LOG_LEVEL", "LOG_FORMAT"}
    assert not caplog.messages
