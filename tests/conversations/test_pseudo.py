"""A language with longer words and wider letters: all that Kiosk sends is taken by Discord."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from playground.pseudo import PSEUDO, Pseudo, english
from playground.simulation import speak_language
from tests.support.cards import answer_of, text_of
from tests.support.languages import english_shown, pseudo_known
from tests.support.world import SUBSCRIBER, World, open_world

said = Pseudo().gettext


@pytest.fixture
async def world(tmp_path: Path, demo: str) -> AsyncGenerator[World]:
    """Everybody speaks it, the commands are given in it, and nothing is ever said in English."""
    with pseudo_known():
        async with open_world(tmp_path, demo=demo, is_first=True) as opened:
            speak_language(opened.env, PSEUDO.replace("_", "-"))
            yield opened
            assert not english_shown(opened.env, PSEUDO)


async def test_a_member_reads_writes_and_shops(world: World) -> None:
    assert "link yours to write and shop" in english(text_of(await world.slash("help")))
    await world.slash("forum read")
    await world.name_demo_places()
    await world.slash("shop buy", item="1", catalog="1")
    await world.link(world.member, "wrong")
    await world.link(world.member, SUBSCRIBER)
    for label in ("Export", "Unlink…", "Erase…"):
        card = answer_of(await world.slash("account show"))
        await world.member.click(card, label=said(label))
    thread = answer_of(await world.slash("forum read", thread="Park life"))
    assert "1 to 5 · latest first" in english(text_of(thread))
    await world.member.click(thread, label=said("Next"))
    await world.slash("forum post", thread="Park life")
    written = await world.slash("forum post", thread="Park life", content="Hello")
    assert "Your comment is posted" in english(text_of(written))
    await world.slash("shop browse", catalog="Season", show="clearance")
    item = answer_of(await world.slash("shop item", item="1", catalog="Season"))
    for label in ("Buy", "Buy it"):
        await world.member.click(item, label=said(label))
    assert "is yours" in english(text_of(item))
    await world.slash("shop watch", name="hat")
    await world.slash("shop orders")
    for command, options in (
        ("forum read", {"thread": "nowhere"}),
        ("forum read", {"thread": "1", "page": 90}),
        ("forum delete", {"comment": "first"}),
        ("shop browse", {"catalog": "999"}),
        ("shop redeem", {"item": "Captain's Hat"}),
    ):
        await world.slash(command, **options)


async def test_a_moderator_sets_a_server_up(world: World) -> None:
    moderator = world.moderator
    await world.slash("setup thread", moderator, id="404", name="Later")
    await world.slash("setup show", moderator)
    await world.name_demo_places()
    await world.slash("setup thread", moderator, id="9", name="Park life")
    await world.link(moderator, SUBSCRIBER)
    await world.slash("help", moderator)
    for form in ("Panel", "Moderation", "Language"):
        card = await world.press_through("setup show", actor=moderator)
        opened = await moderator.click(card, label=said(form))
        assert opened.modal is not None
        assert form in english(str(opened.modal["title"]))
    for screen in ("Threads", "Catalogs", "Permissions", "Announcements", "Rules"):
        await world.press_through("setup show", said(screen), actor=moderator)
    await world.slash("announce add", moderator, catalog="Season")
    await world.slash("moderate mute", moderator, player="1")
    removed = await world.slash("moderate remove", moderator, comment="118", reason="Spam")
    assert "Nobody in this server sees it any more" in english(text_of(removed))
    await world.slash("moderate log", moderator)
