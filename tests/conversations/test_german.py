"""A member who has Discord in German: whatever Kiosk says and offers is in German."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from playground.simulation import speak_language
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.forum import number_of
from tests.support.languages import english_shown
from tests.support.rogue_game import lose_the_answer, open_rogue_shop
from tests.support.world import NEWCOMER, SUBSCRIBER, World, open_world

CANNOT_MESSAGE = 50007


@pytest.fixture
async def german(world: World) -> AsyncGenerator[World]:
    """Everyone has Discord in German, and no one is linked. Nothing in English is ever sent."""
    speak_language(world.env, "de")
    yield world
    assert not english_shown(world.env, "de")


@pytest.fixture
async def linked(german: World) -> World:
    await german.name_demo_places()
    await german.link(german.member, SUBSCRIBER)
    return german


async def press(world: World, shown: Any, label: str) -> Any:
    """Press a button, and return the result."""
    return await world.member.click(answer_of(shown), label=label)


async def choose(world: World, shown: Any, label: str) -> Any:
    """Choose an entry of any list, and return the result."""
    custom_id, value = next(
        (listed["custom_id"], each["value"])
        for listed in selects_of(shown)
        for each in listed["options"]
        if each["label"] == label
    )
    return await world.member.select(answer_of(shown), [value], custom_id=custom_id)


async def test_a_comment_is_written_answered_changed_and_deleted(linked: World) -> None:
    form = await linked.slash("forum post", thread="3")
    assert form.modal is not None
    assert form.modal["title"] == "Kommentar schreiben"
    assert form.modal["components"][0]["description"] == "Bis zu 4.000 Zeichen."
    posted = await linked.member.submit_modal(form, {"text": "Guten Morgen"})
    assert "Kommentar gepostet" in text_of(posted)

    number = str(number_of(posted))
    replied = await linked.slash("forum reply", thread="3", comment=number, content="Hallo")
    assert "Antwort gepostet" in text_of(replied)
    changed = await linked.slash("forum edit", comment=number, content="Guten Abend")
    assert "Kommentar bearbeitet" in text_of(changed)
    asked = await linked.slash("forum delete", comment=number)
    assert "Diesen Kommentar löschen?" in text_of(asked)
    assert "Er hat 1 Antwort. Vielleicht löscht das Spiel die Antwort auch." in text_of(asked)
    await press(linked, asked, "Kommentar löschen")
    assert "Kommentar gelöscht" in text_of(asked)


async def test_what_is_typed_goes_where_its_writer_wants(linked: World) -> None:
    asked = await linked.slash("forum post", thread="Nirgends")
    assert selects_of(asked)[0]["placeholder"] == "Auswählen…"
    await choose(linked, asked, "Quiet corner")
    form = await press(linked, asked, "Schreiben")
    assert form.modal["title"] == "Kommentar schreiben"

    nowhere = await linked.slash("forum post", thread="Nirgends", content="Guten Morgen")
    assert "Hier heißt nichts „Nirgends“." in text_of(nowhere)
    assert ">>> Guten Morgen" in text_of(nowhere)
    reply = await linked.slash("forum reply", thread="3", comment="erster", content="Hallo")
    assert "„erster“ ist keine gültige Nummer" in text_of(reply)
    edit = await linked.slash("forum edit", comment="erster", content="Hallo")
    assert ">>> Hallo" in text_of(edit)
    lost = await linked.slash("forum reply", thread="404", comment="1", content="Hallo")
    assert "oder den Thread gibt es nicht" in text_of(lost)


async def test_what_is_watched_is_told_apart_and_promised_once(linked: World) -> None:
    both = await linked.slash("shop watch", item="1", name="hut")
    assert "Du hast einen Artikel und Filter angegeben" in text_of(both)
    assert "Du hast nicht gewählt, was du beobachten willst" in text_of(
        await linked.slash("shop watch")
    )
    everywhere = await linked.slash("shop watch", name="hut")
    assert "Du beobachtest: „hut“" in text_of(everywhere)
    assert (
        "günstiger wird, ins Sonderangebot kommt oder in Attic, Outlet und Season erscheint"
        in text_of(everywhere)
    )
    again = await linked.slash("shop watch", name="hut")
    assert "Du beobachtest schon: „hut“\nAttic, Outlet und Season" in text_of(again)
    sale = await linked.slash("shop watch", clearance=True, catalog="Season")
    assert "Du beobachtest: Artikel im Sonderangebot" in text_of(sale)
    listed = await linked.slash("account watches")
    (endings,) = selects_of(listed)
    assert endings["placeholder"] == "Nicht mehr beobachten…"
    described = [entry["description"] for entry in endings["options"]]
    assert described == ["Attic, Outlet und Season", "Season"]


async def test_an_item_is_found_bought_and_listed(linked: World) -> None:
    gallery = await linked.slash("shop browse")
    assert selects_of(gallery)[0]["placeholder"] == "Im Katalog stöbern…"
    await choose(linked, gallery, "Season")
    assert "1 bis 8" in text_of(gallery)
    items, *_ = selects_of(gallery)
    assert items["placeholder"] == "Öffnen, kaufen oder beobachten…"
    assert items["options"][8]["label"] == "Kaufen: Acorn Cap"
    form = await linked.member.click(answer_of(gallery), label="Zu Seite")
    assert form.modal is not None
    assert form.modal["components"][0]["description"] == (
        "Du bist auf Seite 1. Jede Seite hat bis zu acht Artikel."
    )
    assert "Diese Seite gibt es nicht" in text_of(await fill_in(linked.member, form, page="x"))
    form = await linked.member.click(answer_of(gallery), label="Zu Seite")
    await fill_in(linked.member, form, page="3")
    assert list(buttons_of(gallery))[:3] == ["Erste", "Vorherige", "Nächste"]
    form = await linked.member.click(answer_of(gallery), label="Filter")
    await fill_in(linked.member, form, show="clearance", cost="150")
    assert "**im Sonderangebot · bis zu 150**" in text_of(gallery)
    await press(linked, gallery, "Alle zeigen")
    assert "1 bis 8 von 42 · Du hast 0 von 42" in text_of(gallery)

    card = await linked.slash("shop item", item="1", catalog="1")
    assert "Season · Nummer 1" in text_of(card)
    await press(linked, card, "Kaufen")
    assert "Acorn Cap kaufen?" in text_of(card)
    await press(linked, card, "Artikel kaufen")
    assert "Acorn Cap gehört dir" in text_of(card)
    assert "### member hat Acorn Cap bekommen\n" in text_of(await press(linked, card, "Teilen"))
    again = await linked.slash("shop buy", item="1", catalog="1")
    assert "Acorn Cap gehört dir schon" in text_of(again)
    orders = await linked.slash("shop orders")
    assert "In den letzten 12 Monaten ausgegeben: 40 Acorns\n" in text_of(orders)
    assert "**Acorn Cap** · 40 Acorns\n✅ Gekauft" in text_of(orders)
    await press(linked, orders, "Gekauft, nicht eingelöst")
    assert "Kiosk weiß nicht, welche Artikel du im Spiel selbst eingelöst hast." in text_of(orders)
    assert selects_of(orders)[0]["placeholder"] == "Öffnen oder einlösen…"
    await choose(linked, orders, "Einlösen: Acorn Cap")
    assert "Acorn Cap einlösen?" in text_of(orders)
    await linked.slash("shop browse", catalog="1", sort="cost")
    assert "Du hast 1 von 42" in text_of(await linked.slash("shop browse", catalog="1"))


async def test_an_outcome_that_can_be_told_only_later_is_told_in_german(tmp_path: Path) -> None:
    async with open_rogue_shop() as shop, open_world(tmp_path, shop.base_url) as world:
        speak_language(world.env, "de")
        shop.stock(5)
        await world.link(world.member, "any-token")
        world.env.inject_error(
            "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
        )

        shop.before_order = lambda: setattr(shop, "is_down", True)
        shop.outcomes.append(lose_the_answer)
        card = await world.slash("shop buy", item="3", catalog="1")
        await press(world, card, "Artikel kaufen")
        assert "Noch nicht bestätigt: Hat number 3" in text_of(card)

        shop.is_down = False
        await world.pass_time(36)
        assert "Hat number 3 gehört dir" in text_of(card)
        assert not english_shown(world.env, "de")


async def test_whoever_changes_discords_language_is_answered_in_the_new_one(world: World) -> None:
    speak_language(world.env, "de")
    assert "Forum und Shop des Spiels" in text_of(await world.slash("help"))

    speak_language(world.env, "en-US")
    assert "The game's forum and shop" in text_of(await world.slash("help"))


async def test_a_list_that_can_not_be_offered_says_why(german: World) -> None:
    offered = await german.member.autocomplete(german.channel, "shop item", "item", "hut")
    assert [entry["name"] for entry in offered] == ["Hier ist noch nichts eingerichtet"]
    await german.name_demo_places()
    offered = await german.member.autocomplete(german.channel, "shop item", "item", "hut")

    assert "Du hast kein Spielkonto verknüpft" in offered[0]["name"]
    chosen = await german.slash("shop item", item=offered[0]["value"])
    assert "Konto verknüpfen" in buttons_of(chosen)
    await german.link(german.member, NEWCOMER)
    offered = await german.member.autocomplete(german.channel, "shop browse", "catalog", "7")
    assert [entry["name"] for entry in offered] == ["Katalog 7"]
