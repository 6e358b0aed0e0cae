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
    await moderator.click(kept, label="Namen trotzdem speichern")
    await german.slash("setup thread", moderator, id="12", name="Neues")
    form = await german.slash("announce add", moderator, catalog="Season")
    await fill_in(moderator, form, channel=[german.channel])
    card = await first_of(german, "announce list")
    form = await moderator.click(card, label="Bearbeiten")
    await fill_in(moderator, form, role=[role])
    for label in ("Pausieren", "Fortsetzen", "Nicht mehr ankündigen…", "Nicht mehr ankündigen"):
        await moderator.click(card, label=label)
    steps = Steps(german, moderator)
    await steps.use("setup show")
    await steps.press("Rollen")
    await steps.press("Regel hinzufügen")
    await steps.send(role=[role])
    await german.manage("Tafel", panel_channel_id=[german.channel])

    what = f"Season in {german.channel.mention}"
    who = f"{role.mention} · Mitglieder mit verknüpftem Konto"
    takes = "Kiosk nimmt Mitgliedern die Rolle weg, wenn sie die Bedingung nicht mehr erfüllen."
    rule = f"{who}\n> {takes}"
    head = "hat <t> Ankündigungen geändert:\n> "
    assert await log_of(german) == [
        f"hat <t> Einstellungen geändert:\n> **Tafel** · {german.channel.mention}",
        f"hat <t> Regeln für Rollen geändert:\n> Hinzugefügt: {rule}",
        f"{head}Entfernt: {what}",
        f"{head}Fortgesetzt: {what}",
        f"{head}Pausiert: {what}",
        f"{head}{what}\n> **Gepingte Rollen** · keine → {role.mention}",
        f"{head}Hinzugefügt: {what}",
        "hat <t> Namen geändert:\n> **Thread 12** · Neuigkeiten → Neues",
        "hat <t> Namen geändert:\n> Hinzugefügt: Thread 12, „Neuigkeiten“",
    ]


async def test_a_log_that_everybody_sees_is_told_with_how_to_close_it(german: World) -> None:
    log = german.guild.create_text_channel("protokoll")
    await german.manage("Moderation", log_channel_id=[log])
    closing = "Verbiete @everyone dort „Kanal ansehen“ und erlaube es der Rolle von Kiosk."
    assert f"@everyone kann {log.mention} sehen. {closing}" in text_of(await show(german))


async def test_all_that_waits_for_a_lost_channel_is_one_entry(german: World) -> None:
    lost = german.guild.create_text_channel("verloren")
    await german.manage("Tafel", panel_channel_id=[lost])
    await follow(german, "1", lost)
    await tried(german)
    await german.bot.http.delete_channel(lost.id)

    shown = text_of(await show(german, "Ändern"))

    waits = "\n- Kiosk kann Park life nicht posten\n- Die Tafel wurde gelöscht\n"
    lines = f"**Ein Kanal wurde gelöscht**\nWähle einen anderen Kanal. Bis dahin gilt:{waits}"
    assert f"⚠️ **Ein Problem zu beheben**\n{lines}" in shown


async def test_all_that_waits_for_a_permission_is_one_entry(german: World) -> None:
    await follow(german, "1")
    await german.manage("Tafel", panel_channel_id=[german.channel])
    await tried(german)
    await shut(german, german.channel, EMBED)

    shown = text_of(await show(german))

    give = (
        "Erlaube es der Rolle von Kiosk unter Servereinstellungen > Rollen oder in diesen Kanälen:"
    )
    assert (
        f"**Kiosk braucht: Links einbetten**\n{give}\n- Kiosk kann Park life nicht posten" in shown
    )
    assert f"- Kiosk kann die Tafel nicht posten · {german.channel.mention}" in shown


async def test_a_thread_that_is_followed_there_is_said_to_be(german: World) -> None:
    let_discord_say(german, ALL)
    new = "Der Kanal folgt jetzt dem Thread. Kiosk postet jeden neuen Kommentar"
    assert new in await follow(german, "1")
    assert "Der Kanal folgt diesem Thread schon." in await follow(german, "1")


async def test_roles_that_are_not_pinged_are_named(german: World) -> None:
    moderator, role = german.moderator, german.guild.create_role("Einkauf")
    steps = Steps(german, moderator)
    await shut(german, german.channel, discord.Permissions(mention_everyone=True))
    await steps.use("announce add", catalog="Season")
    said = await steps.send(channel=[german.channel], role=[role])
    assert "- **@everyone, @here und alle Rollen erwähnen**" in said
    assert f"Um {role.mention} zu pingen, braucht Kiosk die Berechtigung zum Erwähnen." in said
    await shut(german, german.channel)
    await steps.press("Noch einmal versuchen")
    await steps.send()
    await german.bot.http.delete_role(german.guild.id, role.id)

    card = text_of(await first_of(german, "announce list"))
    gone = "Die Rolle wurde gelöscht, deshalb pingt Kiosk sie nicht mehr."
    assert f"⚠️ {gone}" in card
    assert f"**Season pingt niemanden**\n{gone}" in text_of(await show(german))
