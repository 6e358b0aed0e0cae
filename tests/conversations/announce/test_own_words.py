"""A server's own words above its announcements: asked for, previewed, kept and posted."""

from typing import Any, cast

import pytest

from playground.simulation import speak_language
from tests.conversations.announce.conftest import ALL, add, announce_a_hat, opened, restock
from tests.support.cards import answer_of, buttons_of, rows_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop
from tests.support.world import World

WORDS = "## {Item} is here!\n{role}: only **{price}** in {catalog}, {type}. @everyone {item}"


async def say(town: World, text: str) -> Any:
    """Fill in the words of the first announcement, and give what is shown then."""
    form = await town.moderator.click(await opened(town), label="Custom text")
    return await fill_in(town.moderator, form, words=text)


async def keep(town: World, text: str) -> None:
    await town.moderator.click(answer_of(await say(town, text)), label="Save")


async def test_words_are_previewed_kept_and_said_above_the_news(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    role = town.guild.create_role("Shoppers")
    await add(town, role=[role])

    preview = await say(town, WORDS)

    assert "Nothing is saved yet" in text_of(preview)
    assert f"{role.mention}: only **10 Acorns** in Season, Hat." in text_of(preview)
    assert rows_of(preview)[-1] == ["Save", "Edit", "Back"]
    assert "Custom text: " not in text_of(await opened(town))
    form = await town.moderator.click(answer_of(preview), label="Edit")
    assert presets(town.moderator, form)["words"] == WORDS
    await town.moderator.click(answer_of(preview), label="Save")
    assert "Custom text: " in text_of(answer_of(preview))

    posted = await restock(town, shop, "Straw *Hat*")
    said = "## Straw \\*Hat\\* is here!\n"
    said += f"{role.mention}: only **900 Acorns** in Season, Hat. @everyone Straw \\*Hat\\*"
    assert posted.components[0].content == said
    asked = [request.json for request in town.env.http_requests if "nonce" in (request.json or {})]
    assert cast("Any", asked[-1])["allowed_mentions"] == {"parse": [], "roles": [role.id]}


async def test_who_is_pinged_stands_above_words_that_do_not_name_them(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    role = town.guild.create_role("Shoppers")
    news = town.guild.create_news_channel("news")
    await add(town, role=[role], channel=[news])
    await keep(town, "Look: {item}, for {price}")

    await restock(town, shop, "Cap", "Hat", "Tie", "Bow", "Pin")

    sent = [request.json for request in town.env.http_requests if f"/{news.id}/" in request.path]
    content = cast("Any", sent[0])["content"]
    assert content.startswith(f"{role.mention}\nLook: Cap, Hat, Tie, and 2 more, for 900 Acorns, ")


@pytest.mark.parametrize(
    "text", ["{itme} is new", "New: {}", "{item} costs { cost }", "New: {item"]
)
async def test_an_unknown_name_is_refused_with_those_there_are(town: World, text: str) -> None:
    let_discord_say(town, ALL)
    await add(town)

    refused = await say(town, text)

    assert "isn't a placeholder" in text_of(refused)
    assert "You can use: {item} {price} {catalog} {type} {role}." in text_of(refused)
    again = await town.moderator.click(answer_of(refused), label="Try again")
    assert presets(town.moderator, again)["words"] == text


async def test_words_that_take_too_many_bytes_are_refused_and_counted(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    await add(town)

    refused = await say(town, "帽" * 401)
    assert "The text has 1203 bytes, and the limit is 1200." in text_of(refused)
    again = await town.moderator.click(answer_of(refused), label="Try again")
    assert presets(town.moderator, again)["words"] == "帽" * 401
    await keep(town, "帽" * 400)

    posted = await restock(town, shop, "Cap")
    assert posted.components[0].content == "帽" * 400


async def test_only_what_was_previewed_is_kept(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town)
    first = answer_of(await say(town, "First words"))
    second = answer_of(await say(town, "Second words"))

    await town.moderator.click(first, label="Save")
    assert "Nothing is saved yet" in text_of(first)
    assert "Second words" in text_of(first)
    await town.moderator.click(second, label="Save")
    assert "Custom text: Second words" in text_of(second)

    empty = answer_of(await say(town, ""))
    await town.moderator.click(empty, label="Save")
    assert "Custom text: " not in text_of(empty)


async def test_words_are_previewed_without_an_item(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    shop.items.clear()
    preview = await say(town, "Hello {item}")
    assert "There are no matching items right now." in text_of(preview)
    assert "Hello {item}" in text_of(preview)
    assert "Save" in buttons_of(preview)


async def test_words_are_asked_for_in_german(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    speak_language(town.env, "de")

    form = await town.moderator.click(await opened(town), label="Eigener Text")
    refused = await fill_in(town.moderator, form, words="{Preis}")
    assert "„{preis}“ ist kein Platzhalter" in text_of(refused)
    again = await town.moderator.click(answer_of(refused), label="Noch einmal versuchen")
    preview = answer_of(await fill_in(town.moderator, again, words="Neu: {item}"))
    assert "Nur du siehst diese Vorschau" in text_of(preview)
    await town.moderator.click(preview, label="Speichern")
    assert "Eigener Text: Neu: {item}" in text_of(preview)
    assert "Neu: Straw Hat" in text_of(await announce_a_hat(town, shop))


async def test_up_to_five_roles_are_pinged_and_those_that_are_gone_are_told(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    roles = [town.guild.create_role(name) for name in ("Shoppers", "Hats", "Caps")]
    kept = await add(town, role=roles)
    pings = f"{roles[0].mention}, {roles[1].mention}, and {roles[2].mention}"
    assert f"Pings {pings}" in text_of(kept)
    assert f"pings {pings}" in text_of(await town.slash("announce list", town.moderator))

    posted = await restock(town, shop, "Cap")
    assert posted.components[0].content == " ".join(role.mention for role in roles)

    # The same with another role is another announcement.
    assert "That announcement already exists" in text_of(await add(town, role=roles))
    assert "Announcement added. Kiosk posts news from now on." in text_of(
        await add(town, role=roles[:2])
    )

    await town.bot.http.delete_role(town.guild.id, roles[1].id)
    card = await opened(town)
    assert "and ⚠️ a deleted role" not in text_of(card)
    assert "⚠️ a deleted role" in text_of(card)
    assert "⚠️ At least one role was deleted, so Kiosk no longer pings it." in text_of(card)
    await restock(town, shop, "Hat", "Scarf")
    pinged = {text_of(message).partition("\n")[0] for message in town.channel.history()[-2:]}
    assert pinged == {f"{roles[0].mention} {roles[2].mention}", roles[0].mention}
    form = await town.moderator.click(card, label="Edit")
    chosen = [role.id for role in presets(town.moderator, form)["role"]]
    assert chosen == [roles[0].id, roles[2].id]
    report = text_of(await town.slash("setup show", town.moderator))
    assert "At least one role was deleted, so Kiosk no longer pings it." in report
