"""Whom members are told to ask."""

from pathlib import Path

import pytest

from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from tests.support.cards import Shown, answer_of, buttons_of, text_of
from tests.support.rogue_game import open_rogue_game, open_rogue_shop, reply
from tests.support.shopping import ask
from tests.support.world import SUBSCRIBER, open_world

SUPPORT, PRIVACY = "https://kiosk.example/support", "https://kiosk.example/privacy"
PAGES = {"support_url": SUPPORT, "privacy_url": PRIVACY}


def links_of(shown: Shown) -> dict[str, str]:
    buttons = buttons_of(shown).items()
    return {label: button["url"] for label, button in buttons if "url" in button}


@pytest.mark.parametrize(
    ("locale", "report", "privacy"),
    [("en-US", "Report a problem", "Privacy"), ("de", "Problem melden", "Datenschutz")],
)
async def test_help_and_the_card_of_a_fault_lead_to_the_operator(
    tmp_path: Path, locale: str, report: str, privacy: str
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url, pages=PAGES) as world:
        game.answers(reply({"message": "Oh."}), reply({"message": "Not found."}, status=404))
        speak_language(world.env, locale)
        help_ = await world.slash("help")
        fault = await world.slash("forum read", thread="77")
        mistake = await world.slash("forum read", thread="78")

    assert links_of(help_) == {report: SUPPORT, privacy: PRIVACY}
    assert links_of(fault) == {report: SUPPORT}
    assert links_of(mistake) == {}


@pytest.mark.parametrize(
    ("locale", "pages", "told"),
    [
        ("fr", PAGES, f"signale une phrase maladroite]({SUPPORT})"),
        ("fr", {}, None),
        ("de", PAGES, None),
        ("en-US", PAGES, None),
    ],
)
async def test_help_says_where_nobody_has_read_a_translation(
    tmp_path: Path, locale: str, pages: dict[str, str], told: str | None
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url, pages=pages) as world:
        speak_language(world.env, locale)
        said = text_of(await world.slash("help"))
    assert told is None or told in said
    assert (SUPPORT in said) is (told is not None)


async def test_a_fault_while_one_links_or_buys_leads_there_too(tmp_path: Path) -> None:
    async with open_rogue_shop() as shop, open_world(tmp_path, shop.base_url, pages=PAGES) as world:
        await world.settle(world.member, "any-token")
        shop.stock(1)
        card = await ask(world, "buy", "1")
        shop.items[0]["cost"] = 10**30
        await world.member.click(card, label="Buy item")
        shop.items[0] = {"id": "no number"}
        link = await world.link(world.member, "a-token")

    assert links_of(card)["Report a problem"] == SUPPORT
    assert links_of(link)["Report a problem"] == SUPPORT


async def test_whatever_meets_a_broken_database_leads_there(tmp_path: Path, demo: str) -> None:
    async with open_world(tmp_path, demo=demo, pages=PAGES) as world:
        await world.name_demo_places()
        await world.settle(world.member, SUBSCRIBER)
        help_ = answer_of(await world.slash("help"))
        thread = answer_of(await world.slash("forum read", thread="Park life"))
        form = await world.member.click(thread, label="Write")
        async with open_database(world.settings.database_url, MIGRATIONS) as database:
            await database.execute("ALTER TABLE links RENAME TO elsewhere")
            told = [
                await world.slash("account show"),
                await world.member.click(help_, label="Account"),
                await world.member.submit_modal(form, {"text": "My own words"}),
            ]
            await database.execute("ALTER TABLE elsewhere RENAME TO links")

    for shown in told:
        assert "Reference: " in text_of(shown)
        assert links_of(shown)["Report a problem"] == SUPPORT
    assert "My own words" in text_of(told[-1])


@pytest.mark.parametrize(("locale", "said"), [("en-US", "By its page."), ("de", "Auf der Seite.")])
async def test_where_a_number_is_found_is_said_where_one_is_asked_for(
    demo: str, tmp_path: Path, locale: str, said: str
) -> None:
    pages = {"number_help": "By its page.", "number_help_in": {"de": "Auf der Seite."}}
    async with open_world(tmp_path, demo=demo, pages=pages) as world:
        moderator = world.moderator
        await world.settle(moderator, SUBSCRIBER)
        speak_language(world.env, locale)
        setup = answer_of(await world.slash("setup show", moderator))
        adding = await moderator.click(setup, custom_id="kiosk.setup.add_form:thread")
        announcements = answer_of(await world.slash("announce list", moderator))
        following = await moderator.click(announcements, custom_id="kiosk.announce.follow_form:0")
        await moderator.click(announcements, custom_id="kiosk.announce.catalogs:0")
        wrong = await world.slash("setup thread", moderator, id="987654", name="Nowhere")

    assert said in str(adding.modal)
    assert said in str(following.modal)
    assert said in text_of(announcements)
    assert said in text_of(wrong)
