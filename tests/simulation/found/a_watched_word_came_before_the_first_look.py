"""Who watches words wasn't told of what came while the game refused the first look."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    103,
    (
        ("link", 710118326),
        ("a_text_is_lost", 1160247440),
        ("something_goes_wrong_in_the_game", 1296737231),
        ("a_member_writes_in_the_game", 2087787745),
        ("a_muted_player_stands_in_chat", 563232457),
        ("the_game_recovers", 783478315),
        ("minutes_pass", 692449115),
        ("a_look_passes", 1727746157),
        ("a_look_passes", 792402283),
        ("a_look_passes", 1720006204),
        ("a_look_passes", 681557326),
        ("hours_pass", 2048675879),
    ),
    takes_up=True,
)
