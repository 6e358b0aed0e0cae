"""Previous left out a comment once one had come, and another had gone, between two looks."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-29"
PLAN = Plan(
    378,
    (
        ("link", 450672583),
        ("name_a_thread", 1506306630),
        ("announce_a_catalog", 617023706),
        ("change_what_is_announced", 1824004328),
        ("use_a_command", 814722292),
        ("read_a_thread", 779928377),
        ("a_player_writes_what_is_watched", 1897413574),
        ("set_the_log_channel", 119329152),
        ("change_what_one_wrote", 1065729023),
        ("turn_pages", 85601799),
        ("minutes_pass", 1137933934),
    ),
)
