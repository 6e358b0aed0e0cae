"""What Discord says of a server's AutoMod, and its patterns in Rust's flavour."""

from typing import Any

import pytest

from bot.features.moderation.automod import as_re2, is_usable, read_automod
from bot.features.moderation.matching import compiled
from storage.vetting import TextRule


def raw(name: str, about: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "enabled": True,
        "event_type": 1,
        "trigger_type": 1,
        "trigger_metadata": about,
        "actions": [{"type": 1}],
        "exempt_roles": [],
        "exempt_channels": [],
        **more,
    }


def test_a_rule_is_read_with_all_that_it_says() -> None:
    about = {"keyword_filter": ["a*"], "regex_patterns": ["b+"], "allow_list": ["ab"]}

    read = read_automod([raw("One", about, exempt_roles=["5"], exempt_channels=["6", "7"])])

    assert list(read.rules) == [
        TextRule("One", ("a*",), ("b+",), ("ab",), frozenset({6, 7}), frozenset({5}))
    ]


def test_what_says_nothing_about_texts_is_left_out_and_what_cannot_be_run_is_named() -> None:
    read = read_automod(
        [
            raw("Off", {"keyword_filter": ["a"]}, enabled=False),
            raw("Spam", {}, trigger_type=3),
            raw("Mentions", {"mention_total_limit": 5}, trigger_type=5),
            raw("Profiles", {"keyword_filter": ["a"]}, event_type=2, trigger_type=6),
            raw("Sets", {"presets": [1, 3, 9]}, trigger_type=4),
            raw("Patterns", {"regex_patterns": ["ok", r"(?=x)", r"[\w&&[^a]"]}),
            raw("Quiet", {"keyword_filter": ["a"]}, actions=[{"type": 2}]),
            raw("Bare", {}, trigger_metadata=None),
        ]
    )

    assert [rule.name for rule in read.rules] == ["Patterns", "Quiet", "Bare"]
    assert read.rules[0].patterns == ("ok",)
    assert [rule.only_alerts for rule in read.rules] == [False, True, False]
    assert read.unusable == ("(?=x)", r"[\w&&[^a]")
    assert read.word_sets == (1, 3, 9)


@pytest.mark.parametrize(
    ("pattern", "found", "passed"),
    [
        (r"^\d+$", "٣٤", "a"),
        (r"^\w+$", "größe", "a b"),
        (r"^[\w-]+$", "äh-ö", "a b"),
        (r"^\W$", "!", "ä"),
        (r"a\sb", "a\u00a0b", "a-b"),
        (r"\u{1F600}", "😀", "x"),
        (r"[\u0041]", "A", "B"),
        (r"\\d", r"\d", "1"),
        (r"(?i)bad", "BAD", "good"),
        (r"(?<year>\d{4})", "2026", "26"),
        (r"\p{Cyrillic}", "ж", "x"),
    ],
)
def test_a_pattern_means_what_it_does_in_rust(pattern: str, found: str, passed: str) -> None:
    ready = compiled(as_re2(pattern))

    assert ready.search(found)
    assert not ready.search(passed)


@pytest.mark.parametrize(
    "pattern", [r"(?=a)", r"(a)\1", r"a{5000}", "(", r"\b{start}a", r"\<a", "[a--b]"]
)
def test_a_pattern_that_cannot_be_run_is_known(pattern: str) -> None:
    assert not is_usable(pattern)
