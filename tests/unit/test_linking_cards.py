"""Where members are told to get their access token."""

import pytest

from bot.errors import LinkExpired, NotLinked, TokenRefused, TokenSource
from bot.ui.actions import ActionForm
from bot.ui.cards import Card, parts_of
from bot.ui.error_cards import error_card
from cogs.account import link_card, link_form, retry_buttons

SAID = TokenSource("Open the game, then Settings.", "https://game.example/token")


def shown_on(card: Card | ActionForm) -> str:
    components = card.to_components()
    return "\n".join(
        str(part[name])
        for part in parts_of(components)
        for name in ("content", "url")
        if name in part
    )


@pytest.mark.parametrize("error", [NotLinked, LinkExpired])
def test_every_card_that_asks_for_a_token_says_where_it_comes_from(
    error: type[NotLinked | LinkExpired],
) -> None:
    for card in (
        error_card(error(source=SAID), "ABC"),
        error_card(TokenRefused(source=SAID), "ABC", buttons=retry_buttons(SAID, "")),
        link_card(None, SAID),
        link_form(SAID),
    ):
        assert SAID.text in shown_on(card)
        assert SAID.url in shown_on(card)


def test_where_the_operator_says_nothing_members_are_told_whom_to_ask() -> None:
    for card in (
        error_card(NotLinked(source=TokenSource()), "ABC"),
        link_card(None, TokenSource()),
        link_form(TokenSource()),
    ):
        assert "Ask this server's moderators" in shown_on(card)
