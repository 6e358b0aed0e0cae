"""Previous left out comments once new ones had moved what was seen to the page after."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    213,
    (
        ("read_a_thread", 1616116874),
        ("turn_pages", 851703256),
        ("turn_pages", 2063505984),
        ("minutes_pass", 556097958),
    ),
)
