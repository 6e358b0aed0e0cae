"""What happens to one thing: steps that take up again what was drawn last, with rests between."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from tests.simulation.game import Comment
from tests.simulation.town import Person, Town

# Steps by what they are about.
STORIES = {
    "channel": (
        "follow_a_thread",
        "change_what_is_announced",
        "change_what_is_announced",
        "a_followed_comment_changes",
        "a_followed_comment_changes",
        "a_player_writes",
        "a_player_edits",
        "a_player_deletes",
        "players_write_much",
        "remove_a_comment",
        "kiosk_is_restarted",
    ),
    "comment": (
        "report_a_comment",
        "report_a_comment",
        "remove_a_comment",
        "undo_what_was_decided",
        "undo_what_was_decided",
        "mute_a_player",
        "decide_in_the_queue",
        "decide_in_the_log",
        "a_player_writes",
        "a_player_edits",
        "a_player_deletes",
        "read_a_thread",
        "two_talk",
    ),
    "item": (
        "announce_a_catalog",
        "watch_an_item",
        "change_a_price",
        "change_a_price",
        "change_a_price",
        "a_watched_price_falls",
        "change_a_mark",
        "take_an_item_away",
        "bring_an_item_back",
        "an_item_is_hidden",
        "order",
    ),
    "member": (
        "link",
        "unlink",
        "set_a_role_rule",
        "order",
        "a_role_is_given_or_taken_by_hand",
        "a_member_leaves_or_comes_back",
        "hear_of_all_replies",
        "write_in_a_thread",
        "a_text_is_lost",
        "look_at_unsent",
        "direct_messages_are_closed",
    ),
}
_RESTS = ("minutes_pass", "minutes_pass", "minutes_pass", "hours_pass", "days_pass")
_STEPS = 7
_RESTED = 0.5
_AGAIN = 0.6


def draw_story(draw: Random) -> Iterator[str]:
    """Yield the names of a story's steps."""
    names = STORIES[draw.choice(sorted(STORIES))]
    for _ in range(_STEPS):
        yield draw.choice(names)
        if draw.random() < _RESTED:
            yield draw.choice(_RESTS)


def drawn_again(
    town: Town,
    draw: Random,
    what: str,
    number: int,
    is_there: Callable[[int], bool] = lambda _: True,
) -> int:
    """Return the number that was drawn last, most of the time, if it is there, or a new one."""
    last = town.drawn.get(what)
    if town.takes_up and last is not None and is_there(last) and draw.random() < _AGAIN:
        return last
    town.drawn[what] = number
    return number


def comment_again(town: Town, draw: Random, number: int) -> Comment:
    """Return the comment that was drawn last, or a new one."""
    deleted = town.game.deleted
    number = drawn_again(town, draw, "comment", number, lambda each: each not in deleted)
    return town.game.comment(number)


def member_again(town: Town, draw: Random, people: Sequence[Person]) -> Person:
    """Return the member who was drawn last, or someone else of these."""
    by_id = {who.id: who for who in people}
    number = draw.choice([*by_id])
    return by_id[drawn_again(town, draw, "member", number, by_id.__contains__)]


def guild_again(town: Town, draw: Random, ids: Sequence[int]) -> int:
    """Return the server that was drawn last, or another one of these."""
    return drawn_again(town, draw, "guild", draw.choice(ids), ids.__contains__)
