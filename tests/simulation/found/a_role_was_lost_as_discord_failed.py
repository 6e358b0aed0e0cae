"""A member who linked again while Discord failed never got a lost role back."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    1074,
    (
        ("announce_a_catalog", 1669792890),
        ("a_link_comes_back", 1091357986),
        ("discord_fails", 13036118),
        ("all_replies_are_heard", 1281099087),
        ("a_look_passes", 1249857016),
        ("days_pass", 1289581422),
    ),
)
