"""A member who has Discord in German: whatever Kiosk says and offers is in German."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from bot.app import open_bot
from bot.features.following.rules import subscription_key
from playground.simulation import speak_language
from storage.writes import Write, WriteKind
from tests.support.announcing import catalog_in
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.forum import number_of
from tests.support.languages import english_shown
from tests.support.rogue_game import lose_the_answer, open_rogue_shop
from tests.support.shopping import let_orders_age, let_the_bot_look
from tests.support.world import NEWCOMER, SUBSCRIBER, World, open_world

CANNOT_MESSAGE = 50007


@pytest.fixture
async def german(world: World) -> AsyncGenerator[World]:
    """Everybody has Discord in German, nobody is linked; nothing in English is ever sent."""
    speak_language(world.env, "de")
    yield world
    assert not english_shown(world.env, "de")


@pytest.fixture
async def linked(german: World) -> World:
    await german.name_demo_places()
    await german.link(german.member, SUBSCRIBER)
    return german


async def press(world: World, shown: Any, label: str) -> Any:
    """Press a button; gives what came of it."""
    return await world.member.click(answer_of(shown), label=label)


async def choose(world: World, shown: Any, label: str) -> Any:
    """Choose an entry of whichever list; gives what came of it."""
    custom_id, value = next(
        (listed["custom_id"], each["value"])
        for listed in selects_of(shown)
        for each in listed["options"]
        if each["label"] == label
    )
    return await world.member.select(answer_of(shown), [value], custom_id=custom_id)


async def test_a_newcomer_is_led_to_a_linked_account(german: World) -> None:
    assert "verknüpfe deins, um zu schreiben und einzukaufen" in text_of(await german.slash("help"))
    refused = await german.slash("shop browse", catalog="1")
    invited = "### Den Shop siehst du mit deinem Spielkonto\nDas Spiel zeigt ihn nur denen,"
    assert invited in text_of(refused)
    acting = await german.slash("shop buy", item="1", catalog="1")
    named = "### Verknüpfe zuerst dein Spielkonto\nDas geschieht im Spiel in deinem Namen"
    assert named in text_of(acting)

    form = await press(german, refused, "Konto verknüpfen")
    assert "Discords gelbe Warnung meint Passwörter" in str(german.env.http_requests[-1].json)
    assert form.modal["title"] == "Spielkonto verknüpfen"
    wrong = await german.member.submit_modal(form, {"token": "falsch"})
    assert "Das Spiel hat dieses Token abgelehnt" in text_of(wrong)
    again = await press(german, wrong, "Noch einmal versuchen")
    right = await german.member.submit_modal(again, {"token": SUBSCRIBER})
    assert "## Katalog 1" in text_of(right)

    shown = await german.slash("account show")
    await press(german, shown, "Verknüpfung aufheben…")
    await press(german, shown, "Verknüpfung aufheben")
    assert "Deine Verknüpfung ist aufgehoben" in text_of(shown)
    assert "Es ist keins verknüpft." in text_of(await german.slash("account show"))


async def test_help_names_the_jobs_in_german(german: World) -> None:
    card = await german.slash("help", german.moderator)
    assert "**Kataloge** · Artikel ansehen, kaufen und einlösen" in text_of(card)
    assert "Im Menü einer Nachricht, unter „Apps“: Auf Kommentar antworten" in text_of(card)
    assert {"Threads", "Kataloge", "Regeln", "Ankündigungen"} <= buttons_of(card).keys()


async def test_a_moderator_names_places(german: World) -> None:
    empty = await german.slash("setup show", german.moderator)
    assert "Zwei Schritte" in text_of(empty)

    await german.name_demo_places()

    taken = await german.slash("setup thread", german.moderator, id="9", name="Park life")
    assert "„Park life“ steht hier schon für Nummer 1." in text_of(taken)
    card = await german.press_through("setup show", "Threads", actor=german.moderator)
    (listed,) = selects_of(card)
    (notes,) = [each["value"] for each in listed["options"] if each["label"] == "Patch notes"]
    await german.moderator.select(card, [notes])
    await german.moderator.click(card, label="Entfernen…")
    assert "### Den Namen „Patch notes“ entfernen?" in text_of(card)
    await german.moderator.click(card, label="Entfernen")
    assert "„Patch notes“ ist hier entfernt." in text_of(card)


async def test_a_thread_is_read_page_by_page_and_comment_by_comment(linked: World) -> None:
    card = await linked.slash("forum read")
    assert "Was ist gemeint?" in text_of(card)
    assert selects_of(card)[0]["placeholder"] == "Thread lesen…"
    await choose(linked, card, "Park life")
    assert "1 bis 5 · neueste zuerst\n-# ⭐ mit Abo · ☑️ verifiziert" in text_of(card)
    await linked.bot.tasks.until_finished()
    assert "## Park life" in text_of(await linked.slash("forum read"))

    await press(linked, card, "Nächste")
    assert "6 bis 10" in text_of(card)
    await press(linked, card, "Beliebteste zuerst")
    (listed,) = selects_of(card)
    assert listed["placeholder"] == "Öffnen oder antworten…"
    await linked.member.select(answer_of(card), [listed["options"][0]["value"]])
    assert {"Antworten", "Teilen", "Zum Thread"} <= set(buttons_of(card))
    shared = await press(linked, card, "Teilen")
    assert "Geteilt von member" in text_of(shared)
    await linked.slash("forum read", thread="3")
    await linked.slash("forum read", thread="1", page=90)


async def test_a_comment_is_written_answered_changed_and_deleted(linked: World) -> None:
    form = await linked.slash("forum post", thread="3")
    assert form.modal is not None
    assert form.modal["title"] == "Kommentar schreiben"
    assert form.modal["components"][0]["description"] == "Bis zu 4.000 Zeichen."
    posted = await linked.member.submit_modal(form, {"text": "Guten Morgen"})
    assert "Dein Kommentar ist da" in text_of(posted)

    number = str(number_of(posted))
    replied = await linked.slash("forum reply", thread="3", comment=number, content="Hallo")
    assert "Deine Antwort ist da" in text_of(replied)
    changed = await linked.slash("forum edit", comment=number, content="Guten Abend")
    assert "Dein Kommentar ist bearbeitet" in text_of(changed)
    asked = await linked.slash("forum delete", comment=number)
    assert "Diesen Kommentar löschen?" in text_of(asked)
    assert "Er hat 1 Antwort, die vielleicht mit verschwindet." in text_of(asked)
    await press(linked, asked, "Löschen")
    assert "Der Kommentar ist gelöscht" in text_of(asked)


async def test_what_is_typed_goes_where_its_writer_wants(linked: World) -> None:
    asked = await linked.slash("forum post", thread="Nirgends")
    assert selects_of(asked)[0]["placeholder"] == "Was es gibt…"
    await choose(linked, asked, "Quiet corner")
    form = await press(linked, asked, "Schreiben")
    assert form.modal["title"] == "Kommentar schreiben"

    nowhere = await linked.slash("forum post", thread="Nirgends", content="Guten Morgen")
    assert "Hier heißt nichts „Nirgends“." in text_of(nowhere)
    assert "-# Noch für keinen Thread" in text_of(nowhere)
    await choose(linked, nowhere, "Quiet corner")
    assert "Dein Kommentar ist da" in text_of(nowhere)

    reply = await linked.slash("forum reply", thread="3", comment="erster", content="Hallo")
    assert "„erster“ kann im Spiel keine Nummer sein" in text_of(reply)
    assert list(buttons_of(reply)) == [
        "In den Thread schreiben",
        "Bearbeiten",
        "Anderer Thread",
        "Verwerfen…",
    ]
    await press(linked, reply, "Anderer Thread")
    assert "In welchem Thread?" in text_of(reply)
    await choose(linked, reply, "Patch notes")
    assert "Dein Kommentar ist da" in text_of(reply)
    edit = await linked.slash("forum edit", comment="erster", content="Hallo")
    assert ">>> Hallo" in text_of(edit)
    lost = await linked.slash("forum reply", thread="404", comment="1", content="Hallo")
    assert "oder es gibt den Thread nicht" in text_of(lost)


async def test_a_reply_to_a_shared_comment_that_is_gone_opens_no_form(linked: World) -> None:
    assert linked.game is not None
    posted = await linked.slash("forum post", thread="3", content="Nur kurz hier")
    shared = answer_of(await press(linked, posted, "Teilen"))
    await linked.game.database.execute("DELETE FROM comments WHERE thread_id = 3")
    async with open_bot(linked.settings) as again:
        await linked.env.restart_bot(again)
        refused = await linked.member.click(shared, label="Antworten")

    assert refused.modal is None
    assert "Dieser Kommentar ist weg" in text_of(refused)


async def test_what_is_watched_is_told_apart_and_promised_once(linked: World) -> None:
    both = await linked.slash("shop watch", item="1", name="hut")
    assert "Einen Artikel beobachten, oder alle passenden?" in text_of(both)
    assert "Was möchtest du beobachten?" in text_of(await linked.slash("shop watch"))
    everywhere = await linked.slash("shop watch", name="hut")
    assert "Du beobachtest: „hut“" in text_of(everywhere)
    assert "in Attic, Outlet und Season erscheint, günstiger wird" in text_of(everywhere)
    again = await linked.slash("shop watch", name="hut")
    assert "Du beobachtest es schon: „hut“\nAttic, Outlet und Season" in text_of(again)
    sale = await linked.slash("shop watch", clearance=True, catalog="Season")
    assert "Du beobachtest: alles, was im Sonderangebot ist" in text_of(sale)
    listed = await press(linked, everywhere, "Was du beobachtest")
    (endings,) = selects_of(listed)
    assert endings["placeholder"] == "Nicht mehr beobachten…"
    assert [each["description"] for each in endings["options"]] == [
        "Attic",
        "Outlet",
        "Season",
        "Season",
    ]


async def test_ones_records_are_exported_and_erased_and_warned_about(linked: World) -> None:
    add = linked.bot.features.announcing.following.add
    for guild in (linked.guild.id, 5):
        new = catalog_in(guild, guild, created_by=linked.member.id)
        await add(new, subscription_key(new), now=linked.bot.now())
    warned = (
        "⚠️ Kiosk liest **Season** für diesen Server mit deinem Konto. Was daraus angekündigt wird,"
        " steht still, bis jemand es übernimmt.\n⚠️ Kiosk liest Kataloge für einen anderen Server"
    )

    card = await linked.slash("account show")
    exported = await press(linked, card, "Exportieren")
    assert "Alles steht in dieser JSON-Datei." in text_of(exported)
    await press(linked, card, "Verknüpfung aufheben…")
    assert warned in text_of(card)
    await press(linked, card, "Zurück")
    await press(linked, card, "Löschen…")
    assert warned in text_of(card)
    await press(linked, card, "Alles löschen")
    assert "- die Verknüpfung mit deinem Spielkonto" in text_of(card)


async def test_a_text_longer_than_the_form_is_discarded(linked: World) -> None:
    now = linked.bot.now()
    kept = Write(1, linked.member.id, WriteKind.POST, 3, body="Nuss " * 900, locale="de")
    await linked.bot.features.writes.keep_text(kept, now=now, until=now)

    listed = await linked.slash("forum unsent")
    assert "## Deine ungesendeten Texte\n-# Kiosk bewahrt ungesendete Texte" in text_of(listed)
    await choose(linked, listed, "Für Quiet corner")
    refused = await press(linked, listed, "Bearbeiten")
    assert "Er hat 4.500 Zeichen, das Formular fasst 4.000." in text_of(refused)
    await press(linked, listed, "Verwerfen…")
    await press(linked, listed, "Verwerfen")
    assert "Der Text ist verworfen" in text_of(listed)


async def test_an_item_is_found_bought_and_listed(linked: World) -> None:
    gallery = await linked.slash("shop browse")
    assert selects_of(gallery)[0]["placeholder"] == "Im Katalog stöbern…"
    await choose(linked, gallery, "Season")
    assert "1 bis 5" in text_of(gallery)
    items, *_ = selects_of(gallery)
    assert items["placeholder"] == "Öffnen, kaufen, einlösen, beobachten…"
    assert items["options"][5]["label"] == "Kaufen: Acorn Cap"
    form = await linked.member.click(answer_of(gallery), label="Filter")
    await fill_in(linked.member, form, show="clearance", cost="150")
    assert "**Im Sonderangebot · Bis zu 150 Acorns**" in text_of(gallery)

    card = await linked.slash("shop item", item="1", catalog="1")
    assert "Season · Nummer 1" in text_of(card)
    await press(linked, card, "Kaufen")
    assert "Acorn Cap kaufen?" in text_of(card)
    await press(linked, card, "Kaufen")
    assert "Acorn Cap gehört dir" in text_of(card)
    again = await linked.slash("shop buy", item="1", catalog="1")
    assert "Acorn Cap gehört dir schon" in text_of(again)
    orders = await linked.slash("shop orders")
    assert "**Acorn Cap** · 40 Acorns\n✅ Gekauft" in text_of(orders)


async def test_an_item_is_redeemed_at_its_park_alone(linked: World) -> None:
    here = await linked.slash("shop redeem", item="Flower Wreath")
    await press(linked, here, "Einlösen")
    elsewhere = await linked.slash("shop redeem", item="Captain's Hat")
    await press(linked, elsewhere, "Einlösen")

    assert "Flower Wreath ist eingelöst" in text_of(here)
    assert "wurde nicht eingelöst" in text_of(elsewhere)
    assert "Das Spiel sagt: „" in text_of(elsewhere)


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
        await press(world, card, "Kaufen")
        assert "Noch nicht bestätigt: Hat number 3" in text_of(card)

        shop.is_down = False
        await let_orders_age(world)
        await let_the_bot_look(world)
        assert "Hat number 3 gehört dir" in text_of(card)
        assert not english_shown(world.env, "de")


async def test_whoever_changes_discords_language_is_answered_in_the_new_one(world: World) -> None:
    speak_language(world.env, "de")
    assert "Forum und Shop des Spiels" in text_of(await world.slash("help"))

    speak_language(world.env, "en-US")
    assert "The game's forum and shop" in text_of(await world.slash("help"))


async def test_what_is_not_there_is_told(linked: World) -> None:
    answers = {
        "Hier heißt nichts „Nirgends“.": ("forum read", {"thread": "Nirgends"}),
        "Einen Thread 999 gibt es im Spiel nicht": ("forum read", {"thread": "999"}),
        "Das Spiel kennt keinen Katalog mit der Nummer 999.": ("shop browse", {"catalog": "999"}),
        "„erster“ kann im Spiel keine Nummer sein": ("forum delete", {"comment": "erster"}),
        "Kiosk sieht keinen Artikel, der „Nichts“ heißt.": (
            "shop item",
            {"item": "Nichts", "catalog": "1"},
        ),
    }
    for sentence, (command, options) in answers.items():
        assert sentence in text_of(await linked.slash(command, **options))


async def test_a_list_that_can_not_be_offered_says_why(german: World) -> None:
    offered = await german.member.autocomplete(german.channel, "shop item", "item", "hut")

    assert "Kein Spielkonto verknüpft" in offered[0]["name"]
    chosen = await german.slash("shop item", item=offered[0]["value"])
    assert "Konto verknüpfen" in buttons_of(chosen)
    await german.link(german.member, NEWCOMER)
    offered = await german.member.autocomplete(german.channel, "shop browse", "catalog", "7")
    assert [entry["name"] for entry in offered] == ["Katalog 7"]
