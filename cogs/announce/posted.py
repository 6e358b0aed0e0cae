"""A message of an announcement: its state, its link, and how to change it."""

from collections import abc

from bot.features import item_queries
from bot.features.following import owing
from bot.i18n import nt, speaking, t
from bot.ui import drawing, items, markdown, theme
from bot.ui.here import MANAGER, Here
from bot.ui.router import route
from cogs.announce import actions, history
from storage import messages, moderation, subscriptions

# The room for an item's name in a line of the log.
_NAME_ROOM = 60
# How many items the title of a message's card names.
_MAX_NAMED = 3


class UpdatePosted(actions.OfPosted, kind="announce.update"):
    """Update a message to its items as the game shows them now."""


class AskDeletePosted(actions.OfPosted, kind="announce.ask_delete"):
    """Ask before a message is deleted."""


class DeletePosted(actions.OfPosted, kind="announce.delete"):
    """Delete a message permanently."""


@route(actions.OpenPosted, needs=MANAGER)
async def show(here: Here, action: actions.OfPosted, said: str = "") -> None:
    subscription, message = await _find(here, action)
    events = await here.features.announcing.deliveries.events_of(message.key)
    await here.answer(posted_card(action, subscription, message, events, said))


@route(UpdatePosted, needs=MANAGER)
async def on_update(here: Here, action: actions.OfPosted) -> None:
    subscription, message = await _find(here, action)
    line = await _line(here, subscription, message, moderation.ModerationAction.MESSAGE_UPDATED)
    missing = await here.features.announcing.update_posted(subscription, message, line)
    said = t("Kiosk is updating the message. No one is pinged again.")
    if missing:
        said = nt(
            "Kiosk is updating the message. %(count)s item isn't in the catalog right now and"
            " stays unchanged.",
            "Kiosk is updating the message. %(count)s items aren't in the catalog right now and"
            " stay unchanged.",
            missing,
        )
    await show(here, action, said)


@route(AskDeletePosted, needs=MANAGER)
async def on_ask(here: Here, action: actions.OfPosted) -> None:
    subscription, message = await _find(here, action)
    body = t(
        "Kiosk deletes the message in %(channel)s permanently and won't post this news there"
        " again.",
        channel=f"<#{message.channel_id}>",
    )
    delete = DeletePosted(subscription.id, action.event_id)
    back = actions.OpenPosted(subscription.id, action.event_id)
    title = t("Delete this message?")
    await here.answer(drawing.question(title, body, delete, t("Delete message"), back))


@route(DeletePosted, needs=MANAGER)
async def on_delete(here: Here, action: actions.OfPosted) -> None:
    subscription, message = await _find(here, action)
    line = await _line(here, subscription, message, moderation.ModerationAction.MESSAGE_DELETED)
    await here.features.announcing.delete_posted(message, line)
    await show(here, action)


async def _find(
    here: Here, action: actions.OfPosted
) -> tuple[subscriptions.Subscription, messages.Message]:
    return await here.features.announcing.posted(
        here.guild_id, action.subscription_id, action.event_id
    )


async def _line(
    here: Here,
    subscription: subscriptions.Subscription,
    message: messages.Message,
    deed: moderation.ModerationAction,
) -> moderation.LogLine:
    """Return the log's line about a change of a message."""
    events = await here.features.announcing.deliveries.events_of(message.key)
    with speaking(await here.features.moderation.locale(here.guild_id, subscription.locale)):
        first = items.name_of(item_queries.item_of(events[0]).name, _NAME_ROOM)
        names = markdown.some_of([first], len(events))
        detail = t("%(name)s in %(channel)s", name=names, channel=f"<#{message.channel_id}>")
    now = here.clock.now()
    return moderation.LogLine(here.guild_id, here.member_id, deed, detail=detail, created_at=now)


def posted_card(
    action: actions.OfPosted,
    subscription: subscriptions.Subscription,
    message: messages.Message,
    events: abc.Sequence[subscriptions.Event],
    said: str = "",
) -> drawing.Card:
    """Show a message's outcome. While it is in its channel, buttons change it."""
    named = [items.name_of(item_queries.item_of(event).name) for event in events[:_MAX_NAMED]]
    lines = [f"**{said}**"] if said else []
    lines.append(history.delivery_words(message, f"<#{message.channel_id}>"))
    buttons: list[drawing.Button] = []
    if message.message_id is None and message.state is messages.MessageState.UNKNOWN:
        lines.append(t("If the message is in the channel, delete it there yourself."))
    elif message.message_id is not None:
        # A post has the id of its first message.
        is_post = message.kind == owing.ANNOUNCEMENT_POST
        channel_id = message.message_id if is_post else message.channel_id
        place = f"{subscription.guild_id}/{channel_id}/{message.message_id}"
        if message.is_wanted or message.state is not messages.MessageState.OWED:
            buttons.append(
                drawing.page_button(f"https://discord.com/channels/{place}", t("Open message"))
            )
        of = subscription.id, action.event_id
        if message.is_wanted:
            buttons.append(drawing.button(UpdatePosted(*of), t("Update message")))
        if message.is_wanted or message.state is messages.MessageState.REFUSED:
            buttons.append(drawing.button(AskDeletePosted(*of), t("Delete message…")))
    back = drawing.button(actions.ShowHistory(subscription.id), t("Back"))
    title = markdown.some_of(named, len(events))
    body = "\n".join(lines)
    return drawing.notice(title, body, colour=theme.SHOP, buttons=(*buttons, back))
