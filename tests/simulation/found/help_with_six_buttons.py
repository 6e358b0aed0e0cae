"""/help failed for a manager where something waited and nothing was named: six buttons in a row."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    24,
    (
        ("watch_for_words", 861689852),
        ("link", 1225542853),
        ("link", 1085314375),
        ("write_in_a_thread", 559547024),
        ("press_something", 617052573),
    ),
)
