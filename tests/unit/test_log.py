"""What stays wrong is said at once, and then in one line an hour."""

from bot.log import Hourly

HOUR = 3600.0


def test_what_stays_wrong_is_one_line_an_hour_with_how_often_it_came() -> None:
    now = 0.0
    hourly = Hourly(lambda: now)

    assert hourly.note("full disk") == ""
    assert hourly.note("full disk") is None
    assert hourly.note("a thread is gone") == ""
    now += HOUR - 1
    assert hourly.note("full disk") is None
    now += 1
    assert hourly.note("full disk") == " (2 more since the last such line)"
    assert hourly.note("full disk") is None
    now += HOUR
    assert hourly.note("a thread is gone") == ""


def test_the_line_names_whom_it_concerned_most_often() -> None:
    now = 0.0
    hourly = Hourly(lambda: now)
    for number in (1, *range(1, 13), 12):
        hourly.note("gone", f"thread {number}")
    now += HOUR

    named = ", ".join(f"thread {number}" for number in (12, *range(1, 10)))
    assert hourly.note("gone", "thread 1") == (
        f" (13 more since the last such line: {named} and 2 more)"
    )
