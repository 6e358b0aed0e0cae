"""Naming a server's places, and what is told of it to moderators."""

from typing import Any

import pytest
import simcord

from storage.names import PlaceKind
from tests.support.cards import answer_of, blue_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.rest import until_idle
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World


async def add(world: World, kind: str, game_id: str, name: str) -> simcord.InteractionResult:
    """Name something of the game, even what the game doesn't have."""
    card = await world.slash(f"setup {kind}", world.moderator, id=game_id, name=name)
    if "Save name anyway" in buttons_of(card):
        await world.moderator.click(answer_of(card), label="Save name anyway")
    return card


async def names(world: World, kind: str = "Threads") -> Any:
    """Give the card of what is named."""
    return await world.press_through("setup show", kind, actor=world.moderator)


async def open_name(world: World, card: Any, name: str) -> None:
    (listed,) = selects_of(card)
    (value,) = [each["value"] for each in listed["options"] if each["label"] == name]
    await world.moderator.select(card, [value])


async def test_a_named_thread_is_listed_by_its_last_name(world: World) -> None:
    await add(world, "thread", "9223372036854775807", "Old")
    added = await add(world, "thread", "9223372036854775807", "**@everyone** <@1>")

    assert added.ephemeral
    assert r"is now “\*\*\@everyone\*\* \<\@1>”" in text_of(added)
    listed = text_of(await names(world))
    assert r"**\*\*\@everyone\*\* \<\@1>** · 9223372036854775807" in listed
    assert "Old" not in listed


async def test_threads_and_catalogs_have_names_of_their_own(world: World) -> None:
    await add(world, "thread", "12", "Season")
    added = await add(world, "catalog", "12", "Season")

    assert "Catalog 12 is now “Season”" in text_of(added)
    card = await names(world, "Catalogs")
    await open_name(world, card, "Season")
    await world.moderator.click(card, label="Remove…")
    assert "Remove the name “Season”?\nMembers can no longer find it" in text_of(card)
    await world.moderator.click(card, label="Remove")
    assert "**Name “Season” removed**\nNone yet." in text_of(card)
    assert "Season" in text_of(await names(world))


@pytest.mark.usefixtures("on_both_engines")
async def test_a_name_stands_for_one_thread_whatever_its_case(world: World) -> None:
    await add(world, "thread", "12", "Patch notes")
    taken = await add(world, "thread", "13", "PATCH  Notes")

    assert "That name is taken" in text_of(taken)
    assert "Number 12 is already called" in text_of(taken)


@pytest.mark.parametrize("name", ["7", "#7", "  ", "\u200b\u2060"])
async def test_a_number_or_nothing_is_no_name(world: World, name: str) -> None:
    answer = await add(world, "thread", "12", name)
    assert "You can't use that name" in text_of(answer)


@pytest.mark.parametrize("game_id", ["twelve", "-1", "1.5", "9223372036854775808", "9" * 40])
async def test_what_is_no_id_is_refused(world: World, game_id: str) -> None:
    answer = await add(world, "thread", game_id, "Season")
    assert "That isn't a number" in text_of(answer)


async def test_the_name_of_what_is_announced_is_asked_about(world: World) -> None:
    await world.name_demo_places()
    await world.slash("announce thread", world.moderator, thread="1", channel=world.channel)
    card = await names(world)
    await open_name(world, card, "Park life")

    await world.moderator.click(card, label="Remove…")
    announced = "1 announcement continues, and shows the number instead of the name."
    assert f"Remove the name “Park life”?\n{announced}" in text_of(card)
    await world.moderator.click(card, label="Remove")
    assert "**Park life** ·" not in text_of(card)


async def test_a_hundred_long_names_fit_on_the_card(world: World) -> None:
    for number in range(100):
        name = f"{number:03} " + "x" * 70
        await world.bot.features.directory.add(world.guild.id, PlaceKind.THREAD, number, name)

    assert "and 94 more" in text_of(await world.slash("setup show", world.moderator))
    card = await names(world)
    await world.moderator.click(card, label="Next")
    assert "006…" in text_of(card)
    assert text_of(card).count("⚠️ **0") == 6


def offered(card: Any) -> dict[str, str]:
    """Give what the card's list offers: labels, and the values they stand for."""
    (listed,) = selects_of(card)
    return {each["label"]: each["value"] for each in listed["options"]}


async def test_what_several_threads_may_be_is_a_list(world: World) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)

    card = answer_of(await world.slash("forum read", thread="pa", sort="hottest"))
    assert "“pa” matches several names: Park life and Patch notes." in text_of(card)
    assert list(offered(card)) == ["Park life", "Patch notes"]
    await world.member.select(card, [offered(card)["Patch notes"]])
    assert "## Patch notes\n1 to 3 · hottest first" in text_of(card)

    unsent = answer_of(await world.slash("forum post", thread="pa", content="My very own words"))
    assert "My very own words" in text_of(unsent)
    form = await world.member.select(unsent, [offered(unsent)["Park life"]])
    assert "My very own words" in str(form.modal)
    posted = await fill_in(world.member, form)
    assert "Comment posted" in text_of(posted)
    assert "My very own words" in text_of(posted)

    asked = answer_of(await world.slash("forum post", thread="pa"))
    await world.member.select(asked, [offered(asked)["Park life"]])
    form = await world.member.click(asked, label="Write")
    assert form.modal is not None

    unknown = answer_of(await world.slash("forum read", thread="Nowhere"))
    assert list(offered(unknown)) == ["Park life", "Patch notes", "Quiet corner"]


async def test_what_several_catalogs_may_be_keeps_the_filter(world: World) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)

    assert "## Season" in text_of(await world.slash("shop browse", catalog="seson"))
    card = answer_of(await world.slash("shop browse", catalog="t", show="clearance"))
    await world.member.select(card, [offered(card)["Outlet"]])

    assert "## Outlet\n1 to 1 of 1 · **on clearance**" in text_of(card)


async def test_a_refused_form_opens_again_as_it_was_filled_in(world: World) -> None:
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Add a thread")
    assert "“twelve” isn't a valid number." in await steps.send(id="twelve", name="Patch notes")
    await steps.press("Try again")
    assert presets(world.moderator, steps.form) == {"id": "twelve", "name": "Patch notes"}
    assert "Patch notes" in await steps.send(id="2")


async def test_naming_a_thread_leads_on_to_the_first_catalog(world: World) -> None:
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Add a thread")
    await steps.send(id="1", name="Park life")
    labels = ["Rename", "Add a thread", "Add a catalog", "Remove…", "Back"]
    assert list(buttons_of(steps.card)) == [*labels, "Follow a thread", "Set up"]
    await steps.press("Follow a thread")
    assert presets(world.moderator, steps.form)["thread"] == ["1"]
    assert blue_of(steps.card) == ["Add a catalog"]
    await steps.press("Back")
    assert list(buttons_of(steps.card)) == ["Add a thread", "Add a catalog", "Back"]
    await steps.press("Add a catalog")
    assert "Catalog 1 is now “Season”" in await steps.send(id="1", name="Season")
    assert list(buttons_of(steps.card))[1:3] == ["Add a catalog", "Add a thread"]
    assert list(buttons_of(steps.card))[5:] == ["Announce", "Set up"]
    assert blue_of(steps.card) == ["Announce"]
    await steps.press("Announce")
    assert steps.form.modal["title"] == "Announce Season"


async def test_names_of_used_servers_work_in_direct_messages(world: World) -> None:
    await world.name_demo_places()
    direct = world.member.user
    asked: list[tuple[str, dict[str, str]]] = [
        ("forum read", {}),
        ("forum read", {"thread": "park"}),
        ("forum post", {"thread": "park", "content": "Hello"}),
        ("forum watch", {"words": "acorn"}),
        ("shop browse", {}),
        ("shop item", {"item": "hat"}),
        ("shop buy", {"item": "hat", "catalog": "season"}),
        ("shop redeem", {"item": "hat"}),
        ("shop watch", {"item": "hat"}),
        ("shop watch", {"name": "hat"}),
    ]
    for command, options in asked:
        told = await direct.slash(command, **options)
        assert "No threads or catalogs here yet" in text_of(told), command
        assert "or enter the number of a thread or catalog." in text_of(told)
        await world.member.user.click(answer_of(told), label="Help")
    await world.settle(world.member, SUBSCRIBER)
    for option in ("forum read thread", "shop browse catalog", "shop item item"):
        command, _, name = option.rpartition(" ")
        offered = await direct.autocomplete(command, name, "")
        assert [entry["name"] for entry in offered] == ["No threads or catalogs here yet"]

    await world.slash("forum read", thread="park")
    await until_idle(world.bot)

    assert "## Park life" in text_of(await direct.slash("forum read", thread="park"))
    found = await direct.autocomplete("shop browse", "catalog", "sea")
    assert [entry["name"] for entry in found] == ["Season"]
    stranger = world.friend.user
    assert "No threads or catalogs here yet" in text_of(
        await stranger.slash("forum read", thread="park")
    )


async def test_of_two_servers_places_with_one_name_each_names_its_server(world: World) -> None:
    await world.name_demo_places()
    other = world.env.create_guild("Other Fans")
    channel = other.create_text_channel("talk")
    member = other.add_member(world.member.user)
    directory = world.bot.features.directory
    await directory.add(other.id, PlaceKind.THREAD, 9, "Park life")
    await directory.add(other.id, PlaceKind.THREAD, 2, "News")
    long_name = "Everything about this season's hats and balloons"
    for server, number in ((world.guild, 20), (other, 21)):
        await directory.add(server.id, PlaceKind.THREAD, number, long_name)
    # In a list of more than ten entries, labels are shorter.
    for number in range(5):
        await directory.add(other.id, PlaceKind.THREAD, 30 + number, f"Talk {number}")
    await world.slash("help")
    await member.slash(channel, "help")
    # What a command leaves behind comes after its answer.
    await until_idle(world.bot)
    direct = world.member.user

    offered = await direct.autocomplete("forum read", "thread", "park l")
    labels = ["Park life \u00b7 Acorn Park Fans", "Park life \u00b7 Other Fans"]
    assert [entry["name"] for entry in offered] == labels
    assert "## Park life" in text_of(await direct.slash("forum read", thread=labels[0]))
    missing = text_of(await direct.slash("forum read", thread=labels[1]))
    assert f"Thread {labels[1]} (9) doesn't exist, or was deleted." in missing
    asked = await direct.slash("forum read", thread="park life")
    assert sorted(each["label"] for each in selects_of(asked)[0]["options"]) == labels
    helped = answer_of(await direct.slash("help"))
    await direct.click(helped, label="Threads")
    (listed,) = selects_of(helped)
    names = [each["label"] for each in listed["options"]]
    assert text_of(helped).count(" \u00b7 Other Fans") == 2
    assert {*labels, "Patch notes", "Quiet corner"} < set(names)
    long_labels = [name for name in names if name.startswith("Everything about this season")]
    servers = [name.rpartition("\u2026 \u00b7 ")[2] for name in long_labels]
    assert sorted(servers) == ["Acorn Park Fans", "Other Fans"]


async def test_a_list_of_names_goes_on_with_following(world: World) -> None:
    moderator, channel = world.moderator, world.channel
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()

    followed = answer_of(
        await world.slash("announce thread", moderator, thread="pa", channel=channel)
    )
    await moderator.select(followed, [offered(followed)["Patch notes"]])
    assert "## Patch notes in" in text_of(followed)

    card = answer_of(await world.slash("announce add", moderator, catalog="t"))
    await moderator.select(card, [offered(card)["Outlet"]])
    form = await moderator.click(card, label="Announce")
    await fill_in(moderator, form, channel=[channel], news=["back"], cost="50 Acorns")
    assert "## Outlet in" in text_of(card)
    assert "Back again · up to 50 Acorns" in text_of(await world.slash("announce list", moderator))
