"""`/setup show`: what needs a manager comes first, with its fix, and each form is saved."""

import logging
from pathlib import Path
from typing import Any

import discord
import pytest
import simcord

from playground.scene import MODERATOR
from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.presses import press_again
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World, open_world

VIEW, SEND = discord.Permissions(view_channel=True), discord.Permissions(send_messages=True)
EMBED = discord.Permissions(embed_links=True)
NOTHING = discord.Permissions.none()


async def show(world: World, *labels: str) -> Any:
    """Look at the setup as a manager, and press these buttons one after the other."""
    return await world.press_through("setup show", *labels, actor=world.moderator)


async def shut(
    world: World, channel: simcord.ChannelHandle, denied: discord.Permissions = NOTHING
) -> None:
    """Deny everyone the permissions `denied` in a channel, and no others any longer."""
    everyone = world.guild.default_role.id
    change = world.bot.http.edit_channel_permissions
    await change(channel.id, everyone, "0", str(denied.value), 0)


async def open_log(world: World) -> simcord.ChannelHandle:
    """Let reports go to a channel that Kiosk sees, but not everyone."""
    sees = discord.PermissionOverwrite(view_channel=True)
    hidden = discord.PermissionOverwrite(view_channel=False)
    assert world.bot.user is not None
    who: dict[Any, discord.PermissionOverwrite] = {
        world.guild.default_role: hidden,
        world.moderator: sees,
        world.bot.user: sees,
    }
    log = world.guild.create_text_channel("mod-log", overwrites=who)
    assert f"**Settings saved:**\n**Log channel** · {log.mention}" in text_of(
        await world.manage("Moderation", log_channel_id=[log])
    )
    return log


async def hide_from_kiosk(world: World, log: simcord.ChannelHandle) -> None:
    assert world.bot.user is not None
    change = world.bot.http.edit_channel_permissions
    await change(log.id, world.bot.user.id, "0", str(VIEW.value), 1)


async def test_what_kiosk_lacks_is_told_before_anything_is_posted(world: World) -> None:
    moderator = world.moderator
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()
    news, log = world.guild.create_text_channel("game-news"), await open_log(world)
    await world.slash("announce thread", moderator, thread="1", channel=news)
    await world.slash("announce thread", moderator, thread="2", channel=world.channel)
    shown = text_of(await show(world))
    assert "✅ **No problems found**" in shown
    assert "**Announcements** · 2 threads in 2 channels" in shown
    assert "✅ Kiosk has every permission it needs" in text_of(await show(world, "Permissions"))

    await hide_from_kiosk(world, log)
    await shut(world, news, EMBED)
    card = await show(world)

    shown = text_of(card)
    assert "⚠️ **2 problems to fix**\n**Reports can't be posted**" in shown
    give = "Give Kiosk's role the View Channel permission there."
    hint = f"Kiosk can't see {log.mention}. {give}"
    assert f"{hint}\n**Kiosk can't post Park life**" in shown
    assert f"Kiosk needs Embed Links in {news.mention}." in shown
    assert "**Announcements** · ⚠️ 2 threads in 2 channels" in shown
    assert f"**Log channel** · ⚠️ {log.mention}" in shown
    lacking = text_of(await show(world, "Permissions"))
    assert "⚠️ Something is missing" in lacking
    assert f"**{log.mention}** · the moderation log\n⚠️ Not allowed: View Channel" in lacking

    await moderator.click(card, custom_id="kiosk.setup.again:log_channel_id")
    assert "Kiosk needs these permissions there:\n- **View Channel**" in text_of(card)
    mended = await open_log(world)
    card = await show(world)
    assert "⚠️ **One problem to fix**" in text_of(card)
    await moderator.click(card, label="Try again")
    assert "Kiosk needs these permissions there:\n- **Embed Links**" in text_of(card)
    await shut(world, news)
    await moderator.click(card, label="Try again")
    assert f"## Park life in {news.mention}" in text_of(card)
    shown = text_of(await show(world))
    assert "✅ **No problems found**" in shown
    assert f"**Log channel** · {mended.mention}" in shown


async def test_announcements_of_one_catalog_are_counted_as_such(world: World) -> None:
    await world.settle(world.moderator, SUBSCRIBER)
    await world.name_demo_places()
    steps = Steps(world, world.moderator)
    for channel in (world.channel, world.guild.create_text_channel("news")):
        await steps.use("announce add", catalog="Season")
        await steps.send(channel=[channel])

    shown = text_of(await show(world))
    speak_language(world.env, "de")
    german = text_of(await show(world))

    assert "2 announcements of 1 catalog in 2 channels" in shown
    assert "2 Ankündigungen aus 1 Katalog in 2 Kanälen" in german


async def test_a_role_that_is_not_pinged_is_told(world: World) -> None:
    moderator, role = world.moderator, world.guild.create_role("Shop news")
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()
    mentions = discord.Permissions(mention_everyone=True)
    let_discord_say(world, discord.Permissions.all().value)
    steps = Steps(world, moderator)
    await steps.use("announce add", catalog="Season")
    await steps.send(channel=[world.channel], role=[role])

    await shut(world, world.channel, mentions)
    card = await show(world)
    lacks = f"Kiosk needs Mention @everyone, @here, and All Roles in {world.channel.mention}."
    assert f"**Season pings no one**\n{lacks}" in text_of(card)
    await moderator.click(card, label="Try again")
    assert f"Kiosk needs the mention permission to ping {role.mention}." in text_of(card)


async def test_a_role_that_was_deleted_is_marked_with_its_form(world: World) -> None:
    moderator, role = world.moderator, world.guild.create_role("Shop news")
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()
    await world.manage("Moderation", moderator_role_id=[role])
    steps = Steps(world, moderator)
    await steps.use("announce add", catalog="Season")
    await steps.send(channel=[world.channel], role=[role])
    await world.bot.http.delete_role(world.guild.id, role.id)

    card = await show(world)
    shown = text_of(card)
    listed = text_of(await world.slash("announce list", moderator))
    speak_language(world.env, "de")
    german = text_of(await show(world)), text_of(await world.slash("announce list", moderator))
    speak_language(world.env, "en-US")
    form = await moderator.click(
        card, custom_id="kiosk.setup.form:Moderation:moderator_role_id:moderator_role_id"
    )
    assert "moderator_role_id" not in presets(moderator, form)
    asked = answer_of(await fill_in(moderator, form))
    first = text_of(asked)
    form = await moderator.click(await show(world), custom_id="kiosk.an.edit:1:1")
    assert "role" not in presets(moderator, form)
    changed = await fill_in(moderator, form)

    assert "⚠️ **2 problems to fix**\n**The moderator role was deleted**\n" in shown
    gone = "The role was deleted, so Kiosk no longer pings it."
    assert f"**Season pings no one**\n{gone}" in shown
    assert "members can't report comments\n**Moderator role** · ⚠️ a deleted role\n" in shown
    assert "New items and Clearance · pings ⚠️ a deleted role" in listed
    assert "Die Moderationsrolle wurde gelöscht" in german[0]
    assert "pingt ⚠️ eine gelöschte Rolle" in german[1]
    assert (
        "The form left these empty. Their current values:\n- **Moderator role** · ⚠️ a deleted role"
        in first
    )
    assert "Pings" not in text_of(changed)
    await moderator.click(asked, label="Turn off")
    assert "✅ **No problems found**" in text_of(asked)


async def test_everybody_is_no_role_to_choose(world: World) -> None:
    moderator, everyone = world.moderator, world.guild.default_role
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()
    steps = Steps(world, moderator)

    await steps.use("announce add", catalog="Season")
    said = [await steps.send(channel=[world.channel], role=[everyone])]
    await steps.press("Try again")
    kept = await steps.send(role=None)
    await steps.press("Edit")
    said.append(await steps.send(role=[everyone]))
    said.append(text_of(await world.manage("Moderation", moderator_role_id=[everyone])))

    assert ["You can't choose @everyone here" in each for each in said] == [True] * 3
    assert "Announcement added. Kiosk posts news from now on." in kept


async def test_what_the_named_role_sees_is_said_where_it_is_named(world: World) -> None:
    role = world.guild.create_role("Helpers")
    helper = world.guild.add_member(world.env.create_user("helper"), roles=[role])
    speak_language(world.env, "de")
    german = text_of(await world.manage("Moderation", moderator_role_id=[role]))
    speak_language(world.env, "en-US")
    await world.manage("Moderation", moderator_role_id=[world.guild.create_role("Others")])

    said = text_of(await world.manage("Moderation", moderator_role_id=[role]))
    help_for = [text_of(await world.slash("help", who)) for who in (helper, world.moderator)]

    assert "allow both in Server Settings > Integrations." in said
    assert "erlaube beides unter Servereinstellungen > Integrationen." in german
    assert ["Log and rules" in each for each in help_for] == [True, True]
    assert ["Remove comment" in each for each in help_for] == [False, True]


async def test_what_is_gone_is_told_and_stands_in_no_form(world: World) -> None:
    await world.name_demo_places()
    log, panel = await open_log(world), world.guild.create_text_channel("panel")
    await world.manage("Panel", panel_channel_id=[panel])
    await tried(world)
    for channel in (log, panel):
        await world.bot.http.delete_channel(channel.id)

    card = await show(world)
    shown = text_of(card)
    assert "**Reports can't be posted**\nThe channel was deleted.\n" in shown
    assert "**The panel was deleted**\nThe channel was deleted." in shown
    opened = [
        await world.moderator.click(card, custom_id=buttons_of(card)[label]["custom_id"])
        for label in ("Moderation", "Panel")
    ]
    log_id, panel_id = "log_channel_id", "panel_channel_id"
    opened += [
        await world.moderator.click(card, custom_id=f"kiosk.setup.form:{fields}")
        for fields in (f"Moderation:{log_id},{panel_id}:{log_id}", f"Panel:{panel_id}:{panel_id}")
    ]
    assert ["default_values" in str(form.modal) for form in opened] == [False] * 4


async def test_all_that_waits_for_a_lost_channel_is_one_entry(world: World) -> None:
    moderator = world.moderator
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()
    lost, other = await open_log(world), world.guild.create_text_channel("other")
    await world.manage("Panel", panel_channel_id=[lost])
    for thread in ("1", "2"):
        await world.slash("announce thread", moderator, thread=thread, channel=lost)
    await tried(world)
    await world.bot.http.delete_channel(lost.id)

    card = await show(world)
    shown = text_of(card)
    form = await moderator.click(card, label="Change")
    mended = await fill_in(moderator, form, log_channel_id=[other])

    title = (
        "⚠️ **One problem to fix**\n**A channel was deleted**\nChoose another channel. Until then:"
    )
    waits = ["Kiosk can't post Park life", "Kiosk can't post Patch notes", "The panel was deleted"]
    lines = "".join(f"\n- {each}" for each in waits)
    assert f"{title}\n- Reports can't be posted{lines}\n" in shown
    for marked in ("**Log channel** · ⚠️", "**Panel** · ⚠️", "**Announcements** · ⚠️"):
        assert marked in shown
    assert f"**A channel was deleted**\nChoose another channel. Until then:{lines}\n" in text_of(
        mended
    )
    next_one = buttons_of(answer_of(mended))["Change"]["custom_id"]
    form = await moderator.click(answer_of(mended), custom_id=next_one)
    moved = text_of(await fill_in(moderator, form, channel=[other]))
    assert f"## Park life in {other.mention}" in moved


async def test_all_that_waits_for_a_permission_is_one_entry(world: World) -> None:
    moderator = world.moderator
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()
    await open_log(world)
    news, board = (world.guild.create_text_channel(name) for name in ("game-news", "board"))
    for thread, channel in (("1", news), ("2", world.channel)):
        await world.slash("announce thread", moderator, thread=thread, channel=channel)
    await world.manage("Panel", panel_channel_id=[board])
    await tried(world)
    for channel in (news, world.channel):
        await shut(world, channel, EMBED)

    shown = text_of(await show(world))
    await hide_from_kiosk(world, board)
    with_panel = text_of(await show(world))
    for channel in (news, world.channel):
        await shut(world, channel)

    give = "Allow this for Kiosk's role in Server Settings > Roles, or in these channels:"
    waits = [
        f"- Kiosk can't post Park life · {news.mention}",
        f"- Kiosk can't post Patch notes · {world.channel.mention}",
    ]
    entry = "\n".join(["**Kiosk needs Embed Links**", give, *waits])
    assert f"⚠️ **One problem to fix**\n{entry}\n" in shown
    # What is to be seen comes before what is to be done there.
    panel = f"**The panel can't be posted**\nKiosk can't see {board.mention}."
    assert f"⚠️ **2 problems to fix**\n{panel}" in with_panel.partition(entry)[0]
    assert entry in with_panel
    last = text_of(await show(world))
    assert "Embed Links" not in last
    assert "The panel can't be posted" in last


async def test_where_discord_says_nothing_what_is_known_is_shown(world: World) -> None:
    await world.name_demo_places()
    log = await open_log(world)
    await world.slash("announce thread", world.moderator, thread="1", channel=world.channel)
    database = world.bot.features.announcing.following.database
    await database.execute("UPDATE moderation SET log_is_closed = TRUE")
    await database.execute(
        "UPDATE subscriptions SET stopped_at = 1, stopped_for = '50001', missed_after = 0"
    )
    for path in ("/guilds/*/roles", "/guilds/*/members/*"):
        world.env.inject_error("GET", path, status=403, code=50001, times=None)

    card = await show(world)
    shown = text_of(card)
    assert "⚠️ **2 problems to fix**" in shown
    assert f"Kiosk can't post in {log.mention}." in shown
    assert "**Kiosk can't post Park life**\nKiosk can't see the channel. Allow" in shown
    assert "⚠️ 2 problems to fix" in text_of(await world.slash("help", world.moderator))

    world.env.backend.faults.clear()
    for custom_id in (
        "kiosk.setup.again:log_channel_id",
        buttons_of(card)["Try again"]["custom_id"],
    ):
        await press_again(world.moderator, world.channel, card, custom_id)
    assert "⚠️" not in text_of(await show(world))


async def test_nothing_is_called_well_that_nobody_could_look_at(world: World) -> None:
    moderator = world.moderator
    await world.name_demo_places()

    card = await show(world)
    unseen = text_of(card)
    form = await moderator.click(card, label="Link account")
    linked = text_of(await moderator.submit_modal(form, {"token": SUBSCRIBER}))

    assert "\nLink your account to check if the game has these catalogs.\n" in unseen
    assert "No problems found" not in unseen
    assert "✅ **No problems found**" in linked


async def test_a_catalog_that_kiosks_own_account_reads_needs_no_other(world: World) -> None:
    owner, steps = world.moderator, Steps(world, world.moderator)
    await world.settle(owner, SUBSCRIBER)
    await world.name_demo_places()
    for name in ("Season", "Outlet", "Attic"):
        await steps.use("announce add", catalog=name)
        await steps.send(channel=[world.channel])
    role = world.guild.create_role("Boss", permissions=MODERATOR)
    boss = world.guild.add_member(world.env.create_user("boss"), roles=[role])

    shown = text_of(await world.press_through("setup show", actor=boss))

    assert "✅ **No problems found**" in shown


async def test_only_what_the_game_lacks_is_marked(world: World) -> None:
    await world.settle(world.moderator, SUBSCRIBER)
    await world.name_demo_places()
    for number in range(70, 77):
        name = f"Cellar {number}"
        await world.bot.features.directory.add(world.guild.id, PlaceKind.CATALOG, number, name)

    card = await show(world)
    shown = text_of(card)
    assert "⚠️ **7 problems to fix**\n**Cellar 70 isn't in the game**" in shown
    assert "There is no catalog 74.\nAnd 2 more. Fix these first." in shown
    assert "**Threads** · Park life, Patch notes, and Quiet corner" in shown
    assert "**Catalogs** · Attic, ⚠️ Cellar 70, ⚠️ Cellar 71" in shown
    await world.moderator.click(card, label="Catalogs")
    assert "## This server's catalogs\n**Attic** · 3\n" in text_of(card)
    assert "⚠️ **Cellar 70** · 70" in text_of(card)


async def test_a_silent_game_and_an_open_log_are_told_in_a_new_server(tmp_path: Path) -> None:
    async with open_world(tmp_path, "http://127.0.0.1:1/api") as world:
        log = world.guild.create_text_channel("log")
        start = "To get started, add a thread to read and a catalog to shop in."
        assert start in text_of(await show(world))
        shown = text_of(await world.manage("Moderation", log_channel_id=[log]))
        assert "⚠️ **One problem to fix**\n**Everyone can read the log**" in shown
        hint = "Deny View Channel to @everyone there, and allow it for Kiosk's role."
        assert f"@everyone can see {log.mention}. {hint}" in shown

        await world.name_demo_places()
        shown = text_of(await show(world))
        assert "⚠️ **2 problems to fix**" in shown
        assert "**The game isn't answering**\nThe game stopped answering <t:" in shown
        assert "Kiosk keeps trying." in shown


async def test_a_form_that_can_not_be_kept_comes_back(world: World) -> None:
    steps = Steps(world, world.moderator)
    many = "\n".join(f"Reason {number}" for number in range(21))
    for wrong, why in (
        ({"kept_days": "abc"}, "“abc” isn't a number from 1 to 3,650."),
        ({"kept_days": "9999"}, "“9999” isn't a number from 1 to 3,650."),
        (
            {"kept_days": "30", "reasons": many},
            "A server can have up to 20 reasons, each with up to 100 characters.",
        ),
        (
            {"kept_days": "30", "reasons": "x" * 101},
            "A server can have up to 20 reasons, each with up to 100 characters.",
        ),
    ):
        await steps.use("setup show")
        await steps.press("Moderation")
        assert why in await steps.send(**wrong)
        await steps.press("Try again")
        filled = presets(world.moderator, steps.form)
        assert wrong.items() <= filled.items()

    told = await steps.send(kept_days="1", reasons="Spam\nInsults\nSpam", needs_reason=True)
    said = "**Usual reasons** · 2\n**Require a reason** · yes\n"
    assert f"**Settings saved:**\n{said}**Days to keep removed texts** · 1\n" in told
    assert "Settings saved" not in text_of(await world.manage("Moderation"))
    assert "Settings saved" not in text_of(await world.manage("Language"))


async def test_all_that_arrives_empty_is_asked_about_at_once(world: World) -> None:
    await world.name_demo_places()
    log, role = await open_log(world), world.guild.create_role("Helpers")
    await world.manage("Moderation", moderator_role_id=[role], reasons="Spam")
    emptied: dict[str, Any] = {"log_channel_id": None, "moderator_role_id": None, "reasons": None}

    asked = answer_of(await world.manage("Moderation", **emptied, kept_days="30"))
    until_now = f"- **Log channel** · {log.mention}\n- **Moderator role** · {role.mention}"
    assert text_of(asked).endswith(
        f"The form left these empty. Their current values:\n{until_now}\n- **Usual reasons** · 1"
    )
    await world.moderator.click(asked, label="Cancel")
    assert f"**Log channel** · {log.mention}\n**Moderator role** · {role.mention}" in text_of(asked)

    asked = answer_of(await world.manage("Moderation", **emptied))
    await world.moderator.click(asked, label="Turn off")
    said = "**Moderator role** · not set\n**Usual reasons** · none\n"
    log_line = "**Log channel** · not set, so members can't report comments"
    assert f"**Settings saved:**\n{log_line}\n{said}" in text_of(asked)
    form = await world.moderator.click(asked, label="Moderation")
    assert presets(world.moderator, form) == {"kept_days": "30"}


async def test_each_channel_is_told_with_what_is_missing_and_where_to_mend_it(world: World) -> None:
    await world.name_demo_places()
    may = "Allowed: View Channel, Send Messages, and Embed Links"
    shown = text_of(await show(world, "Permissions"))
    assert f"**{world.channel.mention}** · this channel\n{may}" in shown

    log = world.guild.create_text_channel("log")
    await world.manage("Moderation", log_channel_id=[log])
    await shut(world, world.channel, SEND)
    shown = text_of(await show(world, "Permissions"))
    assert "✅ Kiosk has every permission it needs" in shown
    assert "this channel\nNot allowed: Send Messages" in shown

    await shut(world, log, SEND)
    shown = text_of(await show(world, "Permissions"))
    assert "⚠️ Something is missing" in shown
    assert f"**{log.mention}** · the moderation log\n⚠️ Not allowed: Send Messages" in shown
    give = "Allow this for Kiosk's role in the channel under Edit Channel > Permissions."
    assert give in shown


async def test_the_log_and_the_panel_need_what_announcements_need(world: World) -> None:
    moderator = world.moderator
    to_send = discord.Permissions(view_channel=True, send_messages=True)
    let_discord_say(world, to_send.value)

    for button, field in (("Moderation", "log_channel_id"), ("Panel", "panel_channel_id")):
        refused = text_of(await world.manage(button, **{field: [world.channel]}))
        assert "Kiosk needs these permissions there:\n- **Embed Links**\n" in refused
        assert "Nothing was changed." in refused
    await world.name_demo_places()
    none = "**Log channel** · not set, so members can't report comments"
    assert none in text_of(await world.slash("setup show", moderator))


async def test_a_server_chooses_the_language_of_what_everybody_reads(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cogs.setup")
    await world.name_demo_places()
    await world.manage("Panel", panel_channel_id=[world.channel])
    await tried(world)
    assert "Choose a thread or catalog" in text_of(world.channel.last_message)

    chosen = await world.manage("Language", locale=["de"])

    assert "**Settings saved:**\n**Server language** · Deutsch" in text_of(chosen)
    assert "**Server language** · Deutsch" in text_of(chosen)
    await tried(world)
    assert "Wähle einen Thread oder Katalog" in text_of(world.channel.last_message)
    assert "A server manager changed settings: {'locale': 'de'}" in caplog.messages
    await world.manage("Language", locale=["discord"])
    await tried(world)
    assert "Choose a thread or catalog" in text_of(world.channel.last_message)
