"""With whose account a catalog is read for a server, and what happens once nobody's is."""

from typing import Any

from pydantic import SecretStr

from bot.features.following.rules import subscription_key
from playground.scene import MODERATOR
from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, NOTHING, add, deny, edit, opened, press, use
from tests.support.announcing import catalog_in
from tests.support.cards import answer_of, buttons_of, rows_of, text_of
from tests.support.commits import until_none
from tests.support.forms import fill_in, presets
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World


async def look(town: World) -> bool:
    return await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)


async def announce(town: World, **filled: Any) -> None:
    """Let the catalog be announced and read."""
    let_discord_say(town, ALL)
    await add(town, **filled)
    async with open_database(town.settings.database_url, MIGRATIONS) as database:
        # By the worker, whose end of a first reading would hide the next one's failure.
        await until_none(database, "SELECT 1 FROM followed WHERE read_at IS NULL")


async def lose_reader(town: World) -> None:
    await town.bot.features.accounts.unlink(town.moderator.id)
    assert not await look(town)
    await tried(town)


def unread(town: World) -> str:
    who = town.moderator.mention
    return f"No account reads it any more: that of {who} is unlinked or was withdrawn."


def another_admin(town: World, name: str) -> Any:
    role = town.guild.create_role(name, permissions=MODERATOR)
    return town.guild.add_member(town.env.create_user(name), roles=[role])


async def announce_elsewhere(town: World) -> Any:
    """Let the catalog be announced in another server, by a linked admin; give their card."""
    elsewhere = town.env.create_guild("Elsewhere")
    role = elsewhere.create_role("Moderator", permissions=MODERATOR)
    stranger = elsewhere.add_member(town.env.create_user("stranger"), roles=[role])
    talk = elsewhere.create_text_channel("talk")
    await town.bot.features.accounts.link(stranger.id, SecretStr("anothers"), [])
    form = await stranger.slash(talk, "announce add", catalog="1")
    return await fill_in(stranger, form, channel=[talk])


async def link_on_the_way(town: World, asked: Any) -> Any:
    """Link an account where that is asked for, and give what follows."""
    assert "The game shows its shop to players only" in text_of(asked)
    form = await town.moderator.click(answer_of(asked), label="Link account")
    return await town.moderator.submit_modal(form, {"token": "any-token"})


async def come_back(town: World, asked: Any) -> Any:
    """Link an account where that is asked for after a form, and give the form that comes back."""
    linked = await link_on_the_way(town, asked)
    return await town.moderator.click(answer_of(linked), label="Continue")


async def test_who_lost_their_reader_is_told_once_and_another_takes_over(
    town: World, shop: RogueShop
) -> None:
    await announce(town)
    log = town.guild.create_text_channel("log")
    await town.manage("Moderation", log_channel_id=[log])
    await lose_reader(town)
    assert not await look(town)
    await tried(town)
    (told,) = log.history()
    title = f"Season in {town.channel.mention} is no longer announced"
    assert text_of(told) == f"### {title}\n{unread(town)}"
    assert unread(town) in text_of(await use(town, "list"))
    setup = text_of(await town.slash("setup show", town.moderator))
    assert f"**Season is no longer announced**\n{unread(town)}" in setup
    card = await opened(town)
    assert unread(town) in text_of(card)
    assert rows_of(card) == [
        ["Read with my account", "Edit", "Own words", "Preview", "History"],
        ["Notify me…", "Remove…", "Back"],
    ]

    shop.items.insert(0, item(99, name="Straw Hat"))
    asked = await town.moderator.click(told, label="Read with my account")
    goes_on = await link_on_the_way(town, asked)

    assert "**Kiosk reads it with your account.**" in text_of(goes_on)
    assert text_of(goes_on).count("account") == 1
    assert unread(town) not in text_of(await use(town, "list"))
    await tried(town)
    assert "Straw Hat" in text_of(town.channel.last_message)
    late = await another_admin(town, "late").click(told, label="Read with my account")
    assert "Pause" in buttons_of(late)


async def test_what_others_were_told_meanwhile_is_asked_about(town: World, shop: RogueShop) -> None:
    await announce(town)
    await announce_elsewhere(town)
    await town.bot.features.accounts.unlink(town.moderator.id)
    assert await look(town)
    shop.items.insert(0, item(99, name="Straw Hat"))
    assert await look(town)
    await tried(town)
    assert town.channel.last_message is None

    asked = await town.moderator.click(await opened(town), label="Read with my account")
    asked = answer_of(await link_on_the_way(town, asked))
    assert "### 1 item was missed." in text_of(asked)
    await town.moderator.click(asked, label="Announce them")

    await tried(town)
    assert "Kiosk reads it with your account. 1 is on its way." in text_of(asked)
    assert "Straw Hat" in text_of(town.channel.last_message)


async def test_one_press_takes_over_all_that_nobody_reads(town: World, shop: RogueShop) -> None:
    await announce(town)
    await add(town, news=["new", "back"])
    # The rogue game has no second one.
    guild_id, announcing = town.guild.id, town.bot.features.announcing
    await town.bot.features.directory.add(guild_id, PlaceKind.CATALOG, 2, "Outlet")
    away = town.guild.create_text_channel("away")
    outlet = catalog_in(guild_id, away.id, 2, created_by=town.moderator.id)
    await announcing.following.add(outlet, subscription_key(outlet), now=announcing.clock())
    log = town.guild.create_text_channel("log")
    await town.manage("Moderation", log_channel_id=[log])
    await lose_reader(town)
    (told,) = log.history()
    setup = answer_of(await town.slash("setup show", town.moderator))
    speak_language(town.env, "de")
    german = text_of(await town.slash("setup show", town.moderator))
    speak_language(town.env, "en-US")
    shop.items.insert(0, item(99, name="Straw Hat"))
    shown = text_of(setup)

    await deny(town, away.id)
    asked = await town.moderator.click(setup, label="Read with my account")
    lacking = answer_of(await link_on_the_way(town, asked))
    told_first = text_of(lacking)
    await deny(town, away.id, NOTHING)
    goes_on = text_of(await town.moderator.click(lacking, label="Try again"))
    await tried(town)

    here = town.channel.mention
    names = [f"- {name} in {here}\n" for name in ("Season (1)", "Season (2)")]
    stopped = "".join([*names, f"- Outlet in {away.mention}\n"])
    assert text_of(told) == f"### 3 announcements have stopped\n{stopped}{unread(town)}"
    assert rows_of(told) == [["Read with my account", "Open the list"]]
    # The other is the log, which everybody reads.
    assert "⚠️ **2 things need you**" in shown
    titles = "Season (1), Season (2), and Outlet"
    assert f"**3 announcements have no reader: {titles}**\n{unread(town)}" in shown
    assert "3 Ankündigungen liest niemand: Season (1), Season (2) und Outlet" in german
    assert f"- **Send Messages**\nGive it in {away.mention}" in told_first
    assert "**Kiosk reads 3 announcements with your account.**" in goes_on
    listed = await town.moderator.click(told, label="Open the list")
    assert unread(town) not in text_of(listed)
    hats = ["Straw Hat" in text_of(each) for each in town.channel.history()]
    assert hats == [True, True]


async def test_what_another_linked_admin_announces_is_read_for_everybody_here(town: World) -> None:
    await announce(town)
    boss = another_admin(town, "boss")
    await town.bot.features.accounts.link(boss.id, SecretStr("anothers"), [])
    form = await boss.slash(town.channel, "announce add", catalog="Season")
    await fill_in(boss, form, channel=[town.guild.create_text_channel("elsewhere")])
    card = answer_of(await town.slash("account show", town.moderator))
    await town.moderator.click(card, label="Unlink…")
    asked = text_of(card)

    await town.bot.features.accounts.unlink(town.moderator.id)

    assert "with your account" not in asked
    assert await look(town)
    assert "No account reads it" not in text_of(await use(town, "list"))
    await town.bot.features.accounts.unlink(boss.id)
    assert not await look(town)
    assert text_of(await use(town, "list")).count("No account reads it") == 2


async def test_an_unlinked_admin_who_changes_what_nobody_reads_links_first(
    town: World, shop: RogueShop
) -> None:
    await announce(town)
    await lose_reader(town)
    shop.items.insert(0, item(99, name="Straw Hat"))

    asked = await edit(town, news=["new", "back"])
    form = await come_back(town, asked)
    assert presets(town.moderator, form)["news"] == ["new", "back"]
    changed = await fill_in(town.moderator, form)

    assert "**Changed. Kiosk reads it with your account.**\nNew items and Back again" in text_of(
        changed
    )
    await tried(town)
    assert "Straw Hat" in text_of(town.channel.last_message)
    assert await look(town)
    assert "No account reads it" not in text_of(await use(town, "list"))


async def test_an_unlinked_admin_may_change_and_resume_what_another_reads(town: World) -> None:
    await announce(town)
    boss = another_admin(town, "boss")
    card = answer_of(await boss.slash(town.channel, "announce list"))
    await boss.select(card, ["kiosk.announce.open:1"])

    await boss.click(card, label="Pause")
    await boss.click(card, label="Resume")

    assert "Announced again." in text_of(card)
    assert await look(town)
    read = f"with the account of {town.moderator.mention}"
    assert read in text_of(await opened(town))
    assert "## Hat number 1" in text_of(await boss.click(card, label="Preview"))


async def test_what_nobody_reads_any_more_is_not_announced_again(town: World) -> None:
    await announce(town)
    await add(town, news=["new", "back"])
    await press(town, "Pause")
    await lose_reader(town)

    resumed = await press(town, "Resume")

    assert "Announced again" not in text_of(resumed)
    assert unread(town) in text_of(resumed)
    assert rows_of(resumed)[0][0] == "Read with my account"


async def test_a_server_is_told_the_name_of_no_stranger(town: World) -> None:
    await announce(town)
    assert await look(town)

    theirs = await announce_elsewhere(town)

    assert "-# Read <t:" in text_of(theirs)
    assert town.moderator.mention not in text_of(theirs)
    assert town.moderator.mention in text_of(await opened(town))


async def test_a_token_that_is_refused_and_a_member_who_is_erased_are_called_so(
    town: World, shop: RogueShop
) -> None:
    await announce(town)
    shop.expired = {"any-token"}
    assert not await look(town)
    assert unread(town) in text_of(await use(town, "list"))

    await town.bot.features.records.erase(town.moderator.id)

    erased = "No account reads it any more: that of somebody is unlinked or was withdrawn."
    assert erased in text_of(await opened(town))


async def test_a_member_sees_for_which_server_their_account_was_used_last(town: World) -> None:
    await announce(town)
    await town.slash("setup catalog", town.moderator, id="1", name="Season")
    moderator: Any = town.moderator

    async def use_first(use: Any) -> None:
        async with open_database(town.settings.database_url, MIGRATIONS) as database:
            await database.execute("UPDATE links SET used_at = 0")
            await use
            await until_none(database, "SELECT 1 FROM links WHERE used_at = 0")

    await use_first(look(town))
    # It is written once a day.
    await town.slash("shop browse", moderator, catalog="1")
    here = text_of(await town.slash("account show", moderator))
    elsewhere = text_of(await moderator.user.slash("account show"))
    await use_first(town.slash("shop browse", moderator, catalog="1"))
    by_oneself = text_of(await town.slash("account show", moderator))

    assert "Last used today: to read **Season** for this server" in here
    assert "Last used today: to look into a catalog" in elsewhere
    assert "Last used today" in by_oneself
    assert "Last used today:" not in by_oneself


async def test_managers_say_themselves_that_their_accounts_read_and_the_next_takes_over(
    town: World,
) -> None:
    await announce(town)
    kept = answer_of(await add(town, news=["new", "back"]))
    log = town.guild.create_text_channel("log")
    await town.manage("Moderation", log_channel_id=[log])
    second = another_admin(town, "second")
    await town.bot.features.accounts.link(second.id, SecretStr("anothers"), [])
    shown = await town.slash("setup show", second)
    assert f"**Accounts that read for this server** · {town.moderator.mention}" in text_of(shown)
    await second.click(answer_of(shown), label="Let my account read")
    both = f"{town.moderator.mention} and <@{second.id}>"
    assert "Kiosk may read with your account for this server from now on." in text_of(shown)
    assert f"**Accounts that read for this server** · {both}" in text_of(shown)

    await town.bot.features.accounts.unlink(town.moderator.id)
    for _ in range(2):
        assert await look(town)
        await tried(town)
    (told,) = log.history()
    assert "Stop reading" not in buttons_of(await town.slash("setup show", town.moderator))
    said = f"<@{second.id}> reads the catalogs that are announced here: the account of"
    assert said in text_of(told)
    assert "Season" in text_of(await use(town, "list"))
    await town.moderator.click(kept, label="Post the newest now")
    assert "5 are on their way." in text_of(kept)
    await town.moderator.click(kept, label="Preview")
    assert "## Hat number 1" in text_of(kept)

    shown = await town.slash("setup show", second)
    await second.click(answer_of(shown), label="Stop reading")
    assert "Kiosk no longer reads with your account for this server." in text_of(shown)
    assert "**2 announcements have no reader: " in text_of(shown)


async def test_what_nobody_reads_goes_on_once_somebody_lets_their_account_read(
    town: World, shop: RogueShop
) -> None:
    await announce(town)
    for others in ("back", "clearance", "gone", "cheaper", "members"):
        await add(town, news=["new", others])
    await lose_reader(town)
    shop.items.insert(0, item(99, name="Straw Hat"))
    second = another_admin(town, "second")
    await town.bot.features.accounts.link(second.id, SecretStr("anothers"), [])
    shown = await town.slash("setup show", second)
    assert "**5 announcements have no reader: " in text_of(shown)
    assert "**Accounts that read for this server** · none yet" in text_of(shown)

    await second.click(answer_of(shown), label="Let my account read")
    await tried(town)

    assert "have no reader" not in text_of(shown)
    assert sum("Straw Hat" in text_of(message) for message in town.channel.history()) == 5


async def test_nobody_reads_for_a_server_without_a_link(town: World) -> None:
    await announce(town)
    unlinked = another_admin(town, "unlinked")
    shown = await town.slash("setup show", unlinked)
    asked = await unlinked.click(answer_of(shown), label="Let my account read")
    assert "Link account" in buttons_of(asked)
