"""A manager copies AutoMod's words, and is told by number what is not copied."""

from collections.abc import Mapping
from typing import Any

import discord
import pytest
import simcord

from tests.conversations.moderate.conftest import Beat
from tests.support.cards import text_of

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


async def copy(beat: Beat, actor: simcord.MemberActor | None = None) -> Any:
    actor = actor or beat.world.moderator
    card = await beat.world.slash("moderate rules", actor)
    return await beat.press(card, "Copy AutoMod's words", actor)


async def test_words_are_copied_once_and_what_is_not_is_counted(beat: Beat) -> None:
    world = beat.world
    await beat.post("Unkindest words")
    await world.watch_words("Rude")
    exempt = {"exempt_channels": [str(world.channel.id), "1", "2"], "exempt_roles": ["5"]}
    about = {
        "keyword_filter": ["rude", "unkind*", "bad, word"],
        "allow_list": ["unkindness"],
        "regex_patterns": [r"\d{9}", "a+"],
    }
    rule(beat, "Manners", about, **exempt)
    rule(beat, "Quiet", {"keyword_filter": ["*sly*", "unkind*"]}, actions=ALERT)
    rule(beat, "Names", {"keyword_filter": ["boss"]}, event_type=2, trigger_type=6)
    rule(beat, "Slurs", {"presets": [1, 3]}, trigger_type=4)
    rule(beat, "Off", {"keyword_filter": ["weather"], "regex_patterns": ["b"]}, enabled=False)

    card = text_of(await copy(beat))
    again = text_of(await copy(beat))

    assert card.split("\n")[1:9] == [
        "**3 words were added.**",
        "**1 word is left out: no letter to look for, or over 60 characters.**",
        "**2 patterns are not copied.**",
        "**2 of Discord's own word sets are not copied: bots can't read them.**",
        "**1 allowed word is not copied.**",
        "**3 exempt channels are not copied: the words are held back there, too.**",
        "**1 exempt role is not copied.**",
        "**1 rule only alerts in Discord: here its words are held back.**",
    ]
    assert "**Watched words** · 4\n\\*sly\\*, Rude, boss, and unkind\\*" in card
    assert "**0 words were added.**" in again
    assert "Held back: a moderator decides." in await beat.read_here()


async def test_what_has_no_room_is_said(beat: Beat) -> None:
    await beat.world.bot.features.moderation.policy.set_words(
        beat.world.guild.id, [f"word{number}" for number in range(999)], 1
    )
    rule(beat, "Manners", {"keyword_filter": ["rude", "unkind", "word7"]})

    card = text_of(await copy(beat))

    assert "**1 word was added.**" in card
    assert "**1 word is left out: a server can have 1,000.**" in card


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (403, "Give Kiosk the permission Manage Server once, then press the button again."),
        (400, "Discord doesn't show the AutoMod rules just now"),
    ],
)
async def test_what_discord_does_not_show_can_be_tried_again(
    beat: Beat, status: int, said: str
) -> None:
    rule(beat, "Manners", {"keyword_filter": ["unkind*"]})
    rules = f"/guilds/{beat.world.guild.id}/auto-moderation/rules"
    beat.world.env.inject_error("GET", rules, status=status)

    refused = await copy(beat)
    told = text_of(refused)
    tried_again = await beat.press(refused, "Try again", beat.world.moderator)

    assert said in told
    assert "**1 word was added.**" in text_of(tried_again)


async def test_copying_takes_manage_server(beat: Beat) -> None:
    rule(beat, "Manners", {"keyword_filter": ["unkind*"]})
    helper = beat.world.guild.create_role(
        "Helper", permissions=discord.Permissions(manage_messages=True)
    )
    moderator = beat.world.guild.add_member(beat.world.env.create_user("helper"), roles=[helper])

    refused = await copy(beat, moderator)

    assert "You need the permission Manage Server" in text_of(refused)
    assert await beat.world.bot.features.moderation.policy.watched.words(beat.world.guild.id) == []


async def test_automod_stops_no_text_of_the_game(beat: Beat) -> None:
    rule(beat, "Manners", {"keyword_filter": ["unkind*"]})
    await copy(beat)

    assert "Your comment is posted" in text_of(await beat.post("So unkind of you"))
