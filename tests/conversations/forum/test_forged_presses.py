"""What no Discord client sends, or hardly ever."""

import simcord

from tests.support.cards import answer_of, text_of
from tests.support.forum import SMALL, ForumTown, numbers_of
from tests.support.presses import choose_forged, press_again


async def test_a_press_that_chose_nothing_is_an_old_button(town: ForumTown) -> None:
    shown = await town.read(SMALL)

    world = town.world
    told = await press_again(world.member, world.channel, answer_of(shown), "kiosk.forum.pick:2")

    assert "no longer works" in text_of(told)
    assert answer_of(told).ephemeral


async def test_buttons_of_older_cards_still_lead_where_they_said(linked: ForumTown) -> None:
    world, shown = linked.world, answer_of(await linked.read(SMALL))
    comment_id = numbers_of(shown)[0]

    async def press(custom_id: str) -> simcord.InteractionResult:
        return await press_again(world.member, world.channel, shown, f"kiosk.forum.{custom_id}")

    form = await press(f"write_form:2:{comment_id}")
    assert "Your reply is posted" in text_of(
        await world.member.submit_modal(form, {"text": "As of old"})
    )
    await press(f"comment:2:latest:1:{comment_id}:0:4")
    assert "As of old" in text_of(shown)
    await press(f"share:2:latest:1:{comment_id}")
    assert world.channel.last_message is not None
    await press("screen:2:latest:1:0")
    assert "## Patch notes" in text_of(shown)


async def test_a_list_entry_that_nobody_made_is_an_old_button(town: ForumTown) -> None:
    world, shown = town.world, answer_of(await town.read(SMALL))

    for value in ("", "open", "open.x", "close.1", "reply.-1"):
        told = await choose_forged(
            world.member, world.channel, shown, "kiosk.forum.open_or_reply:2:latest:1", value
        )
        assert "no longer works" in text_of(told)


async def test_what_no_card_of_ours_sends_is_an_old_button(town: ForumTown) -> None:
    world, shown = town.world, answer_of(await town.read(SMALL))

    async def choose(custom_id: str, value: str) -> str:
        told = await choose_forged(world.moderator, world.channel, shown, custom_id, value)
        return text_of(told)

    assert "no longer works" in await choose("kiosk.forum.pick:2", "open.118")
    assert "no longer works" in await choose("kiosk.moderate.pick", "open.118")
    assert "no longer works" in await choose("kiosk.moderate.report_pick", "")
    assert "no longer works" in await choose("kiosk.choose_action:", "kiosk.find:buy%:0:Hat")
    assert "no longer works" in await choose("kiosk.link:", "no form at all")
    # Numbers that no database holds, and no calendar.
    assert "no longer works" in await choose("kiosk.forum.pick:2", "9" * 70)
    assert "no longer works" in await choose(
        "kiosk.forum.open_or_reply:2:latest:1", "open." + "9" * 70
    )
    assert "no longer works" in await choose("kiosk.choose:1", "1." + "9" * 70)
    assert "no longer works" in await choose(f"kiosk.moderate.log:{2**63 - 1}:0:0:-1", "x")
    assert "no longer works" in await choose("kiosk.moderate.log:1000000:0:0:-1", "x")


async def test_half_of_a_surrogate_pair_is_looked_for_like_any_other_text(
    town: ForumTown,
) -> None:
    told = await town.read("no such \ud800 thread")

    assert "Kiosk doesn't know that name" in text_of(told)


async def test_comments_are_suggested_for_no_thread_as_an_empty_list(town: ForumTown) -> None:
    world = town.world

    assert await world.member.autocomplete(world.channel, "forum reply", "comment", "4") == []
