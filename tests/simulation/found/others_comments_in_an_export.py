"""A moderator's export held the comments of others that they had shown or dismissed."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    23,
    (
        ("watch_for_words", 474553899),
        ("link", 329015826),
        ("two_talk", 2093306372),
        ("decide_in_the_queue", 219355493),
        ("members_export", 0),
    ),
)
