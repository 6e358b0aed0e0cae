"""Pictures that Discord could not fetch are left out."""

import pytest

from bot.ui.pictures import visible_picture


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
        None,
    ],
)
def test_a_picture_on_this_machine_or_a_private_network_is_left_out(url: str | None) -> None:
    assert visible_picture(url) is None


@pytest.mark.parametrize("url", ["https://game.example/hat.png", "http://8.8.8.8:81/hat.png"])
def test_any_other_is_shown(url: str) -> None:
    assert visible_picture(url) == url
