"""A manager who has Discord in German: setting up, and what the log says of it, in German."""

from collections.abc import AsyncGenerator
from typing import Any

import discord
import pytest

from playground.simulation import speak_language
from tests.conversations.announce.test_notify import may_give
from tests.conversations.test_log_of_changes import ALL, first_of, log_of
from tests.conversations.test_setup_show import EMBED, show, shut
from tests.support.cards import answer_of, blue_of, text_of
from tests.support.forms import fill_in
from tests.support.languages import english_shown
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World


@pytest.fixture
async def german(world: World) -> AsyncGenerator[World]:
    """Everyone has Discord in German, and places have names. Nothing in English is ever sent."""
    speak_language(world.env, "de")
    await world.settle(world.moderator, SUBSCRIBER)
    await world.name_demo_places()
    yield world
    assert not english_shown(world.env, "de")


async def follow(world: World, thread: str, channel: Any = None) -> str:
    options = {"thread": thread, "channel": channel or world.channel}
    return text_of(await world.slash("announce thread", world.moderator, **options))


async def test_a_name_leads_on(world: World) -> None:
    speak_language(world.env, "de")
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Thread hinzufügen")
    assert "Thread 1 heißt jetzt „Park life“" in await steps.send(id="1", name="Park life")
    assert blue_of(steps.card) == ["Katalog hinzufügen"]
    await steps.press("Katalog hinzufügen")
    assert "Katalog 1 heißt jetzt „Season“" in await steps.send(id="1", name="Season")
    assert blue_of(steps.card) == ["Ankündigen"]
    assert not english_shown(world.env, "de")


async def test_what_managers_change_is_in_the_log(german: World) -> None:
    let_discord_say(german, ALL)
    moderator, role = german.moderator, may_give(german, "Mitspieler")
    kept = answer_of(await german.slash("setup thread", moderator, id="12", name="Neuigkeiten"))
    await moderator.click(kept, label="Trotzdem speichern")
    await german.slash("setup thread", moderator, id="12", name="Neues")
    form = await german.slash("announce add", moderator, catalog="Season")
    await fill_in(moderator, form, channel=[german.channel])
    card = await first_of(german, "announce list")
    form = await moderator.click(card, label="Bearbeiten")
    await fill_in(moderator, form, role=[role])
    for label in ("Anhalten", "Fortsetzen", "Entfernen…", "Entfernen"):
        await moderator.click(card, label=label)
    steps = Steps(german, moderator)
    await steps.use("setup show")
    await steps.press("Rollen")
    await steps.press("Hinzufügen")
    await steps.send(role=[role])
    await german.manage("Tafel", panel_channel_id=[german.channel])

    what = f"Season in {german.channel.mention}"
    who = f"{role.mention} · Wer ein Konto verknüpft hat"
    rule = f"{who}\n> Kiosk nimmt sie weg, wenn das nicht mehr so ist."
    head = "hat Ankündigungen geändert, <t>:\n> "
    assert await log_of(german) == [
        f"hat Einstellungen geändert, <t>:\n> **Tafel** · {german.channel.mention}",
        f"hat Regeln für Rollen geändert, <t>:\n> Hinzugefügt: {rule}",
        f"{head}Entfernt: {what}",
        f"{head}Fortgesetzt: {what}",
        f"{head}Angehalten: {what}",
        f"{head}{what}\n> **Rollen, die gepingt werden** · keine → {role.mention}",
        f"{head}Hinzugefügt: {what}",
        "hat Namen geändert, <t>:\n> **Thread 12** · Neuigkeiten → Neues",
        "hat Namen geändert, <t>:\n> Hinzugefügt: Thread 12, „Neuigkeiten“",
    ]


async def test_a_log_that_everybody_sees_is_told_with_how_to_close_it(german: World) -> None:
    log = german.guild.create_text_channel("protokoll")
    await german.manage("Moderation", log_channel_id=[log])
    closing = "Entziehe @everyone dort „Kanal ansehen“, und erlaube es der Rolle von Kiosk."
    assert f"{log.mention} steht @everyone offen. {closing}" in text_of(await show(german))


async def test_all_that_waits_for_a_lost_channel_is_one_entry(german: World) -> None:
    lost = german.guild.create_text_channel("verloren")
    await german.manage("Tafel", panel_channel_id=[lost])
    await follow(german, "1", lost)
    await tried(german)
    await german.bot.http.delete_channel(lost.id)

    shown = text_of(await show(german, "Ändern"))

    waits = "\n- Park life kann nicht angekündigt werden\n- Die Tafel ist weg\n"
    lines = f"**Ein Kanal wurde gelöscht**\nBis du einen anderen Kanal wählst:{waits}"
    assert f"⚠️ **Eine Sache wartet auf dich**\n{lines}" in shown


async def test_all_that_waits_for_a_permission_is_one_entry(german: World) -> None:
    await follow(german, "1")
    await german.manage("Tafel", panel_channel_id=[german.channel])
    await tried(german)
    await shut(german, german.channel, EMBED)

    shown = text_of(await show(german))

    give = "Erlaube es der Rolle von Kiosk in diesen Kanälen oder unter „Servereinstellungen“"
    assert f"**Kiosk fehlt: Links einbetten**\n{give}, „Rollen“:\n- Park life kann nicht" in shown
    assert f"- Die Tafel kann nicht gepostet werden · {german.channel.mention}" in shown


async def test_a_thread_that_is_followed_there_is_said_to_be(german: World) -> None:
    let_discord_say(german, ALL)
    assert "Jeder neue Kommentar kommt dorthin" in await follow(german, "1")
    assert "Dem Thread wird dort schon gefolgt." in await follow(german, "1")


async def test_roles_that_are_not_pinged_are_named(german: World) -> None:
    moderator, role = german.moderator, german.guild.create_role("Einkauf")
    steps = Steps(german, moderator)
    await shut(german, german.channel, discord.Permissions(mention_everyone=True))
    await steps.use("announce add", catalog="Season")
    said = await steps.send(channel=[german.channel], role=[role])
    assert "- **@everyone, @here und alle Rollen erwähnen**" in said
    assert f"Sonst kann Kiosk {role.mention} nicht pingen." in said
    await shut(german, german.channel)
    await steps.press("Noch einmal versuchen")
    await steps.send()
    await german.bot.http.delete_role(german.guild.id, role.id)

    card = text_of(await first_of(german, "announce list"))
    assert "⚠️ Die gepingte Rolle wurde gelöscht. Kiosk pingt sie nicht mehr." in card
    assert "**Season pingt niemanden**\nDie gepingte Rolle" in text_of(await show(german))
