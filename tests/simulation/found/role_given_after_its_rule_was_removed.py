"""A rule was removed while a member was checked, who then got its role and kept it forever."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-30"
PLAN = Plan(
    137,
    (
        ("link", 1044375019),
        ("name_a_thread", 1854319096),
        ("name_a_catalog", 702237437),
        ("set_a_role_rule", 596505586),
        ("days_pass", 1243336569),
        ("remove_what_a_member_wrote", 1642375383),
        ("a_rule_comes_and_goes", 972542528),
        ("hours_pass", 1854223176),
    ),
    takes_up=True,
)
