"""A member's journey in every language, and in one with longer words and wider letters.

Nothing is said in English, and all that Kiosk sends is taken by Discord.
"""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from bot.i18n import speaking, t
from playground.pseudo import PSEUDO
from playground.simulation import speak_language
from tests.support.cards import answer_of, text_of
from tests.support.languages import TRANSLATED, english_shown, locales_of, pseudo_known
from tests.support.world import SUBSCRIBER, World, open_world

# As Discord calls them; German has tests of its own, of each sentence.
LOCALES = {
    language: locales_of(language)[0] for language in (*TRANSLATED, PSEUDO) if language != "de"
}
Said = Callable[..., str]


@pytest.fixture(params=LOCALES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def world(tmp_path: Path, demo: str, language: str) -> AsyncGenerator[World]:
    """Everyone and the commands use `language`, and nothing is ever said in English."""
    with pseudo_known():
        async with open_world(tmp_path, demo=demo, is_first=True) as opened:
            speak_language(opened.env, LOCALES[language])
            yield opened
            assert not english_shown(opened.env, language)


@pytest.fixture
def said(language: str) -> Said:
    """Give a sentence as it is said in the language."""

    def translated(sentence: str, **values: object) -> str:
        with speaking(language):
            return t(sentence, **values)

    return translated


async def test_a_member_reads_writes_and_shops(world: World, said: Said) -> None:
    assert said("Link your account to post and shop") in text_of(await world.slash("help"))
    await world.slash("forum read")
    await world.name_demo_places()
    await world.slash("shop buy", item="1", catalog="1")
    await world.link(world.member, "wrong")
    await world.link(world.member, SUBSCRIBER)
    for label in (said("Export data"), said("Unlink account…"), said("Erase data…")):
        card = answer_of(await world.slash("account show"))
        await world.member.click(card, label=label)
    thread = answer_of(await world.slash("forum read", thread="Park life"))
    await world.member.click(thread, label=said("Next"))
    await world.slash("forum post", thread="Park life")
    written = await world.slash("forum post", thread="Park life", content="Hello")
    assert said("Comment posted") in text_of(written)
    await world.slash("shop browse", catalog="Season", show="clearance")
    item = answer_of(await world.slash("shop item", item="1", catalog="Season"))
    for label in (said("Buy"), said("Buy item")):
        await world.member.click(item, label=label)
    assert said("%(name)s is yours", name="Acorn Cap") in text_of(item)
    await world.slash("shop watch", name="hat")
    await world.slash("account watches")
    await world.slash("shop orders")
    for command, options in (
        ("forum read", {"thread": "nowhere"}),
        ("forum read", {"thread": "1", "page": 90}),
        ("forum delete", {"comment": "first"}),
        ("shop browse", {"catalog": "999"}),
        ("shop redeem", {"item": "Captain's Hat"}),
    ):
        await world.slash(command, **options)


async def test_a_moderator_sets_a_server_up(world: World, said: Said) -> None:
    moderator = world.moderator
    await world.slash("setup thread", moderator, id="404", name="Later")
    await world.slash("setup show", moderator)
    await world.name_demo_places()
    await world.slash("setup thread", moderator, id="9", name="Park life")
    await world.link(moderator, SUBSCRIBER)
    await world.slash("help", moderator)
    for form in (said("Panel"), said("Moderation"), said("Language")):
        card = await world.press_through("setup show", actor=moderator)
        opened = await moderator.click(card, label=form)
        assert opened.modal is not None
        assert form in str(opened.modal["title"])
    for screen in (
        said("Threads"),
        said("Catalogs"),
        said("Permissions"),
        said("Announcements"),
        said("Rules"),
    ):
        await world.press_through("setup show", screen, actor=moderator)
    await world.slash("announce add", moderator, catalog="Season")
    await world.slash("moderate mute", moderator, player="1")
    removed = await world.slash("moderate remove", moderator, comment="118", reason="Spam")
    assert said("This server no longer shows the comment.") in text_of(removed)
    await world.slash("moderate log", moderator)
