"""Preview: a manager sees alone what an announcement would look like, and what Kiosk lacks."""

import pytest

from playground.simulation import speak_language
from tests.conversations.announce.conftest import ALL, add, deny, opened, press
from tests.support.cards import answer_of, buttons_of, rows_of, text_of
from tests.support.forms import fill_in
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop
from tests.support.world import World

ENGLISH = (
    ("Custom text", "Save", "Preview"),
    (
        "Only you see this preview. It pings no one.\nPost title: Hat number 1\n",
        "🆕 New",
        "⚠️ Kiosk needs Create Posts in %s.",
    ),
)
GERMAN = (
    ("Eigener Text", "Speichern", "Vorschau"),
    (
        "Nur du siehst diese Vorschau. Sie pingt niemanden.\nTitel des Beitrags: Hat number 1\n",
        "🆕 Neu",
        "⚠️ Kiosk braucht in %s: Beiträge erstellen.",
    ),
)


@pytest.mark.parametrize(
    ("language", "labels", "sentences"), [("en-US", *ENGLISH), ("de", *GERMAN)]
)
async def test_a_preview_is_the_announcement_for_its_manager_alone(
    town: World, language: str, labels: tuple[str, str, str], sentences: tuple[str, str, str]
) -> None:
    speak_language(town.env, language)
    let_discord_say(town, ALL)
    role = town.guild.create_role("Shoppers")
    forum = town.guild.create_forum_channel("finds")
    await add(town, channel=[forum], role=[role])
    own_words, keep, preview = labels
    form = await town.moderator.click(await opened(town), label=own_words)
    card = answer_of(await fill_in(town.moderator, form, words="**{item}** for you, {role}!"))
    await town.moderator.click(card, label=keep)
    await deny(town, forum.id)

    shown = await town.moderator.click(card, label=preview)

    assert answer_of(shown).ephemeral
    head, news, lacks = sentences
    assert f"{head}**Hat number 1** for you, {role.mention}!\n" in text_of(shown)
    assert news in text_of(shown)
    assert text_of(shown).endswith(lacks % forum.mention)
    asked = [str(each.json) for each in town.env.http_requests if "Hat number 1" in str(each.json)]
    assert "'allowed_mentions': {'parse': []}" in asked[-1]
    await tried(town)
    assert not forum.threads


async def test_a_preview_has_the_announcements_buttons_and_says_nothing_where_all_is_well(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    await add(town)
    card = await press(town, "Pause", "Preview")

    assert "Post title" not in text_of(card)
    assert "⚠️" not in text_of(card)
    assert rows_of(card) == [["Buy", "Redeem", "Watch", "Open"], ["Back"]]
    await town.moderator.click(card, label="Back")
    assert "Paused" in text_of(card)

    shop.items.clear()
    await town.moderator.click(card, label="Preview")
    assert "There are no matching items right now." in text_of(card)
    assert [*buttons_of(card)] == ["Back"]
    assert town.channel.last_message is None


async def test_what_is_previewed_can_be_bought(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town)

    asked = await town.moderator.click(await press(town, "Preview"), label="Buy")

    assert "Buy Hat number 1?" in text_of(asked)
