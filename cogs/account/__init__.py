"""`/account`: link and unlink a game account, list watches, export and erase records."""

import asyncio
import datetime as dt
import io
import json
from contextlib import suppress

import discord
from discord.ext import commands
from pydantic import SecretStr

from bot import errors
from bot.features import accounts, feature_errors
from bot.game.game_errors import GameError
from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import custom_ids, drawing, error_cards, shared_actions, theme, watches
from bot.ui.here import Here
from bot.ui.messages import kinds
from bot.ui.router import route, sent
from bot.ui.slash import L, command
from cogs.account import account_cards
from storage import links, messages
from storage.names import PlaceKind
from storage.storage_errors import DatabaseError

# From the start of a day in UTC, which is another date in half of the world, to noon.
_TO_NOON = dt.timedelta(hours=12)


class KeepToken(custom_ids.Action, kind="account.keep"):
    """Keep a token that hasn't been used for a long time."""


class AccountCog(commands.GroupCog, name=L("account"), description=L("Manage your game account")):
    @command(L("link"), L("Link your game account with an access token"), acknowledges=False)
    async def link(self, here: Here) -> None:
        """Ask for the token in a form: Discord would show and keep a command's options."""
        await open_link_form(here, shared_actions.LinkAccount())

    @command(L("show"), L("Show your linked account, and export or erase your data"))
    async def show(self, here: Here) -> None:
        await show(here)

    @command(L("watches"), L("Show and stop your watches"))
    async def watches(self, here: Here) -> None:
        await show_watches(here)


@route(shared_actions.LinkAccount, opens_form=True)
async def open_link_form(here: Here, action: shared_actions.LinkAccount) -> None:
    linked = None
    with suppress(errors.LinkUnreadable, DatabaseError):
        linked = await here.features.accounts.find(here.member_id)
    await here.open_form(
        account_cards.link_form(here.features.accounts.source, linked, action.resume_id)
    )


@sent(shared_actions.LinkAccount)
async def on_token(here: Here, action: shared_actions.LinkAccount) -> None:
    client = here.interaction.client
    resume_id = action.resume_id
    try:
        catalogs = await here.names(PlaceKind.CATALOG)
        may_shop = await here.features.accounts.link(
            here.member_id,
            SecretStr(accounts.bare_token(here.token)),
            [catalog.game_id for catalog in catalogs],
            here.locale,
        )
    except (errors.AccountError, GameError) as error:
        # Opens the same form again.
        retry = shared_actions.link_buttons(here.features.accounts.source, resume_id, again=True)
        card = error_cards.error_card(error, error_cards.log_error(error), buttons=retry)
        error_cards.offer_report(here, card, error)
        await here.answer(card)
        return
    await here.features.watching.hurry(here.member_id)
    unsent = await here.features.texts.unsent(here.member_id)
    needs_press = not resume_id or client.router.opens_form(resume_id)
    card = account_cards.linked_card(
        resume_id if needs_press else custom_ids.NOTHING_FOLDED,
        len(unsent),
        may_shop=may_shop,
        has_places=any([catalogs, await here.names(PlaceKind.THREAD)]),
    )
    await here.answer(card)
    await here.hooks.linked(here)
    if not needs_press:
        here.again = resume_id
        await client.router.resume_press(here, resume_id)


@route(shared_actions.ShowAccount)
async def show(here: Here, _action: shared_actions.ShowAccount | None = None) -> None:
    member_id = here.member_id
    link = await here.features.accounts.find(member_id)
    is_good = link is not None and not link.is_refused
    kept = {} if is_good else await here.features.records.export(member_id)
    used = _last_use(link, here.clock.now()) if link else ""
    card = account_cards.account_card(link, here.features.accounts.source, kept, used)
    await here.hooks.account_shown(here, card, link)
    await here.answer(card)


@route(shared_actions.ShowWatches)
async def show_watches(
    here: Here, _action: shared_actions.ShowWatches | None = None, changed: str = ""
) -> None:
    watching = here.features.watching
    watched = [
        watch
        for kind in PlaceKind
        for watch in await watching.watches.of_member(here.member_id, kind)
    ]
    directory = here.features.directory
    titles = await watches.titles_of(directory, watched)
    gone_places = await watching.watches.gone_places(here.member_id)
    gone = {
        watch.first.id: [
            await watches.title_of(directory, part)
            for part in watch.parts
            if (part.kind, part.place_id) in gone_places
        ]
        for watch in watched
    }
    has_account = here.features.own_account.is_there
    ways = here.interaction.client.member_news.ways(has_account=has_account)
    card = account_cards.watches_card(watched, titles, gone, changed, ways, has_account=has_account)
    watches_items = any(watch.first.kind is PlaceKind.CATALOG for watch in watched)
    if not has_account:
        none = feature_errors.NoOwnAccount()
        card.say(f"⚠️ {t(none.body)} {t(none.next_step)}")
        error_cards.offer_report(here, card, none)
    elif watches_items and not await _is_linked(here):
        said = t("To get messages about items again, link your account.")
        card.say(f"⚠️ {said}")
        card.buttons(*shared_actions.link_buttons(here.features.accounts.source))
    await here.answer(card)


async def _is_linked(here: Here) -> bool:
    try:
        await here.features.accounts.require(here.member_id)
    except errors.AccountError:
        return False
    return True


@route(shared_actions.AskEndWatch)
async def on_ask_end_watch(here: Here, action: shared_actions.AskEndWatch) -> None:
    watch = await here.features.watching.find_watch(here.member_id, action.watch_id)
    titles = await watches.titles_of(here.features.directory, [watch])
    title = t("Stop watching %(what)s?", what=watches.watch_words(watch))
    end = shared_actions.EndWatch(action.watch_id)
    back = shared_actions.ShowWatches()
    where = titles[watch.first.id]
    await here.answer(drawing.question(title, where, end, t("Stop watching"), back))


@route(shared_actions.EndWatch)
async def on_end_watch(here: Here, action: shared_actions.EndWatch) -> None:
    ended = await here.features.watching.end_watch(here.member_id, action.watch_id)
    what = f"**{watches.watch_words(ended)}**"
    await show_watches(here, changed=t("You no longer watch %(what)s.", what=what))


@route(KeepToken)
async def on_keep(here: Here, action: custom_ids.Action) -> None:
    await here.features.accounts.keep(here.member_id)
    await show(here)


@route(account_cards.AskToUnlink)
async def on_ask_to_unlink(here: Here, action: custom_ids.Action) -> None:
    is_linked = True
    with suppress(errors.LinkUnreadable):
        is_linked = await here.features.accounts.find(here.member_id) is not None
    if not is_linked:
        await show(here)
        return
    body = t("Kiosk deletes your access token. To post and shop again, link your account again.")
    title = t("Unlink your game account?")
    label = t("Unlink account")
    await here.answer(
        drawing.question(title, body, account_cards.Unlink(), label, shared_actions.ShowAccount())
    )


@route(account_cards.Unlink)
async def on_unlink(here: Here, action: custom_ids.Action) -> None:
    await here.features.accounts.unlink(here.member_id)
    await here.hooks.linked(here)
    title = t("Game account unlinked")
    await here.answer(
        drawing.notice(title, colour=theme.ACCOUNT, buttons=shared_actions.link_buttons())
    )


@route(account_cards.Export)
async def on_export(here: Here, action: custom_ids.Action) -> None:
    member_id = here.member_id
    name = "kiosk.json"
    kept = await here.features.records.export(member_id)
    exported_at = here.clock.now().isoformat()
    whole = {"member_id": str(member_id), "exported_at": exported_at, "kept": kept}
    content = json.dumps(whole, indent=2, ensure_ascii=False).encode()
    if len(content) > here.interaction.filesize_limit:
        content = await asyncio.to_thread(accounts.zipped, name, content)
        name = "kiosk.zip"
    if len(content) > here.interaction.filesize_limit:
        title = t("Your records are too large for Discord")
        body = t("Ask the bot's operator. They can give you all your records as a file.")
        await here.answer(drawing.notice(title, body, colour=theme.PROBLEM))
        return
    title = t("The data Kiosk keeps about you")
    body = t("This file contains all your data as JSON. Only you can see it.")
    footer = t("Your access token isn't in it. Kiosk never shows it to anyone.")
    card = drawing.notice(title, body, colour=theme.ACCOUNT, footer=footer)
    card.add(drawing.attached_file(name))
    await here.send_private(card, file=discord.File(io.BytesIO(content), name))


@route(account_cards.AskToErase)
async def on_ask_to_erase(here: Here, action: custom_ids.Action) -> None:
    await here.answer(account_cards.erase_card())


@route(account_cards.Erase)
async def on_erase(here: Here, action: custom_ids.Action) -> None:
    removed, left = await here.features.erase(here.member_id)
    await here.answer(account_cards.erased_card(removed, left))


def _last_use(link: links.Link, now: dt.datetime) -> str:
    day = t("today")
    if link.used_at.date() != now.date():
        day = t("on %(date)s", date=discord.utils.format_dt(link.used_at + _TO_NOON, "d"))
    return t("Last used %(day)s", day=day)


class UnusedToken(kinds.Kind):
    name = links.UNUSED
    priority = messages.Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return the warning that a token is deleted soon, None if it was used or refused since."""
        link = None
        with suppress(errors.LinkUnreadable):
            link = await self._accounts.find(message.member_id or 0)
        if link is None or link.is_refused or link.kept_until is None:
            return None
        speak(link.locale)
        body = t(
            "You haven't used it since %(day)s. Kiosk deletes it on %(end)s unless you keep it,"
            " browse the shop or post.",
            day=discord.utils.format_dt(link.used_at + _TO_NOON, "d"),
            end=discord.utils.format_dt(link.kept_until, "d"),
        )
        button = drawing.button(KeepToken(), t("Keep token"), style=drawing.BLUE)
        title = t("Your access token will be deleted soon")
        return kinds.Drawn(drawing.notice(title, body, colour=theme.ACCOUNT, buttons=(button,)))


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(AccountCog())
    bot.dispatcher.add(UnusedToken(bot))
