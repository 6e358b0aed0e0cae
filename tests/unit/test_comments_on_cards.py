"""Names and pictures on cards."""

import pytest

from bot.game.models import Player
from bot.ui import theme
from bot.ui.comments import name_of
from bot.ui.drawing import Card, page_button, thumbnail


@pytest.mark.parametrize("mark", ["⭐", "⭑", "🌠", "✪", "☑\ufe0f", "🗹", ":star:"])
def test_no_name_shows_what_only_the_game_gives(mark: str) -> None:
    name = name_of(Player(screen_name=f"Juniper {mark}"))
    assert name in ("Juniper", "Juniper \\:star:")


def test_a_name_that_nobody_can_see_is_said_to_be_none() -> None:
    assert name_of(Player(screen_name="⭐\ufe0f\u0301")) == "Nameless"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8089/assets/items/hat.png",
        "http://localhost/hat.png",
        "https://game.localhost/hat.png",
        "http://[::1]:8089/hat.png",
        "http://0.0.0.0/hat.png",
        "http://10.1.2.3/hat.png",
        "http://192.168.0.9/hat.png",
        "http://game:8089/hat.png",
        # Which a translating network leads to 127.0.0.1 and 10.1.2.3.
        "https://[64:ff9b::7f00:1]/hat.png",
        "https://[64:ff9b::a01:203]/hat.png",
        # Which stand for no name.
        "https://xn--/hat.png",
        "https://www.xn--/hat.png",
        # Whose names Discord doesn't take.
        "https://my_assets.example/hat.png",
        "https://assets..example/hat.png",
        "https://.example/hat.png",
        "https://assets.example./hat.png",
        "https://-assets.example/hat.png",
        "https://assets-.example/hat.png",
        f"https://{'a' * 64}.example/hat.png",
        f"https://{'a.' * 130}example/hat.png",
        "https://assets.7/hat.png",
        "https://127.1/hat.png",
        None,
    ],
)
def test_a_picture_that_discord_can_not_fetch_is_left_out(url: str | None) -> None:
    assert thumbnail(url, "Hat") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://game.example/hat.png",
        "http://8.8.8.8:81/hat.png",
        "https://[64:ff9b::808:808]/hat.png",
        "https://pfützen.example/hat.png",
    ],
)
def test_any_other_is_shown(url: str) -> None:
    picture = thumbnail(url, "Hat")
    assert picture is not None
    assert picture["media"] == {"url": url}


def test_pictures_count_among_the_forty_parts_that_discord_takes() -> None:
    card, picture = Card(theme.CALM), thumbnail("https://game.example/hat.png", "hat")
    for number in range(13):
        card.say(f"Hat {number}", picture)
    assert card.to_components()

    card.say("One more hat", picture)

    with pytest.raises(ValueError, match="larger"):
        card.to_components()
    with pytest.raises(ValueError, match="in a row"):
        card.buttons(*[page_button("https://game.example/hat", "Hat")] * 6)
