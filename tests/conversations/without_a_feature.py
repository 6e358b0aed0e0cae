"""What is left without a feature's folder: test_without_a_feature.py runs it in such a copy."""

import os

from cogs import FEATURES
from storage.messages import MessageState, NewMessage, Priority
from tests.support.cards import text_of
from tests.support.old_buttons import press_old
from tests.support.owed import tried
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World

# Of each, a button that it draws.
OLD_BUTTONS = {
    "roles": "kiosk.setup.roles",
    "find": "kiosk.forum.own:1:latest:1:0:1:0",
    "decisions": "kiosk.account.decisions:1",
    "panel": "kiosk.setup.form:Panel",
    "replies": "kiosk.forum.tell:1:latest:1:1",
}
# The kind of message that it owes to Discord, or one of its name.
OLD_KINDS = {
    "roles": "role",
    "find": "find",
    "decisions": "decision",
    "panel": "panel",
    "replies": "replies",
}


async def test_the_core_works_without_a_feature(world: World) -> None:
    feature = os.environ["WITHOUT_FEATURE"]
    assert feature not in FEATURES
    await world.name_demo_places()
    await world.settle(world.member, SUBSCRIBER)
    key = "of a feature"
    wanted = NewMessage(
        OLD_KINDS[feature],
        key,
        Priority.DIRECT_MESSAGE,
        member_id=world.member.id,
        guild_id=world.guild.id,
    )
    outbox = world.bot.core.messages
    async with outbox.transaction() as transaction:
        await outbox.want(transaction, wanted)

    steps = Steps(world, world.member)
    await steps.use("forum read", thread="1")
    await steps.choose("Reply to ")
    assert "Reply posted" in await steps.send(text="Here I am.")
    await steps.use("shop buy", item="1", catalog="1")
    assert "Acorn Cap is yours" in await steps.press("Buy item")
    await steps.use("help")
    await steps.use("account show")
    assert "The data Kiosk keeps about you" in await steps.press("Export data")
    managing = Steps(world, world.moderator)
    shown = await managing.use("setup show")
    assert "Kiosk in this server" in shown
    # Moderation offers to notify writers only if a feature would.
    rules = await managing.use("moderate rules")
    assert ("Tell players why their comment was removed" in rules) == (feature != "decisions")
    pressed = await press_old(world, managing.card, OLD_BUTTONS[feature], {})
    assert "This button no longer works" in text_of(pressed)

    await tried(world)
    lying = await outbox.find(key)
    assert lying is not None
    assert lying.state is MessageState.OWED
    assert "messages" in await world.bot.features.records.export(world.member.id)
    erased = await world.press_through("account show", "Erase data…", "Erase everything")
    assert "Data erased" in text_of(erased)
    assert await outbox.find(key) is None
