"""The log channel, reports of members, muted players, and how a server sets this up."""

from typing import Any

import pytest
import simcord

from cogs.moderate import removing
from storage.moderation import Subject
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forum import EMPTY, number_of
from tests.support.gates import PATIENCE
from tests.support.presses import press_again
from tests.support.world import NEWCOMER


async def test_a_removal_is_posted_and_undone_in_the_log_channel(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    moderator = beat.world.moderator
    comment_id, _ = await beat.share()

    await beat.remove(comment_id)
    await beat.settled()
    card = log_channel.last_message
    assert card is not None
    assert "> Unkind words" in text_of(card)
    assert f"<@{moderator.id}>" in text_of(card)
    form = await beat.press(card, "Note", moderator)
    await moderator.submit_modal(form, {"note": "Second time this week"})
    await beat.press(card, "Restore", moderator)
    await beat.settled()

    card = log_channel.last_message
    assert len(log_channel.history()) == 1
    assert "Second time this week" in text_of(card)
    assert "was removed here" in text_of(card)
    assert "Undone by" in text_of(card)
    assert "Unkind words" in await beat.read_here()


async def test_who_is_no_moderator_can_press_nothing_in_the_log_channel(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    comment_id, _ = await beat.share()
    await beat.remove(comment_id)
    await beat.settled()

    refused = await beat.press(log_channel.last_message, "Restore", beat.world.friend)

    assert "That is for moderators" in text_of(refused)
    assert "Unkind words" not in await beat.read_here()


async def test_members_report_a_comment_once_each_and_moderators_decide(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, message = await beat.share()

    async def report(actor: simcord.MemberActor) -> Any:
        form = await actor.context_menu(world.channel, "Report comment", message)
        return await actor.submit_modal(form, {"reason": "Rude"})

    thanked = await report(world.friend)
    again = await report(world.friend)
    await report(world.moderator)
    await beat.settled()

    card = log_channel.last_message
    assert "Thank you" in text_of(thanked)
    assert answer_of(thanked).ephemeral
    assert "once is enough" in text_of(again)
    assert len(log_channel.history()) == 1
    assert "2 members reported it" in text_of(card)
    assert "🚩 Rude" in text_of(card)
    assert str(world.friend.id) not in text_of(card)
    await beat.press(card, "Dismiss", world.moderator)
    await beat.settled()
    assert "let it stay" in text_of(log_channel.last_message)
    assert "Dismiss" not in buttons_of(log_channel.last_message)

    for number in range(19):
        subject = Subject(10**6 + number, None, None, "", None)
        await world.bot.features.moderation.report(
            world.guild.id, subject, world.friend.id, "", "en-US"
        )
    assert "That is a lot to report" in text_of(await report(world.friend))


async def test_a_report_of_a_comment_that_nobody_saw_here_opens_no_case(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    await beat.post("Unkind words")
    card = await beat.open_first(world.friend)
    custom_id = buttons_of(card)["Report"]["custom_id"]
    forged = custom_id.replace(str(number_of(card)), str(10**9))
    assert forged != custom_id

    form = await press_again(world.friend, world.channel, answer_of(card), forged)
    refused = await world.friend.submit_modal(form, {"reason": "Rude"})
    form = await beat.press(card, "Report", world.friend)
    thanked = await world.friend.submit_modal(form, {"reason": "Rude"})
    await beat.settled()

    assert "Kiosk can't find that comment" in text_of(refused)
    assert "Thank you" in text_of(thanked)
    assert len(log_channel.history()) == 1


async def test_a_reported_comment_is_removed_from_its_card(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, message = await beat.share()
    form = await world.friend.context_menu(world.channel, "Report comment", message)
    await world.friend.submit_modal(form, {"reason": "Rude"})
    await beat.settled()

    form = await beat.press(log_channel.last_message, "Remove", world.moderator)
    await world.moderator.submit_modal(form, {"reason": "Insults", "in_game": False})
    await beat.settled()

    assert "is removed here" in text_of(log_channel.last_message)
    assert len(log_channel.history()) == 1
    assert world.channel.last_message is None


async def test_all_that_a_muted_player_wrote_goes_and_comes_back(beat: Beat) -> None:
    await beat.share()

    muted = await beat.world.slash(
        "moderate mute", beat.world.moderator, player="Juniper", reason="Spam", until="7d"
    )
    await beat.settled()
    assert "is muted here" in text_of(muted)
    assert "That ends" in text_of(muted)
    assert beat.world.channel.last_message is None
    assert "Unkind words" not in await beat.read_here()
    heard = await beat.world.slash("moderate unmute", beat.world.moderator, player="Juniper")

    assert "is no longer muted here" in text_of(heard)
    assert "Unkind words" in await beat.read_here()
    assert "Spam" in await beat.log(player="Juniper")


async def test_a_mute_that_another_moderator_has_ended_is_told_as_ended(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.share()
    await beat.moderate("mute", player="Juniper", until="7d")
    await beat.settled()
    card = log_channel.last_message
    told = text_of(card)
    press = buttons_of(card)["Unmute"]["custom_id"]
    await beat.moderate("unmute", player="Juniper")

    late = await press_again(beat.world.moderator, log_channel, card, press)

    assert "That ends" in told
    assert "“Juniper” is not removed or muted here" in text_of(late)


async def test_of_players_with_one_name_the_one_who_is_meant_is_muted(beat: Beat) -> None:
    await beat.world.link(beat.world.friend, NEWCOMER)
    await beat.game.database.execute("UPDATE players SET screen_name = 'Juniper'")
    await beat.post("Unkind words")
    await beat.post("Kind words", actor=beat.world.friend)
    await beat.read_here()

    asked = await beat.moderate("mute", player="juniper")
    world = beat.world
    offered = await world.moderator.autocomplete(world.channel, "moderate mute", "player", "juni")
    read = await beat.read_here()

    assert "Which one?" in asked
    assert "Unkind words" in read
    assert "Kind words" in read
    assert len({each["name"] for each in offered}) == len(offered) > 1


async def test_a_role_that_was_set_up_removes_comments_and_needs_a_reason(beat: Beat) -> None:
    world = beat.world
    role = world.guild.create_role("Helpers")
    helper = world.guild.add_member(world.env.create_user("helper"), roles=[role])
    await beat.post("Unkind words")
    assert "Remove" not in buttons_of(await beat.open_first(helper))
    await world.slash("setup moderators", world.moderator, role=role)
    await world.slash(
        "setup moderation", world.moderator, reasons="Spam, Insults", reason_required=True
    )

    opened = await beat.open_first(helper)
    form = await beat.press(opened, "Remove", helper)
    refused = await helper.submit_modal(form, {"in_game": False})
    form = await beat.press(opened, "Remove", helper)
    roles = world.env.backend.guilds[world.guild.id].members[helper.id].role_ids
    roles.remove(role.id)
    may_not = await beat.press(opened, "Remove", helper)
    roles.append(role.id)
    removed = await helper.submit_modal(form, {"usual": ["Insults"], "in_game": False})

    assert f"That role is <@&{role.id}>" in text_of(may_not)
    assert "A reason is needed" in text_of(refused)
    assert "is removed here" in text_of(removed)
    assert "Insults" in await beat.log()


async def test_the_game_is_asked_as_the_moderators_own_player(
    beat: Beat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first card tells what it answered, however slow the machine is.
    monkeypatch.setattr(removing, "_SECONDS_TO_ANSWER", PATIENCE)
    world = beat.world
    await beat.post("Unkind words")
    opened = await beat.open_first(world.moderator)

    form = await beat.press(opened, "Remove", world.moderator)
    removed = await world.moderator.submit_modal(form, {"reason": "x", "in_game": True})

    assert "no game account is linked" in text_of(removed)
    assert await beat.texts_in(EMPTY) == ["Unkind words"]
