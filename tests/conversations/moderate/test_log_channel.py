"""The log channel and its cards, reports of members, and muted players."""

from typing import Any

import pytest
import simcord

from storage.moderation import Subject
from tests.conversations.moderate.conftest import Beat, second_moderator, shown_in
from tests.support.cards import answer_of, buttons_of, components, selects_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.forum import number_of
from tests.support.owed import try_again
from tests.support.presses import press_again
from tests.support.steps import Steps
from tests.support.world import NEWCOMER


async def test_a_removal_is_undone_there(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    moderator = beat.world.moderator
    comment_id, _ = await beat.share()

    await beat.remove(comment_id)
    await beat.settled()
    card = log_channel.last_message
    assert card is not None
    assert "> Unkind words" in [part.get("content") for part in components(card)]
    assert f"<@{moderator.id}>" in text_of(card)
    await beat.press(card, "Restore", moderator)
    await beat.settled()

    card = log_channel.last_message
    assert len(log_channel.history()) == 1
    assert "Restored: comment" in text_of(card)
    assert "Undone by" in text_of(card)
    assert "Unkind words" in await beat.read_here()


async def test_members_report_once_each(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
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
    assert "Report sent" in text_of(thanked)
    assert answer_of(thanked).ephemeral
    assert "You don't need to send it again" in text_of(again)
    assert list(buttons_of(again)) == ["Help"]
    assert len(log_channel.history()) == 1
    assert "2 members reported a comment" in text_of(card)
    assert "**Juniper** · Quiet corner · #" in text_of(card)
    # A text of its own: a quote goes on over the lines that follow it.
    assert "> Unkind words" in [part.get("content") for part in components(card)]
    assert "Rude (2)\n-# First report <t:" in text_of(card)
    assert list(buttons_of(card)) == [
        "Remove comment…",
        "Mute Juniper…",
        "Dismiss",
        "Open",
        "Message",
    ]
    assert str(world.friend.id) not in text_of(card)
    await beat.press(card, "Dismiss", world.moderator)
    await beat.settled()
    assert "### Dismissed: comment #" in text_of(log_channel.last_message)
    assert list(buttons_of(log_channel.last_message)) == ["Remove comment…"]

    for number in range(19):
        subject = Subject(10**6 + number, None, None, "", None)
        await world.bot.features.moderation.report(
            world.guild.id, subject, world.friend.id, "", "en-US"
        )
    refused = await report(world.friend)
    assert "You sent too many reports" in text_of(refused)
    form = await beat.press(refused, "Try again", world.friend)
    assert presets(world.friend, form) == {"reason": "Rude"}


async def test_a_reported_author_is_muted_for_a_usual_reason(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    await world.manage("Moderation", reasons="Spam\nInsults")
    _, message = await beat.share()
    form = await world.friend.context_menu(world.channel, "Report comment", message)
    await fill_in(world.friend, form, usual=["Insults"])
    await beat.settled()
    assert "\nInsults\n-# Reported <t:" in text_of(log_channel.last_message)
    opened = await beat.press(log_channel.last_message, "Open", world.moderator)
    assert "Unkind words" in text_of(opened)

    steps = Steps(world, world.moderator, card=log_channel.last_message)
    await steps.press("Mute Juniper…")
    refused = await steps.send(usual=["Spam"], until="soon")
    assert "“soon”" in refused
    await steps.press("Try again")
    assert presets(world.moderator, steps.form) == {"usual": ["Spam"], "until": "soon"}
    asked = await steps.send(until="7d")
    assert "1 message shows this player's comments" in asked
    assert "Juniper is muted here" in await steps.press("Mute, delete 1 message")
    assert steps.count <= 2 + 3

    extended = Steps(world, world.moderator)
    assert "The mute ends <t:" in await extended.use("moderate mute", player="Juniper", until="30d")
    assert extended.count <= 1
    offered = await world.moderator.autocomplete(world.channel, "moderate mute", "reason", "ins")
    assert [each["value"] for each in offered] == ["Insults"]


async def test_a_server_is_told_once_that_its_log_channel_is_closed(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    lobby = world.guild.create_text_channel("lobby")
    world.env.backend.guilds[world.guild.id].system_channel_id = lobby.id
    comment_id, shared = await beat.share()
    await beat.report(world.friend, shared, "Rude")
    card = log_channel.last_message
    assert card is not None
    posting = f"/channels/{log_channel.id}/messages"
    for method, path in (("POST", posting), ("PATCH", f"{posting}/{card.id}")):
        world.env.inject_error(method, path, status=403, code=50001, times=None)
    _, other = await beat.share("Other words")
    for message in (other, shared):
        form = await world.moderator.context_menu(world.channel, "Report comment", message)
        await world.moderator.submit_modal(form, {"reason": "Rude"})
    await beat.settled()
    await beat.remove(comment_id)
    unreported, _ = await beat.share("Third words")
    await beat.remove(unreported)
    await beat.settled()
    await try_again(world)

    (told,) = shown_in(lobby)
    assert f"Kiosk can't post in {log_channel.mention}" in told
    assert len(shown_in(log_channel)) == 1
    world.env.backend.faults.clear()
    card = await world.press_through("setup show", actor=world.moderator)
    assert "Reports can't be posted" not in text_of(card)
    await world.moderator.click(card, label="Permissions")
    assert "✅ Kiosk has every permission it needs" in text_of(card)
    await try_again(world)
    changed, counted = shown_in(log_channel)
    assert "Removed: comment #" in changed
    assert "### 1 waiting for review" in counted
    assert len(shown_in(lobby)) == 1


async def test_unseen_comments_open_no_case(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    await beat.post("Unkind words")
    card = await beat.open_first(world.friend)
    custom_id = buttons_of(card)["Report"]["custom_id"]
    forged = custom_id.replace(str(number_of(card)), str(10**9))
    assert forged != custom_id

    talk = await world.member.send(world.channel, "Just talking")
    vain = text_of(await world.friend.context_menu(world.channel, "Report comment", talk))
    assert "Use the menu on such a message, or open the comment in its thread." in vain

    form = await press_again(world.friend, world.channel, answer_of(card), forged)
    refused = await world.friend.submit_modal(form, {"reason": "Rude"})
    form = await beat.press(card, "Report", world.friend)
    thanked = await world.friend.submit_modal(form, {"reason": "Rude"})
    await beat.settled()

    assert "Kiosk can't find that comment" in text_of(refused)
    assert "Report sent" in text_of(thanked)
    assert len(log_channel.history()) == 1


async def test_all_that_a_muted_player_wrote_goes_and_comes_back(beat: Beat) -> None:
    await beat.share()

    muted = await beat.mute(player="Juniper", reason="Spam", until="7d")
    await beat.settled()
    assert "is muted here" in text_of(muted)
    assert "The mute ends <t:" in text_of(muted)
    assert beat.world.channel.last_message is None
    assert "Unkind words" not in await beat.read_here()
    changed = await beat.moderate("mute", player="Juniper", reason="Insults")
    assert "The mute ends <t:" not in changed
    assert "Insults" in await beat.log()
    assert "Spam" not in await beat.log()
    heard = await beat.world.slash("moderate unmute", beat.world.moderator, player="Juniper")

    assert "is no longer muted here" in text_of(heard)
    assert "Unkind words" in await beat.read_here()
    assert "Insults" in await beat.log(writer="Juniper")


async def test_a_second_mute_keeps_who_muted_and_why(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.post("Unkind words")
    await beat.world.manage("Moderation", needs_reason=True)
    first, other = beat.world.moderator, await second_moderator(beat)
    muting = {"player": "Juniper", "until": "7 days"}

    refused = text_of(await beat.world.slash("moderate mute", first, **muting))
    await beat.world.slash("moderate mute", first, player="Juniper", reason="Spam")
    longer = text_of(await beat.world.slash("moderate mute", other, **muting))
    await beat.settled()
    logged = text_of(log_channel.last_message)
    changed = text_of(await beat.world.slash("moderate mute", other, reason="Insults", **muting))

    assert "reason" in refused
    for card in (longer, logged):
        assert f"<@{first.id}> · <t:" in card
        assert "Spam" in card
        assert "The mute ends <t:" in card
    assert f"<@{other.id}> · <t:" in changed
    assert "Insults" in changed


async def test_an_ended_mute_stays_ended(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    await beat.share()
    await beat.mute(player="Juniper", until="7d")
    await beat.settled()
    card = log_channel.last_message
    told = text_of(card)
    press = buttons_of(card)["Unmute"]["custom_id"]
    await beat.moderate("unmute", player="Juniper")

    late = await press_again(beat.world.moderator, log_channel, card, press)

    assert "The mute ends <t:" in told
    assert "“Juniper” isn't removed or muted here" in text_of(late)


@pytest.mark.parametrize("name", ["7", "雨" * 90])
async def test_the_label_of_a_player_means_that_player(beat: Beat, name: str) -> None:
    await beat.game.database.execute(f"UPDATE players SET screen_name = '{name}'")
    await beat.post("Unkind words")
    await beat.read_here()
    world = beat.world

    (entry,) = await world.moderator.autocomplete(world.channel, "moderate mute", "player", name[0])
    again = await world.moderator.autocomplete(
        world.channel, "moderate mute", "player", entry["name"]
    )
    await beat.moderate("mute", player=entry["name"])

    assert again == [entry]
    assert "Unkind words" not in await beat.read_here()


async def test_of_players_with_one_name_the_one_who_is_meant_is_muted(beat: Beat) -> None:
    await beat.world.link(beat.world.friend, NEWCOMER)
    await beat.game.database.execute("UPDATE players SET screen_name = 'Juniper'")
    await beat.post("Unkind words")
    await beat.post("Kind words", actor=beat.world.friend)
    await beat.read_here()

    world = beat.world
    asked = await world.slash("moderate mute", world.moderator, player="juniper")
    logged = await world.slash("moderate log", world.moderator, writer="juniper")
    for shown in (asked, logged):
        assert "### Several names match" in text_of(shown)
        (players,) = selects_of(shown)
        assert {entry["label"] for entry in players["options"]} == {"Juniper (1)", "Juniper (3)"}
    await world.moderator.select(answer_of(logged), [players["options"][0]["value"]])
    assert "Log for" in text_of(logged)
    offered = await world.moderator.autocomplete(world.channel, "moderate mute", "player", "juni")
    read = await beat.read_here()

    assert "Unkind words" in read
    assert "Kind words" in read
    assert len({each["name"] for each in offered}) == len(offered) > 1


async def test_a_role_that_was_set_up_removes_comments_and_needs_a_reason(beat: Beat) -> None:
    world = beat.world
    role = world.guild.create_role("Helpers")
    helper = world.guild.add_member(world.env.create_user("helper"), roles=[role])
    await beat.post("Unkind words")
    assert "Remove comment" not in buttons_of(await beat.open_first(helper))
    filled = {"moderator_role_id": [role], "reasons": "Spam\nInsults", "needs_reason": True}
    card = answer_of(await world.manage("Moderation", **filled))
    assert f"**Moderator role** · {role.mention}" in text_of(card)

    opened = await beat.open_first(helper)
    form = await beat.press(opened, "Remove comment", helper)
    with pytest.raises(simcord.SetupError, match="Required modal control"):
        await helper.submit_modal(form, {})
    roles = world.env.backend.guilds[world.guild.id].members[helper.id].role_ids
    roles.remove(role.id)
    may_not = await beat.press(opened, "Remove comment", helper)
    roles.append(role.id)
    assert form.modal is not None
    options = form.modal["components"][1]["component"]["options"]
    another = next(each["value"] for each in options if each["label"] == "Other reason")
    refused = await helper.submit_modal(form, {"usual": [another], "reason": " "})
    form = await beat.press(refused, "Try again", helper)
    chosen = presets(helper, form)
    own = {"usual": [another], "reason": "Custom text"}
    removed = await helper.submit_modal(form, own)

    assert f"This server's moderator role is <@&{role.id}>" in text_of(may_not)
    assert "A reason is required" in text_of(refused)
    assert chosen["usual"] == [another]
    assert "Removed: comment #" in text_of(removed)
    assert " · Custom text" in await beat.log()


async def test_a_restored_one_is_reported(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    comment_id, _ = await beat.share()
    await beat.remove(comment_id)
    await beat.moderate("restore", removed=str(comment_id))
    posted = await beat.open_first(beat.world.member)
    await beat.press(posted, "Share")

    await beat.report(beat.world.friend, beat.world.channel.last_message, "Still rude")

    (card,) = shown_in(log_channel)
    assert "Still rude" in card
    assert "Dismiss" in buttons_of(log_channel.last_message)


async def test_an_erased_report_leaves_it(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    _, shared = await beat.share()
    await beat.report(world.friend, shared, "My own words")
    await beat.report(world.moderator, shared, "Mean")
    before = text_of(log_channel.last_message)

    await world.press_through("account show", "Erase data…", "Erase everything", actor=world.friend)
    await beat.settled()

    (card,) = shown_in(log_channel)
    assert "My own words" in before
    assert "My own words" not in card
    assert "A member reported a comment" in card
