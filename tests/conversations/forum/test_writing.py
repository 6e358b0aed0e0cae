"""Writing in threads, as members do it."""

from bot.app import open_bot
from bot.domain.drafts import LONGEST_COMMENT
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.faulty_proxy import Fault
from tests.support.forum import (
    BIG,
    EMPTY,
    ForumTown,
    buttons_by_id,
    can_press,
    number_of,
    numbers_of,
)


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
    assert form.modal["components"][0]["component"]["style"] == 2

    posted = await linked.world.member.submit_modal(form, {"text": "One line\nand another"})

    assert "Your comment is posted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == ["One line\nand another"]


async def test_a_reply_stands_below_what_it_answers(linked: ForumTown) -> None:
    asked = number_of(await linked.post("Who is there?"))

    answered = await linked.world.slash(
        "forum reply", linked.world.friend, thread=EMPTY, comment=f"#{asked}", content="Me"
    )

    assert "Your reply is posted" in text_of(answered)
    card = await linked.read(EMPTY)
    assert numbers_of(card) == [asked]
    await linked.press(card, "1 reply")
    assert "**Sprig**" in text_of(card)
    assert "Me" in text_of(card)


async def test_the_reply_button_opens_a_form_that_replies(linked: ForumTown) -> None:
    posted = await linked.post("Who is there?")

    form = await linked.press(posted, "Reply")
    await linked.world.member.submit_modal(form, {"text": "Nobody"})

    assert "1 reply" in buttons_of(await linked.read(EMPTY))


async def test_a_comment_number_that_is_none_is_refused(linked: ForumTown) -> None:
    refused = await linked.world.slash("forum reply", thread=EMPTY, comment="first", content="x")

    assert "“first” is not the number of a comment" in text_of(refused)


async def test_own_comments_carry_edit_and_delete_once_the_player_is_known(
    linked: ForumTown,
) -> None:
    before = await linked.read(BIG)
    assert "Edit" not in buttons_of(before)

    await linked.post("Now you know me")

    mine = await linked.read(EMPTY)
    others = await linked.read(EMPTY, linked.world.friend)
    assert {"Edit", "Delete"} <= set(buttons_of(mine))
    assert "Edit" not in buttons_of(others)
    await linked.press(mine, "Open")
    assert {"Edit", "Delete"} <= set(buttons_of(mine))


async def test_a_screen_full_of_own_comments_has_all_their_buttons(linked: ForumTown) -> None:
    for number in range(5):
        await linked.post(f"Mine, number {number}")

    card = await linked.read(EMPTY)

    assert len(numbers_of(card)) == 5
    ids = [button for button in buttons_by_id(card) if "edit_form" in button or "ask_del" in button]
    assert len(ids) == 10


async def test_edit_opens_a_form_with_the_present_text(linked: ForumTown) -> None:
    posted = await linked.post("Frist!")

    form = await linked.press(posted, "Edit")
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "Frist!"
    changed = await linked.world.member.submit_modal(form, {"text": "First!"})

    assert "Your comment is changed" in text_of(changed)
    assert await linked.texts_in(EMPTY) == ["First!"]


async def test_the_edit_command_knows_the_present_text_after_a_restart(linked: ForumTown) -> None:
    number = number_of(await linked.post("Frist!"))

    async with open_bot(linked.world.settings) as again:
        await linked.world.env.restart_bot(again)
        form = await linked.world.slash("forum edit", comment=str(number))

    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "Frist!"


async def test_a_text_of_the_greatest_length_can_be_edited_whole(linked: ForumTown) -> None:
    text = ("All work and no play. " * 300)[:LONGEST_COMMENT].strip()
    posted = await linked.post(text)

    form = await linked.press(posted, "Edit")
    assert form.modal is not None
    fields = [label["component"] for label in form.modal["components"]]
    await linked.world.member.submit_modal(form, {f["custom_id"]: f["value"] for f in fields})

    assert len(fields) == 2
    assert await linked.texts_in(EMPTY) == [text]


async def test_edit_and_delete_offer_what_the_member_wrote(linked: ForumTown) -> None:
    number = number_of(await linked.post("Something about ducks"))
    await linked.post("Something about hats")
    member = linked.world.member

    offered = await member.autocomplete(linked.world.channel, "forum edit", "comment", "ducks")
    assert [choice["value"] for choice in offered] == [str(number)]
    for_friend = await linked.world.friend.autocomplete(
        linked.world.channel, "forum delete", "comment", ""
    )
    assert for_friend == []

    asked = await linked.world.slash("forum delete", comment=str(number))
    await linked.press(asked, "Delete")
    offered = await member.autocomplete(linked.world.channel, "forum delete", "comment", "")
    assert [choice["name"].split()[-1] for choice in offered] == ["hats"]


async def test_delete_asks_first_and_shows_what_will_go(linked: ForumTown) -> None:
    posted = await linked.post("Regrettable")

    await linked.press(posted, "Delete")
    assert "Delete this comment?" in text_of(posted)
    assert "Regrettable" in text_of(posted)
    await linked.press(posted, "Keep it")
    assert await linked.texts_in(EMPTY) == ["Regrettable"]

    await linked.press(posted, "Delete")
    await linked.press(posted, "Delete")
    assert "The comment is deleted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == []


async def test_another_players_comment_is_not_deleted(linked: ForumTown) -> None:
    number = number_of(await linked.post("Mine"))

    asked = await linked.world.slash("forum delete", linked.world.friend, comment=str(number))
    refused = await linked.press(asked, "Delete", linked.world.friend)

    assert "The game doesn't allow that" in text_of(refused)
    assert await linked.texts_in(EMPTY) == ["Mine"]


async def test_a_reply_to_a_deleted_comment_is_refused_and_given_back(linked: ForumTown) -> None:
    posted = await linked.post("Here a moment")
    await linked.game.database.execute("DELETE FROM comments WHERE thread_id = 3")

    form = await linked.press(posted, "Reply")
    refused = await linked.world.member.submit_modal(form, {"text": "Wait for me"})

    assert "Wait for me" in text_of(refused)
    assert can_press(refused, "Discard")


async def test_an_open_view_of_the_thread_shows_what_was_written(linked: ForumTown) -> None:
    view = await linked.read(EMPTY)
    reads = linked.reads

    posted = await linked.post("Brand new")
    assert "Brand new" in text_of(view)

    form = await linked.press(posted, "Edit")
    await linked.world.member.submit_modal(form, {"text": "Brand new, and better"})
    assert "Brand new, and better" in text_of(view)

    asked = await linked.world.slash("forum delete", comment=str(number_of(view)))
    await linked.press(asked, "Delete")
    assert "Brand new" not in text_of(view)
    # What was written is known: nothing had to be read again.
    assert linked.reads == reads


async def test_an_opened_comment_shows_a_reply_that_was_just_written(linked: ForumTown) -> None:
    await linked.post("Question")
    view = await linked.read(EMPTY)
    await linked.press(view, "Open")

    form = await linked.press(view, "Reply")
    await linked.world.member.submit_modal(form, {"text": "Answer"})

    assert "Answer" in text_of(view)
    assert "**1 reply**" in text_of(view)


async def test_a_text_that_is_too_long_is_told_with_its_length_before_it_is_sent(
    linked: ForumTown,
) -> None:
    writes = linked.writes

    refused = await linked.post("x" * 5_500)

    assert "It has 5,500 characters, the game takes at most 5,000" in text_of(refused)
    assert "5,500 of 5,000 characters" in text_of(refused)
    assert not can_press(refused, "Retry")
    assert linked.writes == writes
    form = await linked.press(refused, "Edit")
    await linked.world.member.submit_modal(form, {"text": "Shorter"})
    assert await linked.texts_in(EMPTY) == ["Shorter"]


async def test_a_text_of_spaces_is_not_sent(linked: ForumTown) -> None:
    refused = await linked.post("   ")

    assert "The text is empty" in text_of(refused)
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

    assert "answers Juniper: The one" in text_of(answered)


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


async def test_a_comment_of_anyone_can_be_named_by_its_number(linked: ForumTown) -> None:
    unknown = await linked.world.slash("forum edit", comment="121")
    assert unknown.modal is not None
    assert "can't see its present text" in str(unknown.modal)

    asked = await linked.world.slash("forum delete", comment="121")
    assert "Delete comment #121?" in text_of(asked)
    assert "The game doesn't allow that" in text_of(await linked.press(asked, "Delete"))


async def test_a_deletion_whose_answer_is_lost_can_be_pressed_again(linked: ForumTown) -> None:
    posted = await linked.post("Regrettable")
    await linked.press(posted, "Delete")
    with linked.proxy.failing(Fault.LOST_ANSWER, lambda passing: passing.is_write):
        unknown = await linked.press(posted, "Delete")
    assert "Nobody can say whether it happened" in text_of(unknown)

    again = await linked.press(posted, "Delete")

    assert "isn't in the game, or no longer is" in text_of(again)
    assert await linked.texts_in(EMPTY) == []


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
