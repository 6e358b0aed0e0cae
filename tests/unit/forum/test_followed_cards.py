"""What following threads looks like in Discord."""

import pytest

from bot.features.names import Place
from cogs.forum.following import burst_card, burst_title
from storage.names import PlaceKind
from tests.support.discord_limits import card_faults


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (None, "6 new comments in Thread 3"),
        ("Hats *and* _pins_", "6 new comments in Hats *and* _pins_"),
        ("*" * 100, f"6 new comments in {'*' * 81}…"),
    ],
)
def test_a_post_about_many_comments_is_called_as_its_thread_is(
    name: str | None, title: str
) -> None:
    place = Place(PlaceKind.THREAD, 3, name)

    assert burst_title(place, 6) == title
    assert card_faults(burst_card(place, 6).to_components()) == []
