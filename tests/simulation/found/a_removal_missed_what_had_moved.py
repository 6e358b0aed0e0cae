"""What an announcement that moved left in a channel was forgotten, and no removal took it."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    36,
    (
        ("follow_a_thread", 244880280),
        ("name_a_catalog", 1797871805),
        ("come_back_to_a_thread", 485593441),
        ("minutes_pass", 1159448588),
        ("change_what_is_announced", 608746705),
        ("a_role_may_be_given_again", 1384130504),
        ("a_rule_mutes", 1704143521),
        ("hours_pass", 1950016210),
    ),
)
