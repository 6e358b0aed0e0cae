"""Conversations on a database that 1.0.0 has made: its users continue where they were."""

import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
import simcord

from game_service import admin
from storage.names import PlaceKind
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.databases import run_beside
from tests.support.forum import can_press, number_of
from tests.support.one_zero import LAST_IDS, SCHEMA, database_of_one_zero
from tests.support.one_zero.town import OldTown, give, open_old_town
from tests.support.owed import tried, try_again
from tests.support.presses import press_again

pytestmark = pytest.mark.usefixtures("on_both_engines")

# The kinds of messages that 1.0.0 carried out when they were due.
KINDS = {
    "announcement",
    "announcement.post",
    "announcement.test",
    "case",
    "case.more",
    "deleted",
    "follow",
    "follow.post",
    "follow.reply",
    "log.closed",
    "look",
    "lost key",
    "order",
    "panel",
    "paused",
    "publish",
    "removal",
    "text",
    "watch",
}
# Who in the game, what they wrote, and what has no answer yet.
JUNIPER = 1
OWLS, BRIDGE = 131, 134
POPPY_SCARF, PUDDLE_BOOTS = 23, 18


@pytest.fixture
async def town(on_both_engines: None, tmp_path: Path, demo: str) -> AsyncGenerator[OldTown]:
    async with open_old_town(tmp_path, demo) as opened:
        yield opened


async def choose(actor: simcord.MemberActor, card: Any, number: int) -> None:
    """Choose an entry of a card's only list, by its place there."""
    (listed,) = selects_of(card)
    await actor.select(card, [listed["options"][number]["value"]])


def test_it_has_rows_in_every_table_and_of_every_kind(tmp_path: Path) -> None:
    left = database_of_one_zero(tmp_path / "left.db")
    tables = re.findall(r"CREATE TABLE (\w+)", SCHEMA.read_text(encoding="utf-8"))
    empty = [table for table in tables if not run_beside(left, f"SELECT 1 FROM {table} LIMIT 1")]
    due = run_beside(left, "SELECT DISTINCT kind FROM messages WHERE due_at IS NOT NULL")

    assert not empty
    assert {kind for (kind,) in due} == KINDS
    for table, last in LAST_IDS.items():
        ((highest,),) = run_beside(left, f"SELECT MAX(id) FROM {table}")
        assert highest < last, table


async def test_a_linked_member_reads_writes_and_changes_what_they_wrote(town: OldTown) -> None:
    world = town.world

    asked = await world.slash("forum read")
    read = await world.slash("forum read", thread="Quiet corner")
    await world.bot.tasks.until_finished()
    again = await world.slash("forum read")
    posted = await world.slash("forum post", thread="Quiet corner", content="Good morning")
    form = await world.slash("forum edit", comment=str(BRIDGE))
    edited = await world.member.submit_modal(form, {"text": "The bridge is open"})

    assert "There are several choices" in text_of(asked)
    assert "## Quiet corner" in text_of(read)
    assert "## Quiet corner" in text_of(again)
    assert "Comment posted" in text_of(posted)
    assert "Comment edited" in text_of(edited)
    texts = await town.texts()
    assert {"Good morning", "The bridge is open"} <= {*texts}
    assert "The bridge is closed" not in texts


async def test_who_does_not_use_their_link_any_more_is_told_in_their_language(
    town: OldTown,
) -> None:
    world = town.world
    await town.change("UPDATE links SET used_at = 0")

    await world.bot.features.accounts.links.end_unused()
    await tried(world)

    assert "Your access token will be deleted soon" in "".join(town.told(world.member))
    assert "Dein Zugangstoken wird bald gelöscht" in "".join(town.told(world.friend))


async def test_unsent_texts_are_listed_and_each_is_sent_once(town: OldTown) -> None:
    world = town.world
    cut_off, unreached, lost = (
        "Meet me under the oak",
        "Bring a lantern tonight",
        "Who left the gate open?",
    )

    listed = text_of(await world.slash("forum unsent"))
    # Texts that the game was never asked to take are sent by themselves, except the one cut off.
    await town.look_at_writes()
    for text in (cut_off, lost):
        card = answer_of(await world.slash("forum unsent"))
        await choose(world.member, card, 0)
        assert text in text_of(card)
        await world.member.click(card, label="Try again")
        assert "Comment posted" in text_of(card)
    await town.look_at_writes()

    assert "Comment posted" in "".join(town.told(world.member))
    assert "You have no unsent texts" in text_of(await world.slash("forum unsent"))
    texts = await town.texts()
    for text in (cut_off, unreached, lost):
        assert text in listed
        assert texts.count(text) == 1


async def test_nobody_is_told_anew_what_1_0_0_has_told_or_was_about_to_tell(town: OldTown) -> None:
    world = town.world
    people = (world.member, world.friend, world.moderator)
    before = [len(town.told(person)) for person in people]

    # Also what is settled, and was told of.
    await town.change(
        "UPDATE writes SET due_at = 1 WHERE state IN ('kept', 'refused') AND told <> ''"
    )
    await town.look_at_writes()
    await try_again(world)

    _, friends, moderators = [
        town.told(each)[count:] for each, count in zip(people, before, strict=True)
    ]
    assert "".join(friends).count("### Dein Kommentar ist noch nicht gepostet") == 1
    assert "".join(friends).count("### Not bought: Sunset Beach") == 1
    assert "Top Hat" not in "".join(friends)
    (told,) = moderators
    assert told.startswith("### Not bought: Blue Balloon")


async def test_an_open_order_is_settled_by_looking_and_told(town: OldTown) -> None:
    world = town.world
    orders = await world.slash("shop orders")
    before = text_of(orders)
    await give(town.game, JUNIPER, POPPY_SCARF)

    await town.look_at_writes()

    assert "**Poppy Scarf** · 130 Acorns\nNot confirmed yet" in before
    assert "**Poppy Scarf** · 130 Acorns\n✅ Bought" in text_of(orders)
    # 1.0.0 was ended before the game heard of it.
    assert "### Not bought: Blue Balloon" in "".join(town.told(world.moderator))


async def test_what_is_new_is_announced_and_what_was_missed_is_offered(town: OldTown) -> None:
    world, moderator = town.world, town.world.moderator

    async def bring(season: str, attic: str) -> None:
        for catalog_id, name in ((1, season), (3, attic)):
            await admin.add_item(town.game.database, catalog_id, name=name, cost=300)
            assert await world.bot.features.poller.poll(PlaceKind.CATALOG, catalog_id)

    # Until now a member's account has read them: the first look of Kiosk's own is no news.
    await bring("Nettle Hat", "Nettle Lamp")
    await admin.set_item(town.game.database, PUDDLE_BOOTS, cost=80)
    await bring("Thistle Hat", "Thistle Lamp")
    await try_again(world)

    shown = "".join(town.shown("game-talk"))
    # The one before it was found by 1.0.0, which did not get to announcing it.
    for news in ("## Rain Hood", "**Thistle Hat**", "**Puddle Boots**"):
        assert shown.count(news) == 1, news
    assert "Nettle Hat" not in shown
    # What no member's account read any more goes on.
    lobby = "".join(town.shown("lobby"))
    assert ["Nettle Lamp" in lobby, "Thistle Lamp" in lobby] == [False, True]
    published = [cast("Any", message) for message in town.channels["news"].history()]
    assert "## Thistle Hat" in str([message.embeds[0].description for message in published])
    assert "Thistle Hat" in [post.name for post in town.channels["finds"].threads]
    assert "Puddle Boots" in town.told(world.member)[-1]

    card = answer_of(await world.slash("announce list", moderator))
    assert "3 items were missed." in text_of(card)
    await choose(moderator, card, 3)
    await moderator.click(card, label="Resume")
    await moderator.click(card, label="Announce them")
    assert "Announcements resumed. 3 posts are on their way." in text_of(card)
    await tried(world)
    assert "Felt Hat" in town.shown("lobby")[-1]


async def test_a_watch_is_listed_and_ended(town: OldTown) -> None:
    watches = answer_of(await town.world.slash("account watches"))
    assert "- **Toadstool Cap** · Season\n" in text_of(watches)
    assert "- **“kite”** · Outlet" in text_of(watches)

    await choose(town.world.member, watches, 0)
    assert "### Stop watching Toadstool Cap?\nSeason" in text_of(watches)
    await town.world.member.click(watches, label="Stop watching")

    assert "You no longer watch **Toadstool Cap**." in text_of(watches)
    assert "Toadstool" not in text_of(await town.world.slash("account watches"))


async def test_what_moderators_did_holds_and_can_be_undone(town: OldTown) -> None:
    world, moderator = town.world, town.world.moderator

    async def read() -> str:
        """Page through what a friend sees of two threads."""
        pages: list[str] = []
        for thread in ("Quiet corner", "Park life"):
            card = answer_of(await world.slash("forum read", world.friend, thread=thread))
            pages.append(text_of(card))
            while can_press(card, "Next"):
                await world.friend.click(card, label="Next")
                pages.append(text_of(card))
        return "".join(pages)

    async def moderate(command: str, **options: Any) -> str:
        return text_of(await world.slash(f"moderate {command}", moderator, **options))

    # Members who weren't notified directly are notified after a command.
    for actor in (world.friend, moderator):
        await world.slash("help", actor)
    log, before = await moderate("log"), await read()
    assert "Removed: comment #131 by Juniper\n" in log
    assert "> The owls sang all night\n" in log
    assert "second time this week" not in log
    assert "Bramble is muted here" in log
    for hidden in ("The owls sang", "**Bramble**", "A rotten apple"):
        assert hidden not in before

    assert "Comment #131 restored" in await moderate("restore", removed=str(OWLS))
    assert "is no longer muted here" in await moderate("unmute", player="Bramble")
    posted = await world.slash("forum post", thread="Quiet corner", content="Such ROTTEN luck")
    after = await read()

    for back in ("The owls sang", "**Bramble**"):
        assert back in after
    assert "ROTTEN" not in after
    gone = {"comment": str(number_of(posted)), "reason": "Spam"}
    assert "Removed: comment #" in await moderate("remove", **gone)
    ((new_id,),) = town.rows("SELECT MAX(id) FROM removals")
    assert new_id == LAST_IDS["removals"] + 1


async def test_all_that_is_due_is_sent_or_dropped(town: OldTown) -> None:
    due = town.rows("SELECT id, kind FROM messages WHERE due_at IS NOT NULL")

    await try_again(town.world)

    states = dict(town.rows("SELECT id, state FROM messages"))
    assert {states[message_id] for message_id, _ in due} == {"sent", "dropped"}
    # The panel is drawn again in its old place. Removed comments are no longer shown.
    panel, *others = town.shown("lobby")
    assert "Attic" in panel
    assert "The game's forum and shop" not in "".join(others)
    for channel in ("game-talk", "threads"):
        assert "The owls sang" not in "".join(town.shown(channel)), channel
    assert "### Removed: comment #131 by Juniper" in "".join(town.shown("log"))


async def test_buttons_of_old_cards_lead_where_they_led(town: OldTown) -> None:
    member, friend, moderator = town.world.member, town.world.friend, town.world.moderator

    form = await friend.click(town.posted("game-talk", "I like the old pond better"), label="Reply")
    replied = await friend.submit_modal(form, {"text": "So do I"})
    asked = await member.click(town.posted("game-talk", "Felt Hat"), label="Buy")
    panel = town.posted("lobby", "The game, right here")
    threads, _ = selects_of(panel)
    read = await member.select(panel, ["kiosk.thread:1"], custom_id=threads["custom_id"])
    restored = await moderator.click(town.posted("log", "Removed: comment #137"), label="Restore")
    test = town.posted("game-talk", "A test by")
    taken_back = await moderator.click(test, label="Take the test back")
    # As on a notice, up to 2.0.0, that no one's account reads an announcement.
    take_over = "kiosk.announce.take_over:15"
    opened = await press_again(moderator, town.channels["game-talk"], test, take_over)

    assert "Reply posted" in text_of(replied)
    assert "### Buy Felt Hat?" in text_of(asked)
    assert "## Park life" in text_of(read)
    assert "Comment #137 restored" in text_of(restored)
    assert "This button no longer works" in text_of(taken_back)
    assert f"## Attic in {town.channels['lobby'].mention}\nNew items\n" in text_of(opened)


async def test_a_members_records_are_shown_given_out_and_erased(town: OldTown) -> None:
    world = town.world
    card = await world.press_through("account show")
    shown = text_of(card)
    exported = await world.member.click(card, label="Export data")
    (attached,) = answer_of(exported).attachments
    records = json.loads(await attached.read())["kept"]
    for label in ("Erase data…", "Erase everything"):
        await world.member.click(card, label=label)

    assert "You're **Juniper** in the game." in shown
    # 1.0.0 saved no one's day of last use. Nothing is deleted sooner because of that.
    assert "Last used today" in shown
    bodies = [write["body"] for write in records["writes"]]
    assert {"The bridge is closed", "Meet me under the oak"} <= {*bodies}
    assert len(records["subscriptions"]) == 4
    assert "the link to your game account" in text_of(card)
    assert "One order isn't finished" in text_of(card)
    assert "No account linked" in text_of(await world.slash("account show"))
