"""How an announcement looks: its preview, and the server's own words above it."""

from zlib import crc32

from msgspec.structs import replace

from bot.features import feature_errors
from bot.i18n import pt, t
from bot.ui import drawing, fields, markdown, permissions, shared_actions
from bot.ui.forms import ActionForm
from bot.ui.here import MANAGER, Here
from bot.ui.router import route, sent
from cogs.announce import actions, announcement, announcement_messages, lines, words
from storage import subscriptions

_WORDS = fields.TextInput("words", words.MAX_LENGTH)


class KeepOwnWords(shared_actions.OfAnnouncement, kind="announce.keep_words"):
    """Save the previewed words if the checksum matches: others may have been previewed since."""

    checksum: int


@route(actions.WriteOwnWords, opens_form=True, needs=MANAGER)
async def open_words_form(here: Here, action: shared_actions.OfAnnouncement) -> None:
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    text = subscription.drafted_words or subscription.own_words
    await here.open_form(own_words_form(subscription.id, text))


@sent(actions.WriteOwnWords, needs=MANAGER)
async def on_words(here: Here, action: shared_actions.OfAnnouncement) -> None:
    text = _WORDS.read(here).strip()
    if unknown := words.unknown_placeholders(text):
        known = " ".join(f"{{{name}}}" for name in words.NAMES)
        raise feature_errors.UnknownPlaceholder(name=unknown[0], known=known)
    if (count := len(text.encode())) > words.MAX_BYTES:
        raise feature_errors.OwnWordsTooLong(count=str(count), limit=str(words.MAX_BYTES))
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    drafted = await announcing.change(subscription.id, drafted_words=text)
    await _preview_draft(here, drafted)


async def _preview_draft(here: Here, subscription: subscriptions.Subscription) -> None:
    text = subscription.drafted_words
    keep = KeepOwnWords(subscription.id, crc32(text.encode()))
    await _preview(
        here,
        replace(subscription, own_words=text),
        t("👁️ Only you see this preview. Nothing is saved yet."),
        drawing.button(keep, pt("a preview", "Save"), style=drawing.BLUE),
        drawing.button(actions.WriteOwnWords(subscription.id), t("Edit")),
    )


@route(actions.ShowPreview, needs=MANAGER)
async def on_preview(here: Here, action: shared_actions.OfAnnouncement) -> None:
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    note = t("👁️ Only you see this preview. It pings no one.")
    await _preview(here, subscription, note)


async def _preview(
    here: Here, subscription: subscriptions.Subscription, note: str, *buttons: drawing.Button
) -> None:
    """Show an announcement as it would be posted, and below it the missing permissions."""
    event = await here.features.announcing.sample(subscription)
    above = [f"-# {note}"]
    if event is None:
        card = drawing.notice(t("There are no matching items right now."), subscription.own_words)
    else:
        is_post = subscription.channel_kind == subscriptions.FORUM_CHANNEL
        kind = announcement_messages.AnnouncementKind(here.features)
        drawn = await kind.draw_news(subscription, [event], is_post=is_post)
        card = drawn.card
        if drawn.title is not None:
            title = markdown.escape(drawn.title)
            above.append(t("Post title: %(title)s", title=title))
    card.components.insert(0, drawing.paragraph("\n".join(above)))
    card.divide()
    channel_id = subscription.channel_id or 0
    channels = await permissions.channels_at_hand(here, [channel_id])
    if looked := channels.get(channel_id):
        lacks = looked.lacks([permissions.use_for(subscription)], subscription.pinged)
        if why := permissions.why_not(channel_id, looked, lacks):
            card.say(f"⚠️ {why}")
    back = shared_actions.OpenAnnouncement(subscription.id)
    card.buttons(*buttons, drawing.button(back, t("Back")))
    await here.answer(card)


@route(KeepOwnWords, needs=MANAGER)
async def on_keep(here: Here, action: KeepOwnWords) -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    text = subscription.drafted_words
    if action.checksum == crc32(text.encode()):
        await announcing.change(
            subscription.id, await lines.line_of(here), own_words=text, drafted_words=""
        )
    elif action.checksum != crc32(subscription.own_words.encode()):
        await _preview_draft(here, subscription)
        return
    await announcement.show(here, subscription.id, t("Changes saved."))


def own_words_form(subscription_id: int, text: str) -> ActionForm:
    form = ActionForm(
        actions.WriteOwnWords(subscription_id), title=t("Text above the announcement")
    )
    # The placeholders are the same in every language.
    hint = t("Placeholders: %(names)s", names=" ".join(f"{{{name}}}" for name in words.NAMES))
    _WORDS.ask(form, t("Custom text"), hint, text=text)
    return form
