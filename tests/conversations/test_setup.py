"""Naming a server's threads and catalogs, as moderators do."""

import pytest
import simcord

from storage.names import PlaceKind
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.world import World


async def add(world: World, kind: str, game_id: str, name: str) -> simcord.InteractionResult:
    """Name something of the game, even what the game doesn't have."""
    card = await world.slash(f"setup {kind} add", world.moderator, id=game_id, name=name)
    if "Keep it anyway" in buttons_of(card):
        await world.moderator.click(answer_of(card), label="Keep it anyway")
    return card


async def test_a_named_thread_is_listed(world: World) -> None:
    added = await add(world, "thread", "12", "Patch notes")

    assert added.ephemeral
    assert "Thread 12 is now “Patch notes”" in text_of(added)
    assert "**Patch notes** · 12" in text_of(
        await world.slash("setup thread list", world.moderator)
    )


async def test_threads_and_catalogs_have_names_of_their_own(world: World) -> None:
    await add(world, "thread", "12", "Season")
    added = await add(world, "catalog", "12", "Season")

    assert "Catalog 12 is now “Season”" in text_of(added)
    await world.slash("setup catalog remove", world.moderator, catalog="Season")
    assert "No catalog has a name" in text_of(
        await world.slash("setup catalog list", world.moderator)
    )
    assert "Season" in text_of(await world.slash("setup thread list", world.moderator))


async def test_naming_again_renames(world: World) -> None:
    await add(world, "thread", "12", "Old")
    await add(world, "thread", "12", "New")

    listed = text_of(await world.slash("setup thread list", world.moderator))
    assert "New" in listed
    assert "Old" not in listed


@pytest.mark.usefixtures("on_both_engines")
async def test_a_name_stands_for_one_thread_whatever_its_case(world: World) -> None:
    await add(world, "thread", "12", "Patch notes")
    taken = await add(world, "thread", "13", "PATCH  Notes")

    assert "That name is taken" in text_of(taken)
    assert "number 12" in text_of(taken)


@pytest.mark.parametrize("name", ["7", "#7", "  ", "\u200b\u2060"])
async def test_a_number_or_nothing_is_no_name(world: World, name: str) -> None:
    answer = await add(world, "thread", "12", name)

    assert "That name can't be used" in text_of(answer)


@pytest.mark.parametrize("game_id", ["twelve", "-1", "1.5", "9223372036854775808", "9" * 40])
async def test_what_is_no_id_is_refused(world: World, game_id: str) -> None:
    answer = await add(world, "thread", game_id, "Season")

    assert "That is not a number" in text_of(answer)


async def test_the_largest_id_is_kept(world: World) -> None:
    answer = await add(world, "thread", "9223372036854775807", "Far")

    assert "Thread 9223372036854775807 is now “Far”" in text_of(answer)


async def test_a_name_is_taken_away_by_itself_or_by_its_id(world: World) -> None:
    await add(world, "thread", "12", "Patch notes")
    await add(world, "thread", "13", "Help")

    by_name = await world.slash("setup thread remove", world.moderator, thread="patch NOTES")
    by_id = await world.slash("setup thread remove", world.moderator, thread="13")

    assert "no longer called “Patch notes”" in text_of(by_name)
    assert "no longer called “Help”" in text_of(by_id)
    assert "No thread has a name" in text_of(
        await world.slash("setup thread list", world.moderator)
    )


async def test_taking_away_what_has_no_name_is_told(world: World) -> None:
    answer = await world.slash("setup thread remove", world.moderator, thread="Nowhere")

    assert "Nothing here is called “Nowhere”" in text_of(answer)


async def test_names_are_offered_while_typing(world: World) -> None:
    await world.name_demo_places()

    offered = await world.moderator.autocomplete(
        world.channel, "setup thread remove", "thread", "pa"
    )

    assert [(entry["name"], entry["value"]) for entry in offered] == [
        ("Park life", "1"),
        ("Patch notes", "2"),
    ]


async def test_a_name_that_formats_is_shown_as_it_was_typed(world: World) -> None:
    answer = await add(world, "thread", "1", "**@everyone** <@1>")

    assert r"\*\*\@everyone\*\* \<\@1>" in text_of(answer)


async def test_a_hundred_long_names_fit_on_the_card(world: World) -> None:
    for number in range(100):
        name = f"{number:03} " + "x" * 70
        await world.bot.features.directory.add(world.guild.id, PlaceKind.THREAD, number, name)

    listed = text_of(await world.slash("setup thread list", world.moderator))

    assert len(listed) <= 4000
    assert listed.count("\n**") + int(listed.rpartition("and ")[2].split()[0]) == 100
    offered = await world.moderator.autocomplete(world.channel, "setup thread remove", "thread", "")
    assert len(offered) == 25
    overview = await world.slash("setup show", world.moderator)
    await world.moderator.click(answer_of(overview), label="Next")
    assert "006…" in text_of(overview)
    assert text_of(overview).count("⚠️ 0") == 6


async def test_members_are_not_offered_setup(world: World) -> None:
    with pytest.raises(simcord.SetupError, match="not visible"):
        await world.slash("setup thread list", world.member)
