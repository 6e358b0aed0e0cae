"""Writing in threads, as members do it."""

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import (
    BIG,
    EMPTY,
    ForumTown,
    can_press,
    number_of,
    numbers_of,
)
from tests.support.world import SUBSCRIBER


async def test_a_text_given_as_an_option_is_posted_and_shown_with_its_buttons(
    linked: ForumTown,
) -> None:
    posted = await linked.post("Hello *everybody*")

    assert "Your comment is posted" in text_of(posted)
    assert "Hello \\*everybody\\*" in text_of(posted)
    assert answer_of(posted).ephemeral
    assert {"Reply", "Share", "Edit", "Delete"} <= set(buttons_of(posted))
    assert await linked.texts_in(EMPTY) == ["Hello *everybody*"]


async def test_a_text_left_out_is_asked_for_in_a_form_of_several_lines(linked: ForumTown) -> None:
    form = await linked.world.slash("forum post", thread="Quiet corner")
    assert form.modal is not None
    (asked,) = form.modal["components"]
    assert asked["component"]["style"] == 2
    assert asked["description"] == f"Up to {asked['component']['max_length']:,} characters."

    posted = await linked.world.member.submit_modal(form, {"text": "One line\nand another"})

    assert "Your comment is posted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == ["One line\nand another"]


async def test_ones_own_token_in_a_text_reaches_neither_the_game_nor_a_card(
    linked: ForumTown,
) -> None:
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
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum drafts"))


async def test_a_reply_stands_below_what_it_answers(linked: ForumTown) -> None:
    asked = number_of(await linked.post("Who is there?"))

    answered = await linked.world.slash(
        "forum reply", linked.world.friend, thread=EMPTY, comment=f"#{asked}", content="Me"
    )

    assert "Your reply is posted" in text_of(answered)
    card = await linked.read(EMPTY)
    assert numbers_of(card) == [asked]
    assert "↳ **Sprig**: Me" in text_of(card)
    await linked.open_comment(card, asked)
    assert "**Sprig**" in text_of(card)
    assert "Me" in text_of(card)


async def test_the_reply_button_opens_a_form_that_replies(linked: ForumTown) -> None:
    posted = await linked.post("Who is there?")

    form = await linked.press(posted, "Reply")
    await linked.world.member.submit_modal(form, {"text": "Nobody"})

    assert "↳ **Juniper**: Nobody" in text_of(await linked.read(EMPTY))


async def test_a_comment_number_that_is_none_is_refused(linked: ForumTown) -> None:
    refused = await linked.world.slash("forum reply", thread=EMPTY, comment="first", content="x")

    assert "“first” is not the number of anything in the game" in text_of(refused)


async def test_the_thread_shows_what_was_written(linked: ForumTown) -> None:
    posted = await linked.post("Brand new")
    assert "Brand new" in text_of(await linked.read(EMPTY))

    form = await linked.press(posted, "Edit")
    await linked.world.member.submit_modal(form, {"text": "Brand new, and better"})
    view = await linked.read(EMPTY)
    assert "Brand new, and better" in text_of(view)

    asked = await linked.world.slash("forum delete", comment=str(number_of(view)))
    await linked.press(asked, "Delete")
    assert "Brand new" not in text_of(await linked.read(EMPTY))


async def test_an_opened_comment_shows_a_reply_that_was_just_written(linked: ForumTown) -> None:
    await linked.post("Question")
    view = await linked.read(EMPTY)
    await linked.open_comment(view, number_of(view))

    form = await linked.press(view, "Reply")
    await linked.world.member.submit_modal(form, {"text": "Answer"})

    view = await linked.read(EMPTY)
    await linked.open_comment(view, number_of(view))
    assert "Answer" in text_of(view)
    assert "**1 reply**" in text_of(view)


async def test_a_text_that_is_too_long_is_told_with_its_length_before_it_is_sent(
    linked: ForumTown,
) -> None:
    writes = linked.writes

    refused = await linked.post("x" * 5_500)

    assert "It has 5,500 characters, the game takes at most 5,000" in text_of(refused)
    assert not can_press(refused, "Try again")
    assert linked.writes == writes
    form = await linked.press(refused, "Edit")
    await linked.world.member.submit_modal(form, {"text": "Shorter"})
    assert await linked.texts_in(EMPTY) == ["Shorter"]


async def test_a_text_of_spaces_is_not_sent(linked: ForumTown) -> None:
    refused = await linked.post("   ")

    assert "nothing in your text that anybody could see" in text_of(refused)
    assert await linked.texts_in(EMPTY) == []


async def test_the_message_menu_replies_to_the_one_comment_that_is_shown(
    linked: ForumTown,
) -> None:
    posted = await linked.post("Look at this")
    await linked.press(posted, "Share")
    shared = linked.world.channel.last_message
    assert shared is not None

    form = await linked.world.friend.context_menu(linked.world.channel, "Reply to comment", shared)
    await linked.world.friend.submit_modal(form, {"text": "I see"})

    assert await linked.texts_in(EMPTY) == ["Look at this", "I see"]


async def test_the_message_menu_asks_which_of_several_comments_is_meant(
    linked: ForumTown,
) -> None:
    wanted = number_of(await linked.post("The one"))
    await linked.post("Another")
    await linked.read(EMPTY, public=True)
    message = linked.world.channel.last_message
    assert message is not None

    asked = await linked.world.friend.context_menu(
        linked.world.channel, "Reply to comment", message
    )
    options = selects_of(asked)[0]["options"]
    assert any(option["label"] == "Juniper: The one" for option in options)
    form = await linked.world.friend.select(answer_of(asked), [str(wanted)])
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


async def test_named_threads_are_offered(linked: ForumTown) -> None:
    offered = await linked.world.member.autocomplete(
        linked.world.channel, "forum post", "thread", "qui"
    )

    assert offered == [{"name": "Quiet corner", "value": EMPTY}]


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
