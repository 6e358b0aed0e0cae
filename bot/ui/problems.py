"""Find what is wrong with announcements, why, and which button fixes it, for every card."""

from collections import abc

import discord
from msgspec import Struct
from msgspec.structs import replace

from bot.features import feature_errors
from bot.features.directory import Place
from bot.features.server_setup import SetupState
from bot.i18n import N_, listed, t
from bot.ui import custom_ids, drawing, giving, markdown, permissions, shared_actions
from bot.ui.comments import thread_title
from bot.ui.here import Here
from bot.ui.items import catalog_title
from storage.names import PlaceKind
from storage.subscriptions import Subscription

# The most problems listed below their common cause.
_MAX_WAITING = 6
_CHANNEL_GONE = 10003
_NO_TAG = 40067
_NOTHING_POSTED_THERE = 50008
NEEDS_TWO_FACTOR = 60003
# The fix for a refusal, by Discord's code.
_REFUSALS: abc.Mapping[int, str] = {
    _CHANNEL_GONE: N_("The channel was deleted. Choose another channel."),
    10004: N_("Kiosk isn't in this server. Invite it again."),
    _NO_TAG: N_("The forum requires a tag. Choose the channel again, and Kiosk picks a tag."),
    50001: N_(
        "Kiosk can't see the channel. Allow “View Channel” for Kiosk in the channel's settings"
        " under Permissions."
    ),
    _NOTHING_POSTED_THERE: N_("Kiosk can't post in this kind of channel. Choose another channel."),
    50013: N_("A permission is missing there. Try again to see which one."),
    NEEDS_TWO_FACTOR: N_("This bot's owner must turn on two-factor authentication in Discord."),
    160005: N_("The thread is locked. Unlock it, or choose another channel."),
}
_OTHER_REFUSAL = N_("Discord refused the post. Check Kiosk's permissions there.")


class Problem(Struct, frozen=True):
    """Something that a manager has to fix. A card marks `about` with a sign.

    `lost_id` is the deleted channel, if another channel has to be chosen. `lacks` are the
    permissions that Kiosk needs in `channel_id`.
    """

    what: str
    why: str
    about: object = None
    label: str = ""
    mend: custom_ids.Action | None = None
    lost_id: int | None = None
    lacks: tuple[permissions.MissingPermission, ...] = ()
    channel_id: int | None = None

    @property
    def cause(self) -> object:
        """The channel or permissions that several problems may share, None for neither."""
        return self.lost_id or self.lacks or None

    def button(self, style: discord.ButtonStyle = drawing.GREY) -> drawing.Button | None:
        return self.mend and drawing.button(self.mend, self.label, style=style)


def together(problems: abc.Iterable[Problem]) -> abc.Iterator[Problem]:
    """Merge problems with one lost channel, or with the same missing permissions.

    The button fixes the first problem. Permissions come first, in the order of giving them.
    """
    order = list(permissions.MissingPermission)
    found = sorted(
        problems, key=lambda problem: order.index(problem.lacks[0]) if problem.lacks else len(order)
    )
    for problem in found:
        same = [other for other in found if other.cause == problem.cause]
        if problem.cause is None or len(same) == 1:
            yield problem
        elif problem is same[0] and problem.lacks:
            lines = [f"- {other.what} · <#{other.channel_id}>" for other in same[:_MAX_WAITING]]
            lines = markdown.and_more(lines, len(same))
            names = listed([lack.words for lack in problem.lacks])
            give = t(
                "Allow this for Kiosk's role in Server Settings > Roles, or in these channels:"
            )
            what = t("Kiosk needs %(names)s", names=names)
            yield replace(problem, what=what, why="\n".join([give, *lines]))
        elif problem is same[0]:
            lines = [f"- {other.what}" for other in same[:_MAX_WAITING]]
            lines = markdown.and_more(lines, len(same))
            why = "\n".join([t("Choose another channel. Until then:"), *lines])
            yield replace(problem, what=t("A channel was deleted"), why=why)


def announcement_title(
    subscription: Subscription, place: Place, all_of_them: abc.Sequence[Subscription]
) -> str:
    """Return an announcement's name, with a number if a channel has several for one catalog."""
    name = catalog_title(place.game_id, place.name)
    if subscription.kind is PlaceKind.THREAD:
        name = thread_title(place)
    of = subscription.channel_id, subscription.kind, subscription.place_id
    alike = [
        other.id for other in all_of_them if (other.channel_id, other.kind, other.place_id) == of
    ]
    return f"{name} ({alike.index(subscription.id) + 1})" if len(alike) > 1 else name


def announcement_problems(
    announced: abc.Sequence[tuple[Subscription, str]],
    channels: abc.Mapping[int, permissions.ChannelState],
    gone_roles: abc.Collection[int],
) -> abc.Iterator[Problem]:
    """Yield problems of announcements (with their titles) from `channels` as Discord shows them."""
    for subscription, title in announced:
        looked = channels.get(subscription.channel_id or 0)
        # An announcement that was stopped on purpose isn't a problem.
        if subscription.refusal is not None or subscription.stopped_at is None:
            yield from _of_channel(subscription, title, looked)
            yield from role_problems(subscription, title, gone_roles)


def account_problems(
    known: SetupState, announced: abc.Sequence[tuple[Subscription, str]]
) -> abc.Iterator[Problem]:
    """Yield the reasons why Kiosk's own account doesn't read the announced catalogs."""
    titles = {
        subscription.place_id: title
        for subscription, title in announced
        if subscription.kind is PlaceKind.CATALOG
    }
    if titles and not known.has_account:
        why = t(
            "Item announcements are paused until the bot's operator gives Kiosk its own account."
        )
        what = t("Kiosk has no account of its own")
        yield Problem(what, why, permissions.Use.ANNOUNCE)
    elif feature_errors.OwnAccountRefused.code in known.unread.values():
        fix = t(feature_errors.OwnAccountRefused.next_step)
        why = f"{t(feature_errors.OwnAccountRefused.body)} {fix}"
        yield Problem(t(feature_errors.OwnAccountRefused.title), why, permissions.Use.ANNOUNCE)
    for catalog_id in sorted(known.unread.keys() & titles.keys()):
        if known.has_account and known.unread[catalog_id] == feature_errors.CatalogNotShown.code:
            what = t("Kiosk can't read %(name)s", name=titles[catalog_id])
            why = t("Kiosk's own account can't see this catalog.")
            yield Problem(what, why, (PlaceKind.CATALOG, catalog_id))


def _of_channel(
    subscription: Subscription, title: str, looked: permissions.ChannelState | None
) -> abc.Iterator[Problem]:
    lacks = looked.lacks([permissions.use_for(subscription)], subscription.pinged) if looked else []
    if subscription.refusal is None and not lacks:
        return
    what = t("Kiosk can't post %(name)s", name=title)
    if subscription.refusal is None and lacks == [permissions.MissingPermission.MENTION]:
        what = t("%(name)s pings no one", name=title)
    why = refusal_words(subscription.refusal or 0)
    is_gone = subscription.refusal == _CHANNEL_GONE
    if looked is not None:
        why = permissions.why_not(subscription.channel_id or 0, looked, lacks, why)
        is_gone = looked.is_gone
    mend = t("Try again"), shared_actions.Resume(subscription.id)
    if is_gone or subscription.refusal in (_NO_TAG, _NOTHING_POSTED_THERE):
        mend = t("Change"), shared_actions.EditAnnouncement(subscription.id)
    channel_id = subscription.channel_id
    lost_id = channel_id if is_gone else None
    lacked = () if is_gone else tuple(lacks)
    yield Problem(what, why, permissions.Use.ANNOUNCE, *mend, lost_id, lacked, channel_id)


def role_problems(
    subscription: Subscription, title: str, gone_roles: abc.Collection[int]
) -> abc.Iterator[Problem]:
    """Yield a problem if an announcement pings roles that were deleted."""
    gone = subscription.role_ids.intersection(gone_roles)
    if gone:
        what = t("%(name)s pings no one", name=title)
        why = t("The role was deleted, so Kiosk no longer pings it.")
        if gone != subscription.role_ids:
            what = t("%(name)s pings fewer roles", name=title)
            why = t("At least one role was deleted, so Kiosk no longer pings it.")
        form = shared_actions.EditAnnouncement(subscription.id, is_role_gone=True)
        yield Problem(what, why, permissions.Use.ANNOUNCE, t("Change"), form)


async def notify_troubles(
    here: Here, announced: abc.Iterable[Subscription]
) -> abc.Mapping[int, str]:
    """Return why members can't get the roles of Notify me, by the roles' ids."""
    role_ids = {told.notify_role_id for told in announced if told.notify_role_id}
    if not role_ids:
        return {}
    try:
        server = await giving.role_servers(here).ask(here.guild_id)
    except discord.HTTPException:
        return {}
    return {
        role_id: trouble.words(role_id)
        for role_id in role_ids
        if (trouble := giving.may_give(role_id, server))
    }


def refusal_words(code: int) -> str:
    """Return what Discord refuses, and how to fix it."""
    return t(_REFUSALS.get(code, _OTHER_REFUSAL))
