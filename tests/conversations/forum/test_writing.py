"""Writing in threads and replying in context."""

import pytest

from bot.app import open_bot
from bot.features.moderation.policy import Viewer
from bot.features.reading.paging import Position
from bot.game.models import PageKey
from tests.support.cards import answer_of, blue_of, buttons_of, opens, selects_of, text_of
from tests.support.faulty_proxy import is_read
from tests.support.forum import (
    BIG,
    EMPTY,
    SMALL,
    ForumTown,
    can_press,
    entries_of,
    number_of,
    numbers_of,
)
from tests.support.world import SUBSCRIBER


async def test_a_text_left_out_is_asked_for_in_a_form_of_several_lines(linked: ForumTown) -> None:
    form = await linked.world.slash("forum post", thread="Quiet corner")
    assert form.modal is not None
    (asked,) = form.modal["components"]
    assert asked["component"]["style"] == 2
    assert asked["description"] == f"Up to {asked['component']['max_length']:,} characters."

    posted = await linked.world.member.submit_modal(form, {"text": "One line\nand another"})

    assert "Comment posted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == ["One line\nand another"]


async def test_codes_of_discord_are_words_in_the_game(linked: ForumTown) -> None:
    friend = linked.world.friend.id
    codes = {
        f"Hi <@{friend}>, <@!{friend}> and <@1>": "Hi @friend, @friend and @someone",
        "<:acorn:123><a:_wave2:456> now": ":acorn::_wave2: now",
        "<#12>, <id:browse>, <id:linked-roles:5>, <@&34>": "#channel, #channel, #channel, @role",
        "<t:0:F>, <t:1767225600>, <t:99999999999999999:R>": (
            "1970-01-01 00:00 UTC, 2026-01-01 00:00 UTC, <t:99999999999999999:R>"
        ),
        "Try </forum read:987> or </foren lösch mich:1>": "Try /forum read or /foren lösch mich",
        "a <b> c <3 <@> <:x> <#general>": "a <b> c <3 <@> <:x> <#general>",
    }
    for typed in codes:
        assert "Comment posted" in text_of(await linked.post(typed))
    assert await linked.texts_in(EMPTY) == list(codes.values())

    form = await linked.world.slash("forum post", thread=EMPTY)
    posted = await linked.world.member.submit_modal(form, {"text": f"<@{friend}>!"})
    assert "@friend!" in text_of(posted)
    await linked.world.slash(
        "forum edit", comment=str(number_of(posted)), content=f"<#1> <@{friend}>"
    )
    assert (await linked.texts_in(EMPTY))[-1] == "#channel @friend"

    await linked.cut_off("Words")
    unsent = await linked.world.slash("forum unsent")
    await linked.open_text(unsent)
    form = await linked.press(unsent, "Edit")
    await linked.world.member.submit_modal(form, {"text": f"<:acorn:1> <@{friend}>"})
    assert (await linked.texts_in(EMPTY))[-1] == ":acorn: @friend"


async def test_who_is_mentioned_while_discord_says_no_name_is_someone(linked: ForumTown) -> None:
    linked.world.env.inject_error("GET", "/users/*", status=500, code=0, times=None)

    await linked.post(f"Hi <@{linked.world.friend.id}>")

    assert await linked.texts_in(EMPTY) == ["Hi @someone"]


async def test_a_token_in_a_text_reaches_nobody(linked: ForumTown) -> None:
    slip = f"This one? Bearer {SUBSCRIBER} or so"
    refused = await linked.post(slip)
    asked = await linked.post("Who is there?")
    form = await linked.form_of(await linked.press(asked, "Edit"))
    changed = await linked.world.member.submit_modal(form, {"text": slip})

    for card in (refused, changed):
        assert "your access token" in text_of(card)
        assert "This one? Bearer … or so" in text_of(card)
        assert SUBSCRIBER not in text_of(card)
    assert await linked.texts_in(EMPTY) == ["Who is there?"]
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum unsent"))
    card = await linked.world.press_through("account show")
    exported = await linked.world.member.click(card, label="Export data")
    (attached,) = answer_of(exported).attachments
    records = (await attached.read()).decode()
    assert "Who is there?" in records
    assert "This one?" not in records
    assert SUBSCRIBER not in records


async def test_a_reply_stands_below_what_it_answers(linked: ForumTown) -> None:
    asked = number_of(await linked.post("Who is there?"))

    answered = await linked.world.slash(
        "forum reply", linked.world.friend, thread=EMPTY, comment=f"#{asked}", content="Me"
    )

    assert "Reply posted" in text_of(answered)
    card = await linked.read(EMPTY)
    assert numbers_of(card) == [asked]
    assert "↳ **Sprig**: Me" in text_of(card)
    await linked.open_comment(card, asked)
    assert "**Sprig**" in text_of(card)
    assert "Me" in text_of(card)
    assert "**1 reply**" in text_of(card)


async def test_what_is_typed_for_no_comment_or_no_thread_comes_back(linked: ForumTown) -> None:
    world = linked.world
    no_number = "“first” isn't a valid number"
    for command, options, why in (
        ("edit", {"comment": "first"}, no_number),
        ("reply", {"comment": "first", "thread": SMALL}, no_number),
        ("post", {"thread": "Nowhere"}, "Nothing here is called “Nowhere”."),
        ("reply", {"thread": "Nowhere", "comment": "118"}, "Nothing here is called “Nowhere”."),
    ):
        shown = await world.slash(f"forum {command}", content="My words", **options)
        assert why in text_of(shown)
        assert ">>> My words" in text_of(shown)
    # What may have been meant is offered.
    assert "Quiet corner" in str(selects_of(shown))
    assert "You have no unsent texts" in text_of(await world.slash("forum unsent"))


async def test_a_shared_comment_that_is_gone_is_told_before_the_form(linked: ForumTown) -> None:
    posted = await linked.post("Here a moment")
    shared = answer_of(await linked.press(posted, "Share"))
    await linked.game.database.execute("DELETE FROM comments WHERE thread_id = 3")
    await linked.world.restart()
    refused = await linked.world.member.click(shared, label="Reply")

    assert refused.modal is None
    assert "That comment is gone" in text_of(refused)


@pytest.mark.parametrize("on_both_engines", ["postgresql"], indirect=True)
async def test_what_one_wrote_by_one_process_is_seen_at_once_by_another(
    on_both_engines: None, linked: ForumTown
) -> None:
    world, thread = linked.world, PageKey(int(EMPTY))
    reader = Viewer(world.friend.id, world.guild.id)
    await linked.read(EMPTY)
    first = await linked.post("The first of mine")
    number = str(number_of(first))
    reads = linked.reads
    shown = await world.member.click(answer_of(first), label="Thread")
    # The process that wrote it has it in its place.
    assert "The first of mine" in text_of(shown)
    assert linked.reads == reads

    async with open_bot(world.settings) as other:
        reading = other.features.threads
        await reading.screen(reader, Position(thread))
        second = await linked.post("The second of mine")
        edited = await world.slash("forum edit", comment=number, content="The first, edited")
        reads = linked.reads
        await reading.screen(reader, Position(thread))
        assert linked.reads == reads
        await world.env.restart_bot(other)
        for card in (second, edited):
            await linked.press(card, "Thread")
            assert "The second of mine" in text_of(card)
            assert "The first, edited" in text_of(card)
            # Once is enough.
            assert linked.reads == reads + 1


async def test_the_message_menu_replies_to_the_one_comment_that_is_shown(linked: ForumTown) -> None:
    posted = await linked.post("Look at this")
    await linked.press(posted, "Share")
    shared = linked.world.channel.last_message
    assert shared is not None

    form = await linked.world.friend.context_menu(linked.world.channel, "Reply to comment", shared)
    await linked.world.friend.submit_modal(form, {"text": "I see"})

    assert await linked.texts_in(EMPTY) == ["Look at this", "I see"]


async def test_the_message_menu_asks_which_of_several_comments_is_meant(linked: ForumTown) -> None:
    wanted = number_of(await linked.post("The one"))
    await linked.post("Another")
    await linked.read(EMPTY, public=True)
    message = linked.world.channel.last_message
    assert message is not None

    asked = await linked.world.friend.context_menu(
        linked.world.channel, "Reply to comment", message
    )
    options = selects_of(asked)[0]["options"]
    assert "Juniper: The one" in [option["label"] for option in options]
    form = await linked.reply_to(asked, wanted, linked.world.friend)
    answered = await linked.world.friend.submit_modal(form, {"text": "To the one"})

    assert "in reply to Juniper: The one" in text_of(answered)


async def test_the_message_menu_says_so_where_no_comment_is_shown(linked: ForumTown) -> None:
    message = await linked.world.member.send(linked.world.channel, "Just talking")

    refused = await linked.world.friend.context_menu(
        linked.world.channel, "Reply to comment", message
    )

    assert "This message shows no comment" in text_of(refused)


async def test_reply_offers_the_comments_of_the_thread_that_was_chosen(linked: ForumTown) -> None:
    number = number_of(await linked.post("Something about ducks"))
    await linked.post("Something about hats")
    await linked.read(EMPTY)
    member, channel = linked.world.member, linked.world.channel

    offered = await member.autocomplete(channel, "forum reply", "comment", "duck", thread=EMPTY)
    assert [choice["value"] for choice in offered] == [str(number)]
    assert offered[0]["name"] == f"#{number} Juniper: Something about ducks"
    nowhere = await member.autocomplete(channel, "forum reply", "comment", "", thread="Nowhere")
    assert nowhere == []


async def test_texts_that_try_to_format_or_ping_do_neither(town: ForumTown) -> None:
    await town.read(BIG, page=4, public=True)
    card = await town.read(BIG, page=3)
    shown = text_of(card)
    while can_press(card, "Next"):
        await town.press(card, "Next")
        shown += text_of(card)

    for message in town.world.channel.history():
        assert not message.mention_everyone
        assert not message.mentions
    assert "<@" not in shown.replace("\\<", "").replace("\\@", "")
    assert "\u202e" not in shown


async def test_page_1_with_all_its_replies_is_read_with_four_presses(town: ForumTown) -> None:
    card = await town.read(BIG)
    presses, shown = 0, text_of(card)
    while True:
        for value, entry in entries_of(card).items():
            is_opening = value in opens(card)
            more = int((entry.get("description") or "0").split()[0]) if is_opening else 0
            if more > 2:
                await town.open_comment(card, int(value.split(":")[4]))
                shown += text_of(card)
                await town.press(card, "Thread")
                presses += 2
        if "11 to 15" in text_of(card):
            break
        await town.press(card, "Next")
        shown += text_of(card)
        presses += 1

    rows = await town.game.database.fetch(
        "SELECT reply.content FROM comments AS reply JOIN comments AS root "
        "ON reply.parent_id = root.id WHERE root.id IN "
        "(SELECT id FROM comments WHERE thread_id = 1 AND parent_id IS NULL "
        "ORDER BY created_at DESC, id DESC LIMIT 15)"
    )
    assert len(rows) == 11
    plain = shown.replace("\\", "")
    assert not [row["content"] for row in rows if row["content"][:50] not in plain]
    assert presses == 4


async def test_one_replies_from_a_thread_with_two_presses(linked: ForumTown) -> None:
    asked = number_of(await linked.post("Who is there?"))
    card = await linked.read(EMPTY)

    form = await linked.reply_to(card, asked)
    answered = await linked.world.member.submit_modal(form, {"text": "Nobody"})

    assert "Reply posted" in text_of(answered)
    assert "↳ **Juniper**: Nobody" in text_of(await linked.read(EMPTY))


async def test_the_form_names_whom_one_answers_and_quotes_the_beginning(linked: ForumTown) -> None:
    card = await linked.read(BIG)

    form = await linked.reply_to(card, 118)

    assert form.modal is not None
    assert form.modal["title"] == "Reply to Fern"
    assert form.modal["components"][0]["content"].startswith("> The Fish Balloon is at the pond")


async def test_a_comment_not_had_in_time_is_named_by_number(linked: ForumTown) -> None:
    async with linked.proxy.arriving.closed(is_read) as gate:
        form = await linked.world.slash("forum reply", thread=BIG, comment="118")
        gate.open()

    assert form.modal is not None
    assert form.modal["title"] == "Reply to comment #118"


@pytest.mark.parametrize("thread", [EMPTY, "404"])
async def test_a_reply_to_what_is_not_there_is_kept_to_be_copied(
    linked: ForumTown, thread: str
) -> None:
    refused = await linked.world.slash(
        "forum reply", thread=thread, comment="118", content="Wait for me"
    )
    assert ">>> Wait for me" in text_of(refused)
    why = (
        "the thread doesn't exist" if thread == "404" else "There is no such comment in this thread"
    )
    assert why in text_of(refused)

    listed = await linked.world.slash("forum unsent")
    await linked.open_text(listed)

    assert ">>> Wait for me" in text_of(listed)
    assert list(buttons_of(listed)) == ["Try again", "Edit", "Discard…"]
    assert not blue_of(listed)


@pytest.mark.parametrize("text", ["   ", "\u200b\u2060", "\u2800 \u3164", "\ufe0f\u0301", "\u200d"])
async def test_a_text_that_nobody_could_see_is_not_sent(linked: ForumTown, text: str) -> None:
    writes = linked.writes

    refused = await linked.post(text)

    assert "Your text has no visible characters." in text_of(refused)
    assert linked.writes == writes
    assert not can_press(refused, "Try again")
