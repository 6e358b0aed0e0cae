"""`/account`: link a game account, or take the link away; what one watches; one's records."""

import asyncio
import datetime as dt
import io
import json
from collections import abc
from contextlib import suppress
from typing import Any

import discord
from discord import ui
from discord.ext import commands
from pydantic import SecretStr

from bot import errors
from bot.features import accounts
from bot.game.errors import GameError
from bot.i18n import listed, nt, speak, t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, error_cards, markdown, roles, shared_actions, theme, watches
from bot.ui.forms import ActionForm
from bot.ui.here import TOKEN_FIELD, Here
from bot.ui.messages import kinds
from bot.ui.router import route
from bot.ui.slash import L, command
from storage import links, messages
from storage.errors import DatabaseError
from storage.names import PlaceKind
from storage.subscriptions import Watch

_NAME_ROOM = 60
# For the lists by which watches end.
_STOPS_ROOM = 1800
# From the beginning of a day, which is another one in half of the world, to its middle.
_TO_NOON = dt.timedelta(hours=12)

# That somebody was here, and what they read.
_NOT_WORTH_A_LINE = {"links", "member_servers", "threads_read"}

# The numbers in words; tables that are not named here are told together.
_COUNTED: abc.Mapping[str, abc.Callable[[int], str]] = {
    "links": lambda _: t("the link to your game account"),
    "writes": lambda count: nt(
        "the record of one thing you wrote or ordered",
        "the records of %(count)s things you wrote or ordered",
        count,
    ),
    "subscriptions": lambda count: nt(
        "one thing that you watched", "%(count)s things that you watched", count
    ),
    "reports": lambda count: nt("one report", "%(count)s reports", count),
}


class AskToUnlink(ui_actions.Action, kind="unlink"):
    """Ask before the link is taken away."""


class Unlink(ui_actions.Action, kind="unlink_now"):
    """Take the link away."""


class Export(ui_actions.Action, kind="export"):
    """Send a file of what Kiosk keeps of the member."""


class AskToErase(ui_actions.Action, kind="ask_erase"):
    """Ask before all of the member is erased."""


class Erase(ui_actions.Action, kind="erase"):
    """Erase all that Kiosk keeps of the member."""


class TellAllReplies(ui_actions.Action, kind="account.replies"):
    """Tell the member of replies to all that they write from now on, or no more of any."""

    is_on: bool


class KeepToken(ui_actions.Action, kind="account.keep"):
    """Keep a token that nobody used for long."""


class AccountCog(commands.GroupCog, name=L("account"), description=L("Your game account")):
    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts
        self._records = bot.features.records
        self._roles = bot.features.roles
        self._texts = bot.features.texts
        self._router = bot.router
        self._now = bot.now
        self._tasks = bot.tasks
        bot.router.add(self)
        bot.dispatcher.add(UnusedToken(bot))

    @command(L("link"), L("Link your game account with an access token"), acknowledges=False)
    async def link(self, here: Here) -> None:
        """Ask for the token in a form: a command's options would be seen and kept by Discord."""
        await self._open_form(here, shared_actions.OpenLinkForm())

    @route(shared_actions.OpenLinkForm, opens_form=True)
    async def _open_form(self, here: Here, action: shared_actions.OpenLinkForm) -> None:
        linked = None
        with suppress(errors.LinkUnreadable, DatabaseError):
            linked = await self._accounts.find(here.member_id)
        await here.open_form(link_form(self._accounts.source, linked, action.resume_id))

    @route(shared_actions.LinkToken)
    async def _on_token(self, here: Here, action: shared_actions.OpenLinkForm) -> None:
        resume_id = action.resume_id
        here.again = shared_actions.OpenLinkForm(resume_id)
        try:
            catalogs = await here.names(PlaceKind.CATALOG)
            may_shop = await self._accounts.link(
                here.member_id,
                SecretStr(accounts.bare_token(here.text(TOKEN_FIELD))),
                [catalog.game_id for catalog in catalogs],
                here.locale,
            )
        except (errors.AccountError, GameError) as error:
            # The form again, by the same way.
            retry = shared_actions.link_buttons(self._accounts.source, resume_id, again=True)
            card = error_cards.error_card(error, error_cards.log_error(error), buttons=retry)
            error_cards.offer_report(here, card, error)
            await here.answer(card)
            return
        unsent = await self._texts.unsent(here.member_id)
        needs_press = not resume_id or self._router.opens_form(resume_id)
        card = linked_card(
            resume_id if needs_press else "",
            len(unsent),
            may_shop=may_shop,
            has_places=any([catalogs, await here.names(PlaceKind.THREAD)]),
        )
        await here.answer(card)
        # Whole catalogs may be read for it, and nobody is to wait for that.
        self._tasks.start(self._roles.look_after(here.member_id), finish=True)
        if not needs_press:
            here.again = resume_id
            await self._router.go_on(here, resume_id)

    @command(L("show"), L("Whose account is linked, and what Kiosk keeps about you"))
    async def show(self, here: Here) -> None:
        await self._show(here, shared_actions.ShowAccount())

    @route(shared_actions.ShowAccount)
    async def _show(self, here: Here, _action: shared_actions.ShowAccount) -> None:
        member_id = here.member_id
        link = await self._accounts.find(member_id)
        is_good = link is not None and not link.is_refused
        kept = {} if is_good else await self._records.export(member_id)
        used = await _last_use(here, link, self._now()) if link else ""
        card = account_card(link, self._accounts.source, kept, used)
        if had := await self._roles_words(here):
            card.say(had)
        await here.answer(card)

    async def _roles_words(self, here: Here) -> str:
        """Say which roles a member has from Kiosk in this server, and how many elsewhere."""
        rules = self._roles.rules
        lines: list[str] = []
        elsewhere = 0
        for role in await rules.had_by(here.member_id):
            if role.message_id is None:
                # Discord has not given it yet.
                continue
            if role.guild_id != here.server:
                elsewhere += 1
                continue
            rule = await rules.find(role.payload["rule"])
            lines.append(roles.why_words(role.role_id, rule))
        if elsewhere:
            others = nt(
                "Kiosk gave you a role in another server.",
                "Kiosk gave you %(count)s roles in other servers.",
                elsewhere,
            )
            lines.append(others)
        return "\n".join(f"-# {line}" for line in lines)

    @command(L("watches"), L("What you watch"))
    async def watches(self, here: Here) -> None:
        await self._show_watches(here)

    @route(shared_actions.ShowWatches)
    async def _on_watches(self, here: Here, action: ui_actions.Action) -> None:
        await self._show_watches(here)

    @route(shared_actions.EndWatch)
    async def _on_end_watch(self, here: Here, action: shared_actions.EndWatch) -> None:
        ended = await here.features.announcing.end_watch(here.member_id, action.watch_id)
        what = f"**{watches.watch_words(ended)}**"
        await self._show_watches(here, t("You no longer watch %(what)s.", what=what))

    async def _show_watches(self, here: Here, changed: str = "") -> None:
        following = here.features.announcing.following
        watched = [
            watch
            for kind in PlaceKind
            for watch in await following.watches_of(here.member_id, kind)
        ]
        titles = await watches.titles_of(here.features.directory, watched)
        await here.answer(watches_card(watched, titles, changed))

    @route(TellAllReplies)
    async def _on_tell_all_replies(self, here: Here, action: TellAllReplies) -> None:
        asked_in = (here.server or 0) if action.is_on else None
        await self._accounts.links.tell_replies(here.member_id, asked_in)
        await self._show(here, shared_actions.ShowAccount())

    @route(shared_actions.HearDecisions)
    async def _on_hear_decisions(self, here: Here, action: shared_actions.HearDecisions) -> None:
        await self._accounts.links.tell_decisions(here.member_id, is_on=action.is_on)
        await self._show(here, shared_actions.ShowAccount())

    @route(KeepToken)
    async def _on_keep(self, here: Here, action: ui_actions.Action) -> None:
        await self._accounts.links.note_use(here.member_id)
        await self._show(here, shared_actions.ShowAccount())

    @route(AskToUnlink)
    async def _on_ask_to_unlink(self, here: Here, action: ui_actions.Action) -> None:
        is_linked = True
        with suppress(errors.LinkUnreadable):
            is_linked = await self._accounts.find(here.member_id) is not None
        if not is_linked:
            await self._show(here, shared_actions.ShowAccount())
            return
        body = t("Kiosk deletes your access token. To write and shop again, you link again.")
        lines = "\n".join([body, *await _what_stops(here)])
        title = t("Unlink your game account?")
        label = t("Unlink")
        await here.answer(
            ui_actions.question(title, lines, Unlink(), label, shared_actions.ShowAccount())
        )

    @route(Unlink)
    async def _on_unlink(self, here: Here, action: ui_actions.Action) -> None:
        await self._accounts.unlink(here.member_id)
        await self._roles.look_after(here.member_id)
        title = t("Your game account is unlinked")
        await here.answer(
            cards.notice(title, colour=theme.ACCOUNT, buttons=shared_actions.link_buttons())
        )

    @route(Export)
    async def _on_export(self, here: Here, action: ui_actions.Action) -> None:
        member_id = here.member_id
        name = "kiosk.json"
        kept = await self._records.export(member_id)
        exported_at = self._now().isoformat()
        whole = {"member_id": str(member_id), "exported_at": exported_at, "kept": kept}
        content = json.dumps(whole, indent=2, ensure_ascii=False).encode()
        if len(content) > here.interaction.filesize_limit:
            content = await asyncio.to_thread(accounts.zipped, name, content)
            name = "kiosk.zip"
        if len(content) > here.interaction.filesize_limit:
            title = t("Your records are too large for Discord")
            body = t("Ask the bot's operator for them: they can give you all of it as a file.")
            await here.answer(cards.notice(title, body, colour=theme.PROBLEM))
            return
        title = t("What Kiosk keeps about you")
        body = t("All of it is in this JSON file. Only you see it.")
        footer = t("Your access token is not in it: nobody is shown that.")
        card = cards.notice(title, body, colour=theme.ACCOUNT, footer=footer)
        card.add(cards.attached_file(name))
        await here.send_private(card, file=discord.File(io.BytesIO(content), name))

    @route(AskToErase)
    async def _on_ask_to_erase(self, here: Here, action: ui_actions.Action) -> None:
        await here.answer(erase_card(await _what_stops(here)))

    @route(Erase)
    async def _on_erase(self, here: Here, action: ui_actions.Action) -> None:
        removed, left = await self._records.erase(here.member_id)
        # Nothing is left to unlink, but what this process remembers of them goes, too.
        await self._accounts.unlink(here.member_id)
        await here.answer(erased_card(removed, left))


def link_form(
    source: errors.TokenSource, linked: links.Link | None = None, resume_id: str = ""
) -> ActionForm:
    form = ActionForm(shared_actions.LinkToken(resume_id), title=t("Link your game account"))
    page = source.url and f"[{t('Get a token')}]({source.url})"
    replaces = linked and t("This replaces the account that is linked now.")
    if linked is not None and linked.player_name:
        name = markdown.one_line(linked.player_name, _NAME_ROOM)
        replaces = t("This replaces **%(name)s**.", name=name)
    warning = t(
        "Discord's yellow warning is about passwords: Kiosk never asks for one. It uses your token"
        " only for what you ask for."
    )
    lines = [replaces, shared_actions.token_words(source), page, warning]
    form.add_item(ui.TextDisplay("\n".join(filter(None, lines))))
    told = t("From the game. It is encrypted before it is kept, and never shown.")
    # On one line, Discord takes the line breaks out that end a token in a copied header.
    form.ask_text(t("Access token"), TOKEN_FIELD, told, longest=4000)
    return form


def linked_card(resume_id: str, unsent: int, *, may_shop: bool, has_places: bool) -> cards.Card:
    lines = [
        t("The game accepted your token. It is encrypted, and used only for what you ask for.")
    ]
    if not may_shop:
        lines = [
            t("Your token is encrypted, and used only for what you ask for."),
            t("The game's shop refused it: your game account may not see the catalogs here."),
        ]
    buttons: list[cards.Button] = []
    if resume_id:
        buttons.append(
            ui_actions.action_button(
                shared_actions.GoOn(resume_id), t("Continue"), style=cards.BLUE
            )
        )
    if unsent:
        lines.append(
            nt(
                "One of your texts is still waiting to be sent.",
                "%(count)s of your texts are still waiting to be sent.",
                unsent,
            )
        )
        buttons.append(shared_actions.unsent_button(style=cards.GREY if resume_id else cards.BLUE))
    if not buttons:
        if has_places:
            lines.append(t("Choose a thread to read, or a catalog to shop in."))
            buttons.append(shared_actions.places_button(style=cards.BLUE))
        buttons.append(shared_actions.help_button())
    title = t("Your game account is linked")
    return cards.notice(title, "\n".join(lines), colour=theme.GOOD, buttons=tuple(buttons))


def account_card(
    link: links.Link | None,
    source: errors.TokenSource,
    kept: abc.Mapping[str, abc.Sequence[abc.Mapping[str, Any]]],
    used: str = "",
) -> cards.Card:
    """Take in words when a link was `used`, and what is `kept` of one who has no valid link."""
    export = ui_actions.action_button(Export(), t("Export"))
    erase = ui_actions.action_button(AskToErase(), t("Erase…"))
    title = "## " + t("Your game account")
    if link is not None and not link.is_refused:
        player = t("You write and shop as yourself in the game.")
        if name := markdown.one_line(link.player_name or "", _NAME_ROOM, is_name=True):
            player = t("You are **%(name)s** in the game.", name=name)
        since = t("Linked %(when)s", when=markdown.ago(link.linked_at))
        secret = t("Your access token is encrypted: nobody is shown it.")
        card = cards.Card(theme.ACCOUNT)
        card.say(f"{title}\n{player}\n-# {since} · {secret}\n-# {used}")
        card.buttons(ui_actions.action_button(AskToUnlink(), t("Unlink…")), export, erase)
        is_told = link.replies_asked_in is not None
        said = t("A direct message tells you of replies to what you write through Kiosk.")
        if not is_told:
            said = t("No direct message tells you of replies, unless you ask for it at a comment.")
        card.say(f"-# 🔔 {said}" if is_told else f"-# {said}")
        label = t("Stop telling me") if is_told else t("Tell me about all replies")
        switch = TellAllReplies(is_on=not is_told)
        card.buttons(ui_actions.action_button(switch, label, emoji="🔕" if is_told else "🔔"))
        hears = link.hears_decisions
        name = t("Tell me what moderators decide about my comments")
        hint = t("A direct message with the reason, from servers that want to tell it.")
        deciding = shared_actions.HearDecisions(is_on=not hears)
        ui_actions.say_switch(card, name, hint, deciding, is_on=hears)
        return card
    card = cards.Card(theme.ACCOUNT if link is None else theme.PROBLEM)
    body = t("The game no longer accepts your access token.")
    if link is None:
        body = t(
            "None is linked. Link yours to write in the forum and to shop; reading works without."
        )
    still = _still_kept(kept)
    footer = still and "-# " + t("Kiosk still keeps %(these)s of yours.", these=still)
    card.say("\n".join(filter(None, [title, body, shared_actions.token_words(source), footer])))
    card.buttons(*shared_actions.link_buttons(source), *([export, erase] if link or kept else []))
    return card


def _still_kept(kept: abc.Mapping[str, abc.Sequence[abc.Mapping[str, Any]]]) -> str:
    writes = kept.get("writes", ())
    orders = sum(row["card_id"] is not None for row in writes)
    texts = len(writes) - orders
    parts = kept.get("subscriptions", ())
    names = ("kind", "subject_id", "subject_name", "query")
    count = len({tuple(part.get(name) for name in names) for part in parts})
    counted = (
        (orders, nt("%(count)s order", "%(count)s orders", orders)),
        (texts, nt("%(count)s text", "%(count)s texts", texts)),
        (count, nt("%(count)s watch", "%(count)s watches", count)),
    )
    words = listed([words for count, words in counted if count])
    return words or (t("a few records") if kept.keys() - _NOT_WORTH_A_LINE else "")


async def _last_use(here: Here, link: links.Link, now: dt.datetime) -> str:
    """Say when a link was used, and for what; a catalog is named in the server it is read for."""
    day = t("today")
    if link.used_at.date() != now.date():
        day = t("on %(date)s", date=discord.utils.format_dt(link.used_at + _TO_NOON, "d"))
    catalog_id = link.read_catalog_id
    if catalog_id is None:
        return t("Last used %(day)s", day=day)
    following = here.features.announcing.following
    announced = await following.of_guild(here.server, PlaceKind.CATALOG)
    is_announced = catalog_id in [subscription.place_id for subscription in announced]
    readers = await following.readers_of(here.server or 0)
    if not is_announced or link.member_id not in readers:
        return t("Last used %(day)s: to look into a catalog", day=day)
    place = await here.place(PlaceKind.CATALOG, catalog_id)
    name = markdown.one_line(place.label, _NAME_ROOM, is_name=True)
    return t("Last used %(day)s: to read **%(catalog)s** for this server", day=day, catalog=name)


async def _what_stops(here: Here) -> abc.Sequence[str]:
    announcing = here.features.announcing
    lines: list[str] = []
    by_operator = announcing.poller.game_token is not None
    read = await announcing.following.read_as(
        here.member_id, PlaceKind.CATALOG, by_operator=by_operator
    )
    ids = [game_id for guild_id, game_id in read if guild_id == here.server]
    if ids:
        names = [(await here.place(PlaceKind.CATALOG, game_id)).label for game_id in ids]
        bold = [f"**{markdown.one_line(name, _NAME_ROOM, is_name=True)}**" for name in names]
        lines.append(
            t(
                "⚠️ Kiosk reads %(catalogs)s for this server with your account. Their announcements"
                " stop until somebody takes them over.",
                catalogs=listed(bold),
            )
        )
    if elsewhere := {guild_id for guild_id, _ in read if guild_id != here.server}:
        lines.append(
            nt(
                "⚠️ Kiosk reads catalogs for another server with your account. Their announcements"
                " stop likewise.",
                "⚠️ Kiosk reads catalogs for %(count)s other servers with your account. Their"
                " announcements stop likewise.",
                len(elsewhere),
            )
        )
    return lines


def watches_card(watched: abc.Sequence[Watch], titles: watches.Titles, changed: str) -> cards.Card:
    card = cards.Card(theme.SHOP)
    head = "\n".join(filter(None, ["## " + t("What you watch"), changed]))
    lines = [f"- **{watches.watch_words(watch)}** · {titles[watch.first.id]}" for watch in watched]
    shown = markdown.fitting(lines, card.room - markdown.room_for(head) - _STOPS_ROOM)
    if not watched:
        shown = [t("Nothing yet. Press Watch on an item, or use `/shop watch` or `/forum watch`.")]
    card.say("\n".join([head, *markdown.and_more(shown, len(lines))]))
    if watched:
        watches.say_stops(card, watched, titles)
    else:
        card.buttons(shared_actions.places_button(t("Choose a catalog"), style=cards.BLUE))
    return card


def erase_card(stops: abc.Sequence[str]) -> cards.Card:
    removed = t(
        "Your link, your unsent texts, what you watch and the lists of what you wrote and ordered"
        " here go for good."
    )
    stays = t(
        "What stays: your comments and items in the game, what moderators removed or held back of"
        " them, posts that were shared in channels, and backups, until the operator replaces them."
    )
    buttons = (
        ui_actions.action_button(Erase(), t("Erase everything"), style=cards.RED),
        ui_actions.action_button(Export(), t("Export")),
        ui_actions.action_button(shared_actions.ShowAccount(), t("Back")),
    )
    title = t("Erase everything Kiosk keeps about you?")
    body = "\n".join([removed, stays, *stops])
    return cards.notice(title, body, colour=theme.PROBLEM, buttons=buttons)


def erased_card(removed: abc.Mapping[str, int], left: abc.Mapping[str, int]) -> cards.Card:
    if not removed and not left:
        return cards.notice(t("There was nothing to erase"), t("Kiosk keeps nothing about you."))
    lines = [f"- {words(removed[table])}" for table, words in _COUNTED.items() if table in removed]
    others = sum(count for table, count in removed.items() if table not in _COUNTED)
    if others:
        lines.append("- " + nt("one technical entry", "%(count)s technical entries", others))
    if left.get("messages"):
        lines.append(
            "- " + t("Discord still has to take a role away: that stays until it is done.")
        )
    under_way = left.get("writes", 0)
    if under_way:
        lines.append(
            nt(
                "One order is still under way and stays until it is settled, so that nothing is"
                " bought twice. Erase again then.",
                "%(count)s orders are still under way and stay until they are settled, so that"
                " nothing is bought twice. Erase again then.",
                under_way,
            )
        )
    return cards.notice(t("This was erased"), "\n".join(lines), colour=theme.ACCOUNT)


class UnusedToken(kinds.Kind):
    name = links.UNUSED
    priority = messages.Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return that a token is deleted soon, None where it was used or refused meanwhile."""
        link = None
        with suppress(errors.LinkUnreadable):
            link = await self._accounts.find(message.member_id or 0)
        if link is None or link.is_refused or link.kept_until is None:
            return None
        speak(link.locale)
        body = t(
            "Nobody has used it since %(day)s. Kiosk deletes it on %(end)s unless you keep it:"
            " press Keep, or look into the shop or write.",
            day=discord.utils.format_dt(link.used_at + _TO_NOON, "d"),
            end=discord.utils.format_dt(link.kept_until, "d"),
        )
        button = ui_actions.action_button(KeepToken(), t("Keep"), style=cards.BLUE)
        title = t("Your access token is deleted soon")
        return kinds.Drawn(cards.notice(title, body, colour=theme.ACCOUNT, buttons=(button,)))


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(AccountCog(bot))
