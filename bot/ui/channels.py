"""What Kiosk may do in a channel, as Discord says with each interaction."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, cast

import discord
from discord import ChannelType, Permissions
from msgspec import Struct, field

from bot.errors import NoSuchPlace
from bot.i18n import N_, t
from bot.ui import theme
from bot.ui.answers import Interaction
from bot.ui.cards import Card, notice
from storage.names import name_key

_TEXT = (ChannelType.text.value, ChannelType.news.value)
FORUM = ChannelType.forum.value
THREADS = (
    ChannelType.news_thread.value,
    ChannelType.public_thread.value,
    ChannelType.private_thread.value,
)
# Kiosk posts in channels of these kinds.
POSTABLE = [ChannelType(kind) for kind in (*_TEXT, FORUM, *THREADS)]
_REQUIRES_TAG = discord.ChannelFlags(require_tag=True).value


class Lack(StrEnum):
    """What stands against announcing in a channel, in Discord's own words for it."""

    VIEW = N_("View Channel")
    SEND = N_("Send Messages")
    SEND_IN_THREADS = N_("Send Messages in Threads")
    CREATE_POSTS = N_("Create Posts")
    SEND_IN_POSTS = N_("Send Messages in Posts")
    EMBED = N_("Embed Links")
    MENTION = N_("Mention @everyone, @here, and All Roles")
    MANAGE_THREADS = N_("Manage Threads")
    # No permission: the forum asks for a tag and has none to give.
    TAG = "tag"


class ChosenChannel(Struct, frozen=True):
    """A channel that was chosen; `is_judged` where Discord said what Kiosk may do there."""

    id: int
    kind: int
    name: str
    is_judged: bool
    tag_id: int | None = None
    lacks: list[Lack] = field(default_factory=list[Lack])


async def look_at_place(
    interaction: Interaction,
    channel_id: int,
    role_id: int | None,
    catalog_name: str | None,
    *,
    has_replies: bool = False,
) -> ChosenChannel:
    """Return what an interaction says of a channel that is among its options.

    A press names none: Discord is asked then, who doesn't say what Kiosk may do there. In a forum,
    what is posted may have replies. Raises NoSuchPlace, HTTPException.
    """
    is_press = interaction.type is discord.InteractionType.component
    if is_press:
        found = await interaction.client.http.get_channel(channel_id)
        channel = cast("Mapping[str, Any]", found)
    else:
        channel = _named(interaction, "channels", channel_id)
    kind = channel.get("type")
    if kind not in (*_TEXT, FORUM, *THREADS):
        raise NoSuchPlace
    role = _named(interaction, "roles", role_id)
    mentions = role_id is not None and not is_press and not role.get("mentionable")
    allowed = _allowed(interaction, channel_id, channel)
    lacks: list[Lack] = []
    tag_id = None
    if allowed is not None and not allowed.administrator:
        is_locked = bool(channel.get("thread_metadata", {}).get("locked"))
        needs = needs_in(allowed, kind, has_replies=has_replies, mentions=mentions)
        if is_locked and kind in THREADS:
            needs[Lack.MANAGE_THREADS] = allowed.manage_threads
        lacks += [lack for lack, is_allowed in needs.items() if not is_allowed]
    if kind == FORUM and not lacks:
        # What is asked for here can't be asked without seeing it.
        forum = cast("Mapping[str, Any]", await interaction.client.http.get_channel(channel_id))
        may_manage = allowed is not None and (allowed.administrator or allowed.manage_threads)
        tag_id = _tag_for(forum, catalog_name, may_manage=may_manage)
        if tag_id is None and forum.get("flags", 0) & _REQUIRES_TAG:
            lacks.append(Lack.TAG)
    name = str(channel.get("name", ""))
    return ChosenChannel(channel_id, kind, name, allowed is not None, tag_id, lacks)


def look_at_role(
    interaction: Interaction, channel_id: int, kind: int, name: str, role_id: int
) -> ChosenChannel:
    """Return what an interaction says of pinging a role in a channel it may not be about."""
    if _named(interaction, "roles", role_id).get("mentionable"):
        return ChosenChannel(channel_id, kind, name, is_judged=True)
    allowed = _allowed(interaction, channel_id, {})
    may_mention = allowed is None or allowed.administrator or allowed.mention_everyone
    lacks = [] if may_mention else [Lack.MENTION]
    return ChosenChannel(channel_id, kind, name, allowed is not None, lacks=lacks)


def _named(interaction: Interaction, kind: str, number: int | None) -> Mapping[str, Any]:
    """Return what Discord says of a channel or role that is among the options."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    return data.get("resolved", {}).get(kind, {}).get(str(number), {})


def _allowed(
    interaction: Interaction, channel_id: int, channel: Mapping[str, Any]
) -> Permissions | None:
    """Return what Kiosk may do there, None where Discord does not say."""
    if "app_permissions" in channel:
        return Permissions(int(channel["app_permissions"]))
    return interaction.app_permissions if interaction.channel_id == channel_id else None


def needs_in(may: Permissions, kind: int, *, has_replies: bool, mentions: bool) -> dict[Lack, bool]:
    """Return what Kiosk needs in a channel of a kind, and whether it may do it there."""
    needs = {Lack.VIEW: may.view_channel}
    if kind in THREADS:
        needs[Lack.SEND_IN_THREADS] = may.send_messages_in_threads
    else:
        needs[Lack.CREATE_POSTS if kind == FORUM else Lack.SEND] = may.send_messages
    if kind == FORUM and has_replies:
        needs[Lack.SEND_IN_POSTS] = may.send_messages_in_threads
    needs[Lack.EMBED] = may.embed_links
    if mentions:
        needs[Lack.MENTION] = may.mention_everyone
    return needs


def _tag_for(forum: Mapping[str, Any], catalog_name: str | None, *, may_manage: bool) -> int | None:
    """Return the tag that is called as the catalog is; else, where one is required, the first."""
    tags = [
        tag for tag in forum.get("available_tags", ()) if may_manage or not tag.get("moderated")
    ]
    named = [tag for tag in tags if name_key(str(tag["name"])) == name_key(catalog_name or "")]
    is_required = forum.get("flags", 0) & _REQUIRES_TAG
    chosen = named or (tags if is_required else [])
    return int(chosen[0]["id"]) if chosen else None


def lacking_card(place: ChosenChannel, *, changed: bool = False) -> Card:
    """Say what stands against announcing in a channel, and where to mend it."""
    lines: list[str] = []
    permissions = [lack for lack in place.lacks if lack is not Lack.TAG]
    if permissions:
        lines.append(t("There Kiosk lacks:"))
        lines += [f"- **{t(lack.value)}**" for lack in permissions]
        lines.append(
            t(
                "Give it in %(channel)s, under Edit Channel, Permissions, to Kiosk's role, or for "
                "the whole server under Server Settings, Roles.",
                channel=f"<#{place.id}>",
            )
        )
    if Lack.MENTION in permissions:
        lines.append(t("Instead, the role may be made one that anyone can mention."))
    if Lack.TAG in place.lacks:
        lines.append(
            t(
                "Each post there needs a tag, and the forum has none that Kiosk may use. Add one "
                "under Edit Channel, or let posts go without."
            )
        )
    lines.append(t("Nothing was changed.") if changed else t("Nothing was set up."))
    title = t("Kiosk can't post there yet")
    return notice(title, "\n".join(lines), colour=theme.PROBLEM)


def may_post(interaction: Interaction, channel_id: int) -> bool:
    """Return whether Kiosk may post in a channel, as Discord says with the interaction."""
    channel = _named(interaction, "channels", channel_id)
    allowed = channel.get("app_permissions")
    if allowed is None:
        return True
    permissions = Permissions(int(allowed))
    is_thread = channel.get("type") in THREADS
    may_send = permissions.send_messages_in_threads if is_thread else permissions.send_messages
    return permissions.view_channel and may_send
