"""The server's own AutoMod rules hold for what Kiosk shows there, and for what is written."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

import discord
import simcord

from cogs.moderate.rules import AutomodReader
from storage.names import PlaceKind
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import buttons_of, text_of
from tests.support.forum import EMPTY
from tests.support.world import VISITOR

BLOCK, ALERT = [{"type": 1}], [{"type": 2, "metadata": {"channel_id": "1"}}]


def rule(beat: Beat, name: str, about: Mapping[str, Any], **more: Any) -> None:
    """Make a rule as a manager does in Discord."""
    body: dict[str, Any] = {
        "name": name,
        "event_type": 1,
        "trigger_type": 1,
        "trigger_metadata": about,
        "actions": BLOCK,
        "enabled": True,
        **more,
    }
    backend = beat.world.env.backend
    backend.create_auto_mod_rule(beat.world.guild.id, beat.world.moderator.id, body)


async def automod(beat: Beat, on_or_off: str) -> str:
    label = f"Turn AutoMod {on_or_off}"
    world = beat.world
    return text_of(await world.press_through("moderate rules", label, actor=world.moderator))


async def test_rules_hold_for_all_texts(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    await beat.post("Unkind words")
    await beat.post("Class of unkindness")
    await beat.world.link(beat.world.moderator, VISITOR)
    rule(beat, "Manners", {"keyword_filter": ["unkind*"], "allow_list": ["unkindness"]})
    switched = await automod(beat, "on")

    read = await beat.read_here()
    stopped = await beat.world.slash("forum post", thread=EMPTY, content="So UNKIND of you")
    shown = text_of(stopped)
    form = await beat.press(stopped, "Edit")
    sent = await beat.world.member.submit_modal(form, {"text": "So kind of you"})
    passed = await beat.world.slash(
        "forum post", beat.world.moderator, thread=EMPTY, content="So unkind"
    )
    await beat.settled()

    assert "**AutoMod** · 1 rule holds for the game" in switched
    assert "Held back: a moderator decides." in read
    assert "Unkind words" not in read
    assert "Class of unkindness" in read
    assert "AutoMod stopped your text" in shown
    assert "Manners" in shown
    assert "So UNKIND of you" in shown
    assert "Your comment is posted" in text_of(sent)
    assert "Your comment is posted" in text_of(passed)
    assert "AutoMod rule: Manners" in text_of(log_channel.last_message)
    assert all("UNKIND" not in text for text in await beat.texts_in())


async def test_exemptions_and_alerts_are_as_in_discord(beat: Beat) -> None:
    world = beat.world
    await beat.post("Unkind words 42")
    trusted = world.guild.create_role("Trusted")
    exempt = {"exempt_channels": [str(world.channel.id)]}
    rule(beat, "Elsewhere", {"keyword_filter": ["unkind"]}, **exempt)
    rule(beat, "Quiet", {"keyword_filter": ["words"]}, actions=ALERT)
    rule(beat, "Off", {"keyword_filter": ["unkind"]}, enabled=False)
    rule(beat, "Profiles", {"keyword_filter": ["unkind"]}, event_type=2, trigger_type=6)
    rule(beat, "Slurs", {"presets": [3]}, trigger_type=4)
    rule(beat, "Numbers", {"regex_patterns": [r"\d{9}", r"(?=x)"]}, exempt_roles=[str(trusted.id)])

    switched = await automod(beat, "on")
    stopped = await world.slash("forum post", thread=EMPTY, content="٩ 123456789")
    world.env.backend.guilds[world.guild.id].members[world.member.id].role_ids.append(trusted.id)
    posted = await world.slash("forum post", thread=EMPTY, content="Call 123456789")

    assert "own word sets, so these don't apply: Slurs" in switched
    assert "**AutoMod** · 2 of 3 rules hold for the game" in switched
    assert "-# “Numbers” has a pattern that Kiosk can't run." in switched
    assert "(?=x)" not in switched
    assert "Unkind words 42" in await beat.read_here()
    assert "Numbers" in text_of(stopped)
    assert "Your comment is posted" in text_of(posted)
    assert "Share" in buttons_of(posted)


async def test_a_followed_thread_comes_whole_into_a_thread_of_an_exempt_channel(beat: Beat) -> None:
    world = beat.world
    exempt = world.guild.create_text_channel("anything-goes")
    rule(beat, "Manners", {"keyword_filter": ["unkind"]}, exempt_channels=[str(exempt.id)])
    for parent in (exempt, world.channel):
        await world.bot.http.start_thread_without_message(
            parent.id, name="News", auto_archive_duration=1440, type=11
        )
        await world.slash(
            "announce thread", world.moderator, thread=EMPTY, channel=parent.threads[0]
        )
    poller = world.bot.features.poller
    await poller.poll(PlaceKind.THREAD, int(EMPTY))
    await beat.post("Unkind words")
    await automod(beat, "on")

    await poller.poll(PlaceKind.THREAD, int(EMPTY))
    await beat.settled()

    assert "Unkind words" in text_of(exempt.threads[0].last_message)
    assert "Unkind words" not in str([text_of(each) for each in world.channel.threads[0].history()])


async def test_rules_are_read_again_and_trouble_with_them_is_told(beat: Beat) -> None:
    world = beat.world
    await beat.post("Unkind words")
    empty = await automod(beat, "on")
    rule(beat, "Manners", {"keyword_filter": ["unkind"]})
    reader = AutomodReader(world.bot)

    await reader.read_due(discord.utils.utcnow() - timedelta(hours=1))
    not_due = await beat.read_here()
    await reader.read_due(discord.utils.utcnow() + timedelta(hours=1))
    held_back = await beat.read_here()
    role = cast("Any", world.env.backend.guilds[world.guild.id])
    for each in role.roles.values():
        each.permissions &= ~discord.Permissions(manage_guild=True, administrator=True).value
    await reader.read_due(discord.utils.utcnow() + timedelta(hours=1))
    closed = text_of(await world.slash("moderate rules", world.moderator))
    still = await beat.read_here()
    off = await automod(beat, "off")

    assert "0 rules hold for the game" in empty
    assert "Unkind words" in not_due
    assert "Held back: a moderator decides." in held_back
    assert "it needs the permission Manage Server" in closed
    assert "Held back: a moderator decides." in still
    assert "applies to Discord alone" in off
    assert "Unkind words" in await beat.read_here()
