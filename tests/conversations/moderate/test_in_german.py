"""A server that has Discord in German: its moderators, its members and its log read German."""

from typing import Any

from playground.simulation import speak_language
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import buttons_of, text_of
from tests.support.forum import EMPTY
from tests.support.languages import english_shown


async def test_all_of_moderating_is_said_in_german(beat: Beat) -> None:
    world, moderator = beat.world, beat.world.moderator
    speak_language(world.env, "de")
    log = world.guild.create_text_channel("log")

    async def use(name: str, **options: Any) -> str:
        return text_of(await world.slash(name, moderator, **options))

    assert "Das Protokoll hat einen Kanal" in await use("setup log", channel=log)
    assert "So läuft das Entfernen hier ab" in await use("setup moderation", reasons="Spam")
    posted = await beat.post("Gemeine Worte")
    await beat.press(posted, "Teilen")
    message = world.channel.last_message
    assert message is not None

    form = await world.friend.context_menu(world.channel, "Report comment", message)
    assert "Danke" in text_of(await world.friend.submit_modal(form, {"reason": "Gemein"}))
    await beat.settled()
    reported = log.last_message
    assert "von 1 Mitglied gemeldet" in text_of(reported)
    form = await beat.press(reported, "Entfernen", moderator)
    assert form.modal is not None
    removed = await moderator.submit_modal(form, {"reason": "Beleidigung", "in_game": True})
    assert "Niemand auf diesem Server sieht ihn mehr" in text_of(removed)
    await beat.settled()
    assert {"Wiederherstellen", "Notiz"} <= buttons_of(log.last_message).keys()
    form = await beat.press(log.last_message, "Notiz", moderator)
    await moderator.submit_modal(form, {"note": "Zum zweiten Mal"})
    assert "**Grund:** Beleidigung" in await use("moderate log")
    await beat.press(log.last_message, "Wiederherstellen", moderator)

    added = await world.slash("moderate words add", moderator, words="gemeine")
    looking = await beat.press(added, "Nachrichten durchsehen", moderator)
    assert "öffentliche" in text_of(looking).lower()
    assert "verborgen: überwachtes Wort" in text_of(await beat.read(EMPTY, world.friend))
    await beat.settled()
    assert "wird hier zurückgehalten" in text_of(log.last_message)
    await beat.press(log.last_message, "Freigeben", moderator)
    assert "würde zurückgehalten" in await use("moderate words test", text="Gemeine Sache")
    assert "Überwachte Wörter" in await use("moderate words list")

    assert "ist hier stummgeschaltet" in await use("moderate mute", player="Juniper", until="7d")
    assert "nicht mehr stummgeschaltet" in await use("moderate unmute", player="Juniper")
    assert "AutoMod" in await use("moderate automod on")
    assert "Sache der Moderation" in text_of(await beat.press(log.last_message, "Notiz"))
    await beat.settled()

    assert not english_shown(world.env, "de")
