"""Where the client goes, and where it does not."""

import pytest

from bot.game.client import check_base_url
from bot.game.errors import BadAddress


@pytest.mark.parametrize(
    ("address", "checked"),
    [
        ("https://game.example/api/v1", "https://game.example/api/v1"),
        ("https://game.example/api/v1/", "https://game.example/api/v1"),
        ("https://game.example", "https://game.example"),
        ("http://127.0.0.1:8089/api", "http://127.0.0.1:8089/api"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://[::1]:8089/api", "http://[::1]:8089/api"),
    ],
)
def test_https_and_this_machine_are_taken(address: str, checked: str) -> None:
    assert check_base_url(address) == checked


@pytest.mark.parametrize(
    "address",
    ["http://game.example", "http://10.0.0.1", "http://localhost.example", "http://0.0.0.0",
     "http://127.0.0.1.example"],
)  # fmt: skip
def test_plain_http_to_another_machine_is_refused(address: str) -> None:
    with pytest.raises(BadAddress, match="must be https"):
        check_base_url(address)


@pytest.mark.parametrize("address", ["http://10.0.0.1/api", "http://[fd00::1]", "http://game:8089"])
def test_plain_http_on_a_private_network_is_taken_where_that_is_wanted(address: str) -> None:
    assert check_base_url(address, plain_http=True) == address


@pytest.mark.parametrize("address", ["http://8.8.8.8/api", "http://[2001:4860:4860::8888]"])
def test_plain_http_to_the_open_internet_is_refused_even_then(address: str) -> None:
    with pytest.raises(BadAddress, match="must be https"):
        check_base_url(address, plain_http=True)


@pytest.mark.parametrize(
    "address",
    ["", "game.example", "ftp://game.example", "https://", "/api", "https://ann:pw@game.example",
     "https://game.example/?a=b", "https://game.example/#a", "https://game.example:port",
     "https://game.example/a b", "https://game.example\n"],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_refused(address: str) -> None:
    with pytest.raises(BadAddress) as caught:
        check_base_url(address)

    assert isinstance(caught.value, ValueError)
