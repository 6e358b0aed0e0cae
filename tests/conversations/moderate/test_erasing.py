"""All that names a member is given out to them, and gone once they have it erased."""

import json
from datetime import datetime
from typing import Any

import pytest
import simcord

from storage import MIGRATIONS
from storage.database import open_database
from storage.database.steps import tables_of
from storage.purging import Purge
from tests.conversations.moderate.conftest import Beat, second_moderator
from tests.conversations.moderate.test_decisions import switch
from tests.support.cards import answer_of
from tests.support.forms import fill_in
from tests.support.forum import EMPTY, number_of
from tests.support.world import NEWCOMER


async def do_everything(beat: Beat, log: simcord.ChannelHandle) -> None:
    """Let the moderator write, buy, watch, report, moderate and set up."""
    world, moderator = beat.world, beat.world.moderator
    await world.name_demo_places()
    await world.manage("Panel", panel_channel_id=[world.channel])
    await world.slash("announce add", moderator, catalog="Season")
    role = world.guild.create_role("Player")
    own = next(role for role in world.guild.roles.values() if role.name == "Kiosk")
    world.env.backend.get_role(world.guild.id, own.id).position = 50
    rules = await world.press_through("setup show", "Roles", actor=moderator)
    await fill_in(moderator, await moderator.click(rules, label="Add rule"), role=[role])
    await world.watch_words("toadstool")
    await world.link(moderator, NEWCOMER)
    for label in ("Turn on", "Watch all replies"):
        await world.press_through("account show", label, actor=moderator)
    mine = await world.slash("forum post", moderator, thread=EMPTY, content="Mine")
    await switch(beat, "tells_writers")
    second = await second_moderator(beat)
    await world.slash("moderate remove", second, comment=str(number_of(mine)), reason="No")
    await world.slash("forum watch", moderator, words="squirrel", thread=EMPTY)
    await world.slash("shop watch", moderator, item="1", catalog="1")
    bought = await world.slash("shop buy", moderator, item="1", catalog="1")
    await beat.press(bought, "Buy item", moderator)
    removed, shared = await beat.share("Unkind words")
    await beat.report(moderator, shared, "Rude")
    await beat.remove(removed)
    await beat.moderate("restore", removed=str(removed))
    _, shared = await beat.share("More of them")
    await beat.report(world.friend, shared, "Rude")
    await beat.press(log.last_message, "Dismiss", moderator)
    await beat.mute(player="Juniper", until="7d")
    await world.slash("help", moderator)
    await beat.settled()


async def naming(address: str, member_id: int) -> dict[str, int]:
    """Count the rows of each table that hold a member's number, in whatever column."""
    counts: dict[str, int] = {}
    async with open_database(address, MIGRATIONS) as database:
        for table in await tables_of(database):
            rows = [dict(row) for row in await database.fetch(f"SELECT * FROM {table}")]
            if count := sum(str(member_id) in str(row) for row in rows):
                counts[table] = count
    return counts


@pytest.mark.usefixtures("on_both_engines")
async def test_whatever_names_a_member_is_exported_and_erased(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await do_everything(beat, log_channel)
    moderator = beat.world.moderator
    card = await beat.world.slash("account show", moderator)
    exported = await beat.press(card, "Export data", moderator)
    await beat.settled()
    (attached,) = answer_of(exported).attachments
    kept: dict[str, list[Any]] = json.loads(await attached.read())["kept"]
    address = beat.world.settings.database_url

    assert {table: len(rows) for table, rows in kept.items()} == await naming(address, moderator.id)
    # Not what others wrote, about which the moderator decided.
    assert kept["cases"]
    assert "Rude" in str(kept["reports"])
    assert any(datetime.fromisoformat(row["until"]) for row in kept["removals"] if row["until"])
    assert not {"Unkind words", "More of them"} & {case.get("text") for case in kept["cases"]}
    assert kept.keys() >= {
        "links",
        "writes",
        "messages",
        "member_servers",
        "subscriptions",
        "cases",
        "log_lines",
        "removals",
        "reports",
        "role_rules",
    }

    asked = await beat.press(card, "Erase data…", moderator)
    await beat.press(asked, "Erase everything", moderator)
    await beat.settled()

    async with open_database(address, MIGRATIONS) as database:
        # A role, which Discord has taken away by now.
        await Purge(database).purge(beat.world.bot.now())
    assert await naming(address, moderator.id) == {}
