"""A member was told of their own comment, whose player the game named only after a look."""

from tests.simulation.walk import Plan

FOUND_ON = "2026-11-30"
PLAN = Plan(
    82,
    (
        ("a_member_writes_in_the_game", 2086417722),
        ("a_player_writes", 715323092),
        ("the_game_names_players_otherwise", 1171061914),
        ("set_a_panel", 690480858),
        ("two_talk", 752764512),
        ("press_something", 1139247213),
        ("order", 494679873),
        ("follow_a_thread", 684460358),
        ("a_change_is_lost", 1968102617),
        ("an_item_is_hidden", 2062289224),
        ("report_a_comment", 1387166369),
        ("press_something", 553418062),
        ("watch_a_catalog", 2021004245),
        ("a_player_writes", 786459658),
        ("write_in_a_thread", 228375463),
        ("answer_somebody", 1502939023),
        ("a_word_comes_back", 1150670743),
        ("the_game_names_players_otherwise", 1131581878),
        ("a_word_comes_back", 189737405),
        ("minutes_pass", 413373531),
    ),
    takes_up=True,
)
