"""What options suggest is found by the entry's label, too: Discord may send that one."""

from functools import partial

import pytest
import simcord

from bot.features.directory import STAND_IN
from playground.simulation import speak_language
from tests.support.cards import text_of
from tests.support.world import SUBSCRIBER, World

# What is typed for an option of a command, beside which others are filled in.
OPTIONS: list[tuple[str, str, str, dict[str, str]]] = [
    ("shop item", "item", "straw", {}),
    ("shop item", "catalog", "sea", {"item": "1"}),
    ("shop buy", "item", "straw", {"catalog": "1"}),
    ("shop browse", "catalog", "sea", {}),
    ("shop browse", "catalog", "7", {}),
    ("shop browse", "type", "", {"catalog": "1"}),
    ("shop watch", "item", "straw", {}),
    ("forum read", "thread", "park", {}),
    ("forum read", "thread", "77", {}),
    ("forum reply", "comment", "", {"thread": "1"}),
    ("forum reply", "comment", "\uff11", {"thread": "1"}),
    ("forum edit", "comment", "", {}),
    ("moderate mute", "player", "", {"reason": "Spam"}),
    ("announce add", "catalog", "7", {}),
]


@pytest.mark.parametrize("locale", ["en-US", "de", "ja"])
@pytest.mark.parametrize(("command", "option", "typed", "filled"), OPTIONS)
async def test_an_entrys_label_does_what_the_entry_does(
    world: World, command: str, option: str, typed: str, filled: dict[str, str], locale: str
) -> None:
    speak_language(world.env, locale)
    await world.name_demo_places()
    await world.settle(world.moderator, SUBSCRIBER)
    await world.slash("forum post", world.moderator, thread="1", content="A first text")
    await world.slash("forum read", world.moderator, thread="1")
    await world.slash("shop browse", world.moderator, catalog="1", sort="cost")

    suggest = partial(world.moderator.autocomplete, world.channel, command, option, **filled)
    entry, *_ = await suggest(typed)

    assert entry["name"] != entry["value"]
    assert entry in await suggest(entry["name"])
    by_value = await world.slash(command, world.moderator, **filled, **{option: entry["value"]})
    by_label = await world.slash(command, world.moderator, **filled, **{option: entry["name"]})
    assert shown(by_label) == shown(by_value)


@pytest.mark.parametrize("locale", ["en-US", "de", "fr", "ja"])
async def test_the_label_of_why_there_is_nothing_to_choose_is_no_name(
    world: World, locale: str
) -> None:
    speak_language(world.env, locale)
    await world.name_demo_places()
    await world.settle(world.member, SUBSCRIBER)

    (entry,) = await world.member.autocomplete(
        world.channel, "shop buy", "item", "", catalog="Nowhere"
    )
    assert entry["value"] == STAND_IN
    by_value = await world.slash("shop buy", item=STAND_IN, catalog="1")
    by_label = await world.slash("shop buy", item=entry["name"], catalog="1")

    assert text_of(by_label) == text_of(by_value)


def shown(answer: simcord.InteractionResult) -> str:
    return str(answer.modal["custom_id"]) if answer.modal else text_of(answer)


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("Straw Hat \u00b7 1 Co", "Straw Hat"),
        ("\u201cStraw Hat\u201d", "Straw Hat"),
        ("\u201eStraw Hat\u201c", "Straw Hat"),
        ("\uff13", "Straw Hat"),
    ],
)
async def test_half_a_label_quotes_and_wide_digits_are_understood(
    world: World, typed: str, title: str
) -> None:
    await world.name_demo_places()
    await world.settle(world.member, SUBSCRIBER)

    assert f"## {title}" in text_of(await world.slash("shop item", item=typed))
