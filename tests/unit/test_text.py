"""Other people's text is shown as text: nothing formats, pings, hides, pretends or is lost."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ui.markdown import (
    MAX_SHOWN_LENGTH,
    and_more,
    deadline,
    escape,
    excerpt,
    fitting,
    one_line,
    paginate,
    unescape,
)
from bot.visible import is_visible, visible

MARKUP = "*_`~|<>@#[]()\\-+.12 \n\t\u200b\u202e\u2066\u00ad\u0301😀aWשhttps://x.example/_y_"
OPENINGS = [
    "# ",
    "### ",
    "-# ",
    "> ",
    ">>> ",
    "- ",
    "+ ",
    "* ",
    "12. ",
    "```",
    "||",
    "[a](b)",
    "<@1>",
]
lines = st.builds(
    "".join,
    st.tuples(st.sampled_from(["", " ", "\t"]), st.sampled_from(OPENINGS), st.text(max_size=20)),
)
links = st.lists(
    st.sampled_from(["https://x.example/y", "steam://a", *OPENINGS, *"<`\\].:*_ y\u00a0\u2003"]),
    max_size=12,
).map("".join)
markup = st.text(alphabet=MARKUP, max_size=200) | st.lists(lines, max_size=6).map("\n".join) | links
texts = markup | st.text(max_size=200)

# What Discord makes of a message, as far as it could be made to look like more than text.
FORMATS = re.compile(r"(?<!\\)(?:\\\\)*[*_~|`<\[]")
LINE_FORMATS = re.compile(r"^[ \t]*(?:#{1,3} |-# |>|[-+] |\d+\. )", re.MULTILINE)
BOLD = re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)")
# What Discord takes for an address, wherever it stands; it formats nothing there.
LINK = re.compile(r"(?:https?|steam)://[^\s<]+[^<.,:;\"'\]\s]")


def bare(text: str) -> str:
    """Return what can be seen of a text, without what is put in between."""
    seen = (line for line in visible(text).split("\n") if is_visible(line))
    return re.sub(r"[\s\\]", "", "\n".join(seen))


@given(text=markup)
def test_nothing_in_a_text_formats_or_pings(text: str) -> None:
    escaped = LINK.sub("link", escape(text))
    assert not FORMATS.search(escaped)
    assert not LINE_FORMATS.search(escaped)


@given(text=st.text(alphabet=MARKUP.replace("\\", ""), max_size=200))
def test_an_escaped_text_reads_as_it_was_written(text: str) -> None:
    if "http" not in text:
        assert unescape(escape(text)) == visible(text).replace("\u00a0", " ")


@given(text=texts, room=st.integers(20, 90))
def test_pages_hold_the_whole_text_and_none_is_too_long(text: str, room: int) -> None:
    pages = paginate(text, room)
    assert all(0 < len(page) <= room for page in pages)
    assert bare("".join(pages)) == bare(text)


@given(text=markup, room=st.integers(20, 90))
def test_a_page_that_starts_within_a_line_formats_nothing_either(text: str, room: int) -> None:
    for page in paginate(text, room):
        assert not LINE_FORMATS.search(page)


@given(text=texts, room=st.integers(12, 90))
def test_a_cut_text_fits_and_says_that_it_was_cut(text: str, room: int) -> None:
    shown = one_line(text, room)

    assert len(shown) <= room
    assert "\n" not in shown
    line = " ".join(visible(text).split())
    assert shown == (escape(line) if is_visible(line) else "") or shown.endswith("…")


@given(text=texts, room=st.integers(12, 90), lines=st.integers(1, 5))
def test_an_excerpt_fits_and_tells_whether_there_is_more(text: str, room: int, lines: int) -> None:
    shown, is_cut = excerpt(text, room, lines=lines)

    assert len(shown) <= room
    assert len(shown.split("\n")) <= lines
    if not is_cut:
        assert bare(shown) == bare(text)


def test_a_text_is_cut_at_a_word() -> None:
    assert one_line("The quick brown fox jumps", 17) == "The quick brown…"


@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u2028", "\ue000", "\x00", "\u3164"],
)
def test_what_can_not_be_seen_is_dropped(hidden: str) -> None:
    assert visible(f"do{hidden}g") == "dog"


@pytest.mark.parametrize(
    "whole", ["👩‍👩‍👧", "🏴\U000e0067\U000e0062\U000e0077\U000e007f", "می‌خواهم", "Tiếng", "שָׁלוֹם"]
)
def test_emoji_families_and_scripts_stay_whole(whole: str) -> None:
    assert visible(whole) == whole


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a" + "\u0301" * 6, "a" + "\u0301" * 6),
        ("a" + "\u0301" * 7, "a" + "\u0301" * 6),
        ("a" + "\u0301" * 7 + "b\u0301", "a" + "\u0301" * 6 + "b\u0301"),
        # Joiners and the tags of flags are kept where they join, and nowhere else.
        ("\u200dש", "ש"),
        ("a\u200dש", "aש"),
        ("ש\u200d\u200dש", "ש\u200dש"),
        ("\U000e0067ש", "ש"),
        ("ש\U000e0067", "ש"),
        ("\U0001f3f4\U000e0067\U000e0062", "\U0001f3f4\U000e0067\U000e0062"),
    ],
)
def test_marks_are_kept_as_far_as_a_script_needs_them(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_accents_do_not_pile_up_and_blank_lines_do_not_push_others_away() -> None:
    assert len(visible("a" + "\u0301" * 500)) < 10
    assert visible("top" + "\n" * 500 + "bottom").count("\n") == 3


@pytest.mark.parametrize(
    "address",
    [
        "https://puddles.example/map_of_all?park=1&depth=welly#deepest",
        "https://puddles.example/@pip_the_frog/*new*",
        "https://puddles.example/wiki/Welly_(boot)",
        "https://pfützen.example/Größe_der_Pfütze",
        "https://puddles.example/a[1]~b|c",
    ],
)
def test_a_link_stays_a_link(address: str) -> None:
    assert escape(f"see {address}, and {address}!") == f"see {address}, and {address}!"


@pytest.mark.parametrize(
    "around",
    ["<{}>", "`{}`", "[{}]", "({}).", "“{}”", "{}<t:0:R>", "{}.<#12>", "{}\\_", "{}: this"],
)
def test_a_link_ends_where_its_writer_ended_it(around: str) -> None:
    address = "https://puddles.example/wiki"

    (link,) = LINK.findall(escape(around.format(address)))

    assert link.rstrip(")”") == address


@pytest.mark.parametrize(
    "text",
    [
        "https://puddles.example<@1>",
        "https://puddles.example\u00a0[pond](https://swamp.example)",
        "https://puddles.example\u2003[pond](https://swamp.example)",
        "https://puddles.example\u3000[pond](https://swamp.example)",
        "https://[ pond](https://swamp.example)",
        "steam://a<@1>",
    ],
)
def test_what_follows_a_link_formats_nothing(text: str) -> None:
    shown = escape(text)
    assert not FORMATS.search(LINK.sub("link", shown))


@pytest.mark.parametrize("name", ["https://a/**q", "https://a/**: b", "a**b", "http://a.b/*__~~"])
def test_a_name_stays_in_bold_as_a_whole(name: str) -> None:
    shown = one_line(name, 60, is_name=True)

    bold = BOLD.match(f"**{shown}**: hello")
    assert bold is not None
    assert bold[1] == shown
    assert not LINK.search(shown)
    assert unescape(shown) == name


@pytest.mark.parametrize("unseen", ["\ufe0f", "\U000e0100\u0301", " \u3164\u180b "])
def test_what_nobody_can_see_is_nothing(unseen: str) -> None:
    assert one_line(unseen, 60) == ""
    assert one_line(unseen, 60, plain=True) == ""
    assert excerpt(unseen, 60, lines=2) == ("", False)
    assert paginate(unseen, 60) == []


@pytest.mark.parametrize("word", ["#", ">", "+#", "-"])
def test_a_long_word_that_looks_like_a_mark_fills_its_pages(word: str) -> None:
    pages = paginate(word * (4000 // len(word)), 1000)
    assert {len(page) for page in pages[:-1]} == {1000}


@pytest.mark.parametrize("letter", ["a", "é", "*", "https://a/", "\n", "\u0301"])
def test_a_text_as_large_as_a_page_shows_its_start(letter: str) -> None:
    book = letter * 100_000

    assert one_line(book, 60) == one_line(book[:400], 60)
    assert excerpt(book, 60, lines=2)[0] == excerpt(book[:400], 60, lines=2)[0]
    assert paginate(book, 900) == paginate(book[:MAX_SHOWN_LENGTH], 900)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":star: subscriber", "\\:star: subscriber"),
        (":+1::wave::skin-tone-2:", "\\:+1:\\:wave:\\:skin-tone-2:"),
        ("a:b:c", "a\\:b:c"),
        (":white_check_mark:", "\\:white\\_check\\_mark:"),
        ("at 12:30, see: this", "at 12:30, see: this"),
        ("https://x.example/:star:", "https://x.example/:star:"),
    ],
)
def test_names_of_emojis_stay_words(text: str, shown: str) -> None:
    assert escape(text) == shown
    assert unescape(shown) == text
    assert paginate(text, 90) == [shown]
    assert one_line(text, 90) == shown


def test_lines_fill_their_room_and_the_others_are_counted() -> None:
    lines = ["abc", "de", "f"]
    assert [len(fitting(lines, room)) for room in (3, 4, 6, 7, 8, 9)] == [0, 1, 1, 2, 2, 3]
    assert fitting(lines, 9, gap=2) == ["abc", "de"]
    assert and_more(lines, 3) == lines
    assert and_more(lines, 4) == [*lines, "and 1 more"]


@pytest.mark.parametrize(("minutes", "style"), [(59, "t"), (60, "f"), (24 * 60 + 1, "f")])
def test_a_deadline_has_its_day_where_that_is_not_todays(minutes: int, style: str) -> None:
    now = datetime(2026, 11, 23, 23, 0, tzinfo=UTC)
    moment = now + timedelta(minutes=minutes)
    assert deadline(moment, now) == f"<t:{int(moment.timestamp())}:{style}>"
