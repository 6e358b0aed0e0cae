"""`/help`: what members can do here, with a button for each task."""

from collections.abc import Sequence

from discord.ext import commands

from bot.errors import LinkUnreadable
from bot.i18n import is_draft, listed, nt, t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, markdown, places, problems, shared_actions, theme
from bot.ui.here import Here
from bot.ui.router import route
from bot.ui.slash import L, command
from storage.names import PlaceKind

_NAME_ROOM = 60
# How many threads with new comments to list.
_MAX_THREADS = 5


class HelpCog(commands.Cog):
    @command(L("help"), L("Show what Kiosk can do"))
    async def help(self, here: Here) -> None:
        await show(here)


@route(shared_actions.ShowHelp)
async def show(here: Here, _action: shared_actions.ShowHelp | None = None) -> None:
    card = drawing.Card(theme.CALM)
    is_linked, account = await _account(here)
    is_set_up = any([await here.names(kind) for kind in PlaceKind])
    begins = here.may_manage and not is_set_up
    # One button of a card is blue.
    first = drawing.GREY if begins else drawing.BLUE
    form = shared_actions.LinkAccount()
    link = drawing.button(form, t("Link account"), style=first, emoji="🔗")
    jobs = [
        (t("Threads"), t("Read and post in the game's forum")),
        (t("Catalogs"), t("Browse, buy and redeem items")),
        (t("Watches"), t("Get direct messages about items, words in comments and replies")),
        (t("Orders"), t("See what you bought and redeemed")),
        (t("Account"), account),
    ]
    threads = await here.names(PlaceKind.THREAD)
    news = await places.thread_news(here, threads)
    new = [*places.new_lines(PlaceKind.THREAD, threads, news.lately)]
    shown = [f"🔹 {line}" for line in markdown.and_more(new[:_MAX_THREADS], len(new))]
    greeting = t("The game's forum and shop, right here. You post and shop as yourself.")
    card.say("\n".join([f"## Kiosk\n{greeting}", *_lines(jobs), *shown]))
    card.buttons(
        drawing.button(
            shared_actions.ShowThreads(), t("Threads"), style=first if is_linked else drawing.GREY
        ),
        drawing.button(shared_actions.ShowCatalogs(), t("Catalogs")),
        drawing.button(shared_actions.ShowWatches(), t("Watches")),
        drawing.button(shared_actions.ShowMyOrders(), t("Orders")),
        shared_actions.account_button() if is_linked else link,
    )
    menus = [t("Reply to comment"), t("Report comment")]
    if here.server is not None:
        await _add_staff(card, here, is_set_up=is_set_up)
        # Discord shows this command by permission, not by the server's moderator role.
        menus += [t("Remove comment")] if here.permissions.manage_messages else []
    where = t("In a message's Apps menu: %(menus)s", menus=listed(menus))
    card.say(f"-# {where}")
    pages = here.features.contact
    asked = [(pages.support_url, t("Report a problem")), (pages.privacy_url, t("Privacy"))]
    if linked := [drawing.page_button(url, label) for url, label in asked if url]:
        card.buttons(*linked)
    if pages.support_url and is_draft():
        told = t(
            "No native speaker has checked this translation. [Report a bad sentence](%(url)s).",
            url=pages.support_url,
        )
        card.say(f"-# {told}")
    await here.answer(card)


async def _account(here: Here) -> tuple[bool, str]:
    """Return whether the member is linked, and a text with their player."""
    try:
        link = await here.features.accounts.find(here.member_id)
    except LinkUnreadable:
        return False, t("⚠️ Your link no longer works. Link again to post and shop.")
    if link is None:
        return False, t("Link your account to post and shop")
    if link.is_refused:
        return False, t("⚠️ Your link no longer works. Link again to post and shop.")
    if name := markdown.one_line(link.player_name or "", _NAME_ROOM, is_name=True):
        return True, t("You're **%(name)s** in the game", name=name)
    return True, t("Linked")


async def _add_staff(card: drawing.Card, here: Here, *, is_set_up: bool) -> None:
    jobs: list[tuple[str, str]] = []
    of_moderators: list[drawing.Button] = []
    of_managers: list[drawing.Button] = []
    if await here.may_moderate():
        waiting = (await here.features.moderation.cases.count_waiting(here.guild_id)).count
        open_work = t("Nothing to review")
        if waiting:
            open_work = nt("%(count)s waiting for review", "%(count)s waiting for review", waiting)
            of_moderators.append(drawing.button(shared_actions.ShowQueue(), t("Queue")))
        jobs.append((t("Queue"), open_work))
        jobs.append((t("Log and rules"), t("See what was removed, and set what is held back")))
        of_moderators.append(drawing.button(shared_actions.ShowLatestRemovals(), t("Log")))
        of_moderators.append(drawing.button(shared_actions.ShowRules(), t("Rules")))
    if here.may_manage:
        setup = t("Check for problems and change settings")
        if not is_set_up:
            setup = t("Nothing is set up here yet. Add a thread first.")
            of_managers.append(shared_actions.add_button(PlaceKind.THREAD, style=drawing.BLUE))
        elif troubles := await _count_troubles(here):
            setup = nt("⚠️ One problem to fix", "⚠️ %(count)s problems to fix", troubles)
        jobs.append((t("Setup"), setup))
        jobs.append((t("Announcements"), t("Choose what this server announces")))
        of_managers.append(drawing.button(shared_actions.ShowSetup(), t("Setup")))
        of_managers.append(shared_actions.announcements_button())
    if jobs:
        card.divide()
        card.say("\n".join(_lines(jobs)))
        # Together, they may not fit in one row.
        card.buttons(*of_moderators)
        card.buttons(*of_managers)
    if not is_set_up and not here.may_manage:
        card.say(t("Nothing is set up here yet. Ask a server manager."))


async def _count_troubles(here: Here) -> int:
    """Count the problems of `/setup show` that are known without asking Discord or the game."""
    known = await here.features.server_setup.known(here.guild_id)
    named = [(subscription, "") for subscription in known.announced]
    stopped = problems.announcement_problems(named, {}, ())
    of_features = sum(kept.is_lost for kept in await here.hooks.settings(here.guild_id))
    return known.troubles + of_features + sum(1 for _ in problems.together(stopped))


def _lines(jobs: Sequence[tuple[str, str]]) -> list[str]:
    return [f"**{name}** · {words}" for name, words in jobs]


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(HelpCog())
