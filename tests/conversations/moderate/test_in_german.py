"""A bad evening of a moderator who has Discord in German: all that is read is in German."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import simcord

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.forum.test_following import no_such_thread
from tests.conversations.moderate.conftest import Beat, shown_in
from tests.conversations.moderate.test_ending import A_MINUTE, HOUR
from tests.conversations.moderate.test_gone import delete_in_game
from tests.conversations.moderate.test_raid import press, queue, report_some
from tests.conversations.moderate.test_removing import write_noise
from tests.conversations.test_setup_show import SEND, shut
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.forum import EMPTY, SMALL, number_of
from tests.support.languages import english_shown
from tests.support.owed import tried


@pytest.fixture
async def german(beat: Beat) -> AsyncGenerator[Beat]:
    """Everyone has Discord in German, and the server too. Nothing in English is ever sent."""
    speak_language(beat.world.env, "de")
    yield beat
    assert not english_shown(beat.world.env, "de")


@pytest.fixture
async def log(german: Beat) -> simcord.ChannelHandle:
    """A channel that takes removals, reports, and comments that were held back."""
    channel = german.world.guild.create_text_channel("protokoll")
    await german.world.manage("Moderation", log_channel_id=[channel])
    return channel


async def share(beat: Beat, text: str = "Gemeine Worte") -> tuple[int, Any]:
    posted = await beat.post(text)
    await beat.press(posted, "Teilen")
    return number_of(posted), beat.world.channel.last_message


async def report(beat: Beat, message: Any) -> str:
    """Let a friend report a message's comment; return what they are told."""
    friend = beat.world.friend
    form = await friend.context_menu(beat.world.channel, "Report comment", message)
    told = text_of(await friend.submit_modal(form, {"reason": "Frech"}))
    await beat.settled()
    return told


async def hold_back(beat: Beat, *texts: str, word: str = "fliegenpilz") -> Any:
    """Watch for a word, and let comments be read that hold it; give what was read."""
    rules = await beat.world.slash("moderate rules", beat.world.moderator)
    form = await beat.press(rules, "Wörter ändern", beat.world.moderator)
    await fill_in(beat.world.moderator, form, words=word)
    for text in texts:
        await beat.post(text)
    read = await beat.read(EMPTY, beat.world.friend)
    await beat.world.bot.tasks.until_finished()
    await beat.settled()
    return read


async def poll(beat: Beat, times: int = 1) -> None:
    for _ in range(times):
        await beat.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))
        await tried(beat.world)


async def follow(beat: Beat) -> None:
    options = {"thread": EMPTY, "channel": beat.world.channel}
    await beat.world.slash("announce thread", beat.world.moderator, **options)
    await poll(beat)


async def listed(beat: Beat, *labels: str) -> Any:
    """Open the only announcement of the list, press buttons there, and give the card."""
    card = answer_of(await beat.world.slash("announce list", beat.world.moderator))
    await beat.world.moderator.select(card, [selects_of(card)[0]["options"][0]["value"]])
    for label in labels:
        await beat.world.moderator.click(card, label=label)
    return card


@pytest.mark.usefixtures("log")
async def test_the_queue_leads_on_and_is_filtered(german: Beat) -> None:
    for player, count in ((700, 3), (701, 1)):
        await report_some(german, count, first=player * 10, player_id=player, locale="de")
    await hold_back(german, "Ein Fliegenpilz")

    shown = await queue(german)
    assert "1 von 5, die auf Prüfung warten" in text_of(shown)
    labels = [entry["label"] for entry in selects_of(shown)[0]["options"]]
    assert labels == ["Alle (5)", "Meldungen (4)", "Zurückgehalten (1)"]
    shown = await press(german, shown, "Abweisen")
    assert "Meldungen zu **#7000** abgewiesen." in text_of(shown)
    assert "1 von 4, die auf Prüfung warten" in text_of(shown)
    shown = await press(german, shown, "Nächste", "Vorherige", "Nur Sprig 700 (2)")
    assert "Alle Spieler" in buttons_of(shown)
    shown = await press(german, shown, "Abweisen", "Abweisen")
    assert "Sonst passt nichts zu diesem Filter" in text_of(shown)
    shown = await press(german, shown, "Alle (2)", "Nächste", "Freigeben")
    assert "** ist freigegeben." in text_of(shown)
    shown = await press(german, shown, "Abweisen")
    assert "Nichts wartet auf Prüfung" in text_of(shown)


async def test_a_raid_is_answered_in_two_presses(german: Beat, log: simcord.ChannelHandle) -> None:
    friend = german.world.friend
    _, message = await share(german)
    await report_some(german, 4, by=friend.id, locale="de")
    await report_some(german, 1, by=901, first=5002, locale="de")

    asked = await press(german, await queue(german), "4 Meldungen über Sprig 700 abweisen…")
    assert "### 4 Meldungen über Sprig 700 abweisen?\nDie Kommentare bleiben, " in text_of(asked)
    assert "niemand wird stummgeschaltet. Zurückgehaltene Kommentare warten" in text_of(asked)
    shown = await press(german, asked, "Abbrechen", "3 vom selben Mitglied abweisen…")
    assert "### 3 Meldungen dieses Mitglieds abweisen?" in text_of(shown)
    assert "1 Kommentar bleibt offen, weil auch andere ihn gemeldet haben." in text_of(shown)
    assert "Meldungen dieses Mitglieds 1 Tag sperren" in text_of(shown)
    assert (
        "Wenn dieses Mitglied etwas melden will, sagt Kiosk ihm, wann das wieder geht."
        in text_of(shown)
    )
    closed = await press(german, shown, "Einschalten", "3 abweisen")

    stopped = "Dieses Mitglied kann hier bis <t:"
    assert "3 Meldungen abgewiesen." in text_of(closed)
    assert stopped in text_of(closed)
    refused = await friend.context_menu(german.world.channel, "Report comment", message)
    assert "Du kannst gerade keine Kommentare melden" in text_of(refused)
    assert "Dieser Server nimmt bis <t:" in text_of(refused)
    assert "keine Meldungen von dir an." in text_of(refused)
    await german.settled()
    (told,) = [card for card in shown_in(log) if "Meldungen abgewiesen" in card]
    assert "3 Meldungen eines Mitglieds abgewiesen. Dieses Mitglied kann hier bis <t:" in told


async def test_a_mute_that_ends_is_drawn_as_ended(german: Beat, log: simcord.ChannelHandle) -> None:
    await german.world.known(german.world.member)
    _, message = await share(german)
    await report(german, message)
    moderator = german.world.moderator
    asked = await german.world.slash("moderate mute", moderator, player="Juniper", until="1h")
    await german.press(asked, "Ab jetzt stummschalten", moderator)
    await german.settled()
    closed, muted = shown_in(log)

    await german.world.pass_time(HOUR)
    await german.world.pass_time(A_MINUTE)

    assert "### Erledigt: Kommentar #" in closed
    assert "### Juniper ist hier stummgeschaltet" in muted
    assert "Die Stummschaltung endet am <t:" in muted
    again, ended = shown_in(log)
    assert "### Ein Mitglied hat einen Kommentar gemeldet" in again
    assert "### Juniper war hier stummgeschaltet" in ended
    assert "Die Stummschaltung von Juniper endete <t:" in ended
    assert "Die Stummschaltung von Juniper endete <t:" in await german.log()


async def test_what_the_game_has_no_more_is_said_to_be_gone(
    german: Beat, log: simcord.ChannelHandle
) -> None:
    gone, message = await share(german)
    await report(german, message)
    await delete_in_game(german, gone)

    opened = await press(german, await queue(german), "Öffnen")
    await german.settled()

    assert "Diesen Kommentar gibt es nicht mehr" in text_of(opened)
    assert "Den Kommentar gibt es im Spiel nicht mehr." in text_of(log.last_message)
    await follow(german)
    german.proxy.manner = no_such_thread
    german.world.bot.features.threads.client.comments.forget()
    await poll(german, 4)
    told = log.last_message
    assert "### Quiet corner gibt es im Spiel nicht mehr\nKiosk hat nichts Neues" in text_of(told)
    shown = await german.press(told, "Ankündigungen öffnen", german.world.moderator)
    assert "Im Spiel nicht mehr da. Schon gepostete Nachrichten bleiben." in text_of(shown)


async def test_a_restored_comment_is_posted_again(german: Beat) -> None:
    moderator = german.world.moderator
    await follow(german)
    comment_id = number_of(await german.post("Gemeine Worte"))
    await poll(german)
    card = await german.remove(comment_id, "Beleidigung")
    await german.settled()
    history = text_of(await listed(german, "Verlauf"))
    assert f"🚫 {german.world.channel.mention}: gepostet, dann von {moderator.mention}" in history

    restored = await press(german, card, "Wiederherstellen")
    again = await press(german, restored, "Erneut in #game-talk posten")
    await german.settled()

    assert f"Kiosk postet ihn noch einmal in {german.world.channel.mention}." in text_of(again)
    assert "Gemeine Worte" in text_of(german.world.channel.last_message)


async def test_who_is_muted_is_listed(german: Beat) -> None:
    moderator = german.world.moderator
    for options in ({"player": "901"}, {"player": "902", "until": "2h", "reason": "Werbung"}):
        await german.world.slash("moderate mute", moderator, **options)

    card = await german.world.slash("moderate unmute", moderator)
    assert "## 2 Spieler sind hier stummgeschaltet" in text_of(card)
    assert "**Spieler 901** ist für immer stummgeschaltet." in text_of(card)
    assert "**Spieler 902** ist bis <t:" in text_of(card)
    card = await press(german, card, "Stummschaltung beenden")
    assert "## 1 Spieler ist hier stummgeschaltet" in text_of(card)
    assert "ist nicht mehr stummgeschaltet." in text_of(card)
    card = await press(german, card, "Stummschaltung beenden")
    assert "## Hier ist niemand stummgeschaltet" in text_of(card)


async def test_pages_of_hidden_comments_are_passed_over(german: Beat) -> None:
    await write_noise(german, 30)
    card = await german.read(SMALL, german.world.friend)
    assert "30 verborgene Kommentare übersprungen" in text_of(card)


async def test_a_card_says_what_was_held_back_first(
    german: Beat, log: simcord.ChannelHandle
) -> None:
    posted = await german.post("Ein Fliegenpilz")
    await hold_back(german, word="fliegenpilz\ngiftpilz")
    form = await german.press(posted, "Bearbeiten")
    await german.world.member.submit_modal(form, {"text": "Ein Giftpilz"})
    await german.read_here()
    await german.settled()

    card = text_of(log.last_message)
    assert "### Zurückgehalten: überwachtes Wort" in card
    first = "Kiosk hat ihn zuerst wegen fliegenpilz zurückgehalten:\n> Ein Flieg"
    assert f"Der Spieler hat ihn geändert. {first}" in card

    await hold_back(german, "Harmlos", word="juniper")
    card = text_of(log.last_message)
    assert "### Zurückgehalten: Name eines Spielers" in card
    assert "**Juniper** · Spielernummer 1\n" in card


async def test_a_report_waits_though_the_log_is_closed(
    german: Beat, log: simcord.ChannelHandle
) -> None:
    await shut(german.world, log, SEND)
    told = [await report(german, (await share(german, text))[1]) for text in ("Eins", "Zwei")]

    reported = "Die Moderation dieses Servers prüft deine Meldung."
    assert [reported in each for each in told] == [True, True]
    setup = text_of(await german.world.slash("setup show", german.world.moderator))
    assert "**Warteschlange** · 2 warten auf Prüfung" in setup
    assert f"**Kiosk kann Meldungen nicht posten**\nKiosk braucht in {log.mention}: " in setup


async def test_one_kind_of_the_log_is_shown_alone(german: Beat, log: simcord.ChannelHandle) -> None:
    comment_id, message = await share(german)
    await report(german, message)
    await press(german, log.last_message, "Abweisen")
    await german.remove(comment_id, "Beleidigung")
    shown = answer_of(await german.world.slash("moderate log", german.world.moderator))

    async def only(label: str) -> str:
        (kinds,) = selects_of(shown)
        (kind,) = (entry["value"] for entry in kinds["options"] if entry["label"] == label)
        return text_of(await german.world.moderator.select(shown, [kind]))

    dismissed = f"die Meldungen zu Kommentar #{comment_id} von Juniper abgewiesen."
    assert dismissed not in await only("Entferntes und Stummschaltungen")
    assert dismissed in await only("Entscheidungen")
    settings = await only("Einstellungen")
    assert ":R> Einstellungen geändert:\n> " in settings
    assert f"> **Protokollkanal** · {log.mention}" in settings
    await german.settled()
    assert "> Gemeine Worte\n1 Nachricht gelöscht." in await only("Alles")
