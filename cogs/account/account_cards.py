"""The cards and forms of `/account`."""

from collections import abc
from typing import Any

from discord import ui

from bot import errors
from bot.i18n import listed, nt, t
from bot.ui import custom_ids, drawing, fields, markdown, shared_actions, theme, watches
from bot.ui.forms import ActionForm
from bot.ui.here import TOKEN_FIELD
from storage import links
from storage.member_watches import Watch

NAME_ROOM = 60
# The room left for the lists that stop watches.
_STOPS_ROOM = 1800

# Records that someone was here, and what they read.
_NOT_WORTH_A_LINE = {"links", "member_servers", "threads_read"}

# The counts as texts. Other tables are counted together.
_COUNTED: abc.Mapping[str, abc.Callable[[int], str]] = {
    "links": lambda _: t("the link to your game account"),
    "writes": lambda count: nt(
        "the record of one text or order", "the records of %(count)s texts and orders", count
    ),
    "subscriptions": lambda count: nt("one watch", "%(count)s watches", count),
    "reports": lambda count: nt("one report", "%(count)s reports", count),
}


class AskToUnlink(custom_ids.Action, kind="unlink"):
    """Ask before the account is unlinked."""


class Unlink(custom_ids.Action, kind="unlink_now"):
    """Unlink the account."""


class Export(custom_ids.Action, kind="export"):
    """Send a file with the data that Kiosk keeps about the member."""


class AskToErase(custom_ids.Action, kind="ask_erase"):
    """Ask before the member's data is erased."""


class Erase(custom_ids.Action, kind="erase"):
    """Erase the data that Kiosk keeps about the member."""


_TOKEN = fields.TextInput(TOKEN_FIELD, longest=4000, is_required=True)


def link_form(
    source: errors.TokenSource,
    linked: links.Link | None = None,
    resume_id: custom_ids.Folded = custom_ids.NOTHING_FOLDED,
) -> ActionForm:
    form = ActionForm(shared_actions.LinkAccount(resume_id), title=t("Link your game account"))
    page = source.url and f"[{t('Get access token')}]({source.url})"
    replaces = linked and t("This replaces your linked account.")
    if linked is not None and linked.player_name:
        name = markdown.one_line(linked.player_name, NAME_ROOM)
        replaces = t("This replaces **%(name)s**.", name=name)
    warning = t("Discord's yellow warning is about passwords. Kiosk never asks for a password.")
    use = t(
        "Kiosk uses your token only for you: for what you do here, and to check the result."
        " Before you get a message about a watched item, Kiosk checks that item once. If a"
        " server gives roles for items, Kiosk checks about once a day if you own those items."
    )
    lines = [replaces, shared_actions.token_words(source), page, warning, use]
    form.add_item(ui.TextDisplay("\n".join(filter(None, lines))))
    told = t("From the game. Kiosk encrypts it before saving it, and never shows it.")
    # A one-line field would remove the line breaks that end a token in a copied header.
    _TOKEN.ask(form, t("Access token"), told)
    return form


def linked_card(
    resume_id: custom_ids.Folded, unsent: int, *, may_shop: bool, has_places: bool
) -> drawing.Card:
    lines = [t("The game accepted your token. Kiosk encrypts it and uses it only for you.")]
    if not may_shop:
        lines = [
            t("Kiosk encrypts your token and uses it only for you."),
            t("The game's shop refused it: your game account can't see the catalogs here."),
        ]
    buttons: list[drawing.Button] = []
    if resume_id:
        buttons.append(
            drawing.button(shared_actions.GoOn(resume_id), t("Continue"), style=drawing.BLUE)
        )
    if unsent:
        lines.append(
            nt(
                "One of your texts is still waiting to be sent.",
                "%(count)s of your texts are still waiting to be sent.",
                unsent,
            )
        )
        buttons.append(
            shared_actions.unsent_button(style=drawing.GREY if resume_id else drawing.BLUE)
        )
    if not buttons:
        if has_places:
            lines.append(t("Choose a thread to read, or a catalog to shop in."))
            buttons.append(shared_actions.places_button(style=drawing.BLUE))
        buttons.append(shared_actions.help_button())
    title = t("Game account linked")
    return drawing.notice(title, "\n".join(lines), colour=theme.GOOD, buttons=tuple(buttons))


def account_card(
    link: links.Link | None,
    source: errors.TokenSource,
    kept: abc.Mapping[str, abc.Sequence[abc.Mapping[str, Any]]],
    used: str = "",
) -> drawing.Card:
    """Show an account. `used` says when the link was used, `kept` is data without a valid link."""
    export = drawing.button(Export(), t("Export data"))
    erase = drawing.button(AskToErase(), t("Erase data…"))
    title = "## " + t("Your game account")
    if link is not None and not link.is_refused:
        player = t("You post and shop as yourself in the game.")
        if name := markdown.one_line(link.player_name or "", NAME_ROOM, is_name=True):
            player = t("You're **%(name)s** in the game.", name=name)
        since = t("Linked %(when)s", when=markdown.relative_time(link.linked_at))
        secret = t("Your access token is encrypted, and Kiosk never shows it to anyone.")
        card = drawing.Card(theme.ACCOUNT)
        card.say(f"{title}\n{player}\n-# {since} · {secret}\n-# {used}")
        card.buttons(drawing.button(AskToUnlink(), t("Unlink account…")), export, erase)
        return card
    card = drawing.Card(theme.ACCOUNT if link is None else theme.PROBLEM)
    body = t("The game no longer accepts your access token.")
    if link is None:
        body = t("No account linked. You can read without one. Link yours to post and shop.")
    still = _still_kept(kept)
    footer = still and "-# " + t("Kiosk still keeps your data: %(these)s.", these=still)
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


def watches_card(
    watched: abc.Sequence[Watch],
    titles: watches.Titles,
    gone: abc.Mapping[int, abc.Sequence[str]],
    changed: str,
    ways: abc.Iterable[str],
    *,
    has_account: bool = True,
) -> drawing.Card:
    """List watches, or the `ways` to start watching if there are none.

    `gone` are names of deleted places, by the ids of watches' first parts.
    """
    card = drawing.Card(theme.SHOP)
    head = "\n".join(filter(None, ["## " + t("Your watches"), changed]))
    lines = [
        "\n  ⚠️ ".join(
            [
                f"- **{watches.watch_words(watch)}** · {titles[watch.first.id]}",
                *(
                    t("%(name)s is no longer in the game", name=name)
                    for name in gone[watch.first.id]
                ),
            ]
        )
        for watch in watched
    ]
    shown = markdown.fitting(lines, card.room - markdown.room_for(head) - _STOPS_ROOM)
    if not watched:
        shown = [t("Nothing yet. You can watch:"), *(f"- {way}" for way in ways)]
    card.say("\n".join([head, *markdown.and_more(shown, max(len(lines), len(shown)))]))
    if watched:
        watches.add_stop_lists(card, watched, titles)
    elif has_account:
        card.buttons(shared_actions.places_button(t("Choose a catalog"), style=drawing.BLUE))
    return card


def erase_card() -> drawing.Card:
    removed = t(
        "This permanently erases your link, your unsent texts, your watches, and Kiosk's records"
        " of your texts and orders."
    )
    stays = t(
        "Your comments and items stay in the game. Posts shared in channels stay, and so do"
        " moderators' records of your comments. Backups contain your data until the operator"
        " replaces them."
    )
    buttons = (
        drawing.button(Erase(), t("Erase everything"), style=drawing.RED),
        drawing.button(Export(), t("Export data")),
        drawing.button(shared_actions.ShowAccount(), t("Cancel")),
    )
    title = t("Erase everything Kiosk keeps about you?")
    return drawing.notice(title, f"{removed}\n{stays}", colour=theme.PROBLEM, buttons=buttons)


def erased_card(removed: abc.Mapping[str, int], left: abc.Mapping[str, int]) -> drawing.Card:
    if not removed and not left:
        return drawing.notice(t("There was nothing to erase"), t("Kiosk keeps nothing about you."))
    lines = [f"- {words(removed[table])}" for table, words in _COUNTED.items() if table in removed]
    others = sum(count for table, count in removed.items() if table not in _COUNTED)
    if others:
        lines.append("- " + nt("one technical entry", "%(count)s technical entries", others))
    if left.get("messages"):
        lines.append("- " + t("The record of a role stays until Discord takes the role away."))
    under_way = left.get("writes", 0)
    if under_way:
        lines.append(
            nt(
                "One order isn't finished. Its record stays until then, so that nothing is"
                " bought twice. Erase your data again later.",
                "%(count)s orders aren't finished. Their records stay until then, so that"
                " nothing is bought twice. Erase your data again later.",
                under_way,
            )
        )
    return drawing.notice(t("Data erased"), "\n".join(lines), colour=theme.ACCOUNT)
