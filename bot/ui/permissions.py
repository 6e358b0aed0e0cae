"""The permissions that Kiosk needs in a channel for each use of it, and those it lacks."""

import asyncio
import enum
import typing
from collections import abc
from contextlib import suppress

import discord
import msgspec

from bot import errors
from bot.i18n import N_, listed, t
from bot.ui import drawing, theme
from bot.ui.custom_ids import Action
from bot.ui.error_cards import again_button
from bot.ui.here import Here
from bot.visible import name_key
from storage import subscriptions
from storage.names import PlaceKind

# A channel or role as Discord's API returns it.
Raw = abc.Mapping[str, typing.Any]

FORUM = discord.ChannelType.forum.value
THREADS = (
    discord.ChannelType.news_thread.value,
    discord.ChannelType.public_thread.value,
    discord.ChannelType.private_thread.value,
)
# Kiosk posts in channels of these kinds.
_KINDS = (discord.ChannelType.text.value, discord.ChannelType.news.value, FORUM, *THREADS)
POSTABLE = [discord.ChannelType(kind) for kind in _KINDS]
_REQUIRES_TAG = discord.ChannelFlags(require_tag=True).value
# Each needs an HTTP request, so a server can't ask for hundreds at once.
MAX_CHANNELS = 20
# The types of an overwrite.
_ROLE = 0
_MEMBER = 1


class Use(enum.StrEnum):
    """A use of a channel, as a text for people."""

    HERE = N_("this channel")
    LOG = N_("the moderation log")
    PANEL = N_("the panel")
    ANNOUNCE = N_("announcements")
    # In a forum, comments are posts with the replies inside.
    FOLLOW = N_("followed threads")
    # A member shows something to everyone.
    SHARE = "sharing"


def use_for(subscription: subscriptions.Subscription) -> Use:
    """Return the use of a channel that gets news about a catalog or a thread."""
    return Use.FOLLOW if subscription.kind is PlaceKind.THREAD else Use.ANNOUNCE


class MissingPermission(enum.Enum):
    """A permission that Kiosk may lack in a channel: Discord's words for it, and its API name."""

    VIEW = N_("View Channel"), "view_channel"
    SEND = N_("Send Messages"), "send_messages"
    SEND_IN_THREADS = N_("Send Messages in Threads"), "send_messages_in_threads"
    CREATE_POSTS = N_("Create Posts"), "send_messages"
    SEND_IN_POSTS = N_("Send Messages in Posts"), "send_messages_in_threads"
    EMBED = N_("Embed Links"), "embed_links"
    MENTION = N_("Mention @everyone, @here, and All Roles"), "mention_everyone"
    MANAGE_THREADS = N_("Manage Threads"), "manage_threads"
    # In the server, not in a channel: to give roles.
    MANAGE_ROLES = N_("Manage Roles"), "manage_roles"
    # Not a permission: the forum requires a tag and has none that Kiosk can use.
    TAG = "", "tag"

    @property
    def words(self) -> str:
        return t(self.value[0])


def needed(
    channel_type: int, uses: abc.Collection[Use], *, is_locked: bool = False, mentions: bool = False
) -> list[MissingPermission]:
    """Return the permissions that Kiosk needs in a channel of a type for all of these uses.

    A thread may be locked. `mentions` is set if a role is pinged that not everyone can ping.
    """
    is_forum = channel_type == FORUM
    is_thread = channel_type in THREADS
    # A share answers a member's press, so Kiosk doesn't need access to the channel.
    posts = any(use is not Use.SHARE for use in uses)
    table = [
        (MissingPermission.VIEW, posts),
        (MissingPermission.SEND, not (is_forum or is_thread)),
        (MissingPermission.CREATE_POSTS, is_forum),
        (MissingPermission.SEND_IN_THREADS, is_thread),
        (MissingPermission.SEND_IN_POSTS, is_forum and Use.FOLLOW in uses),
        (MissingPermission.EMBED, posts),
        (MissingPermission.MENTION, mentions),
        (MissingPermission.MANAGE_THREADS, is_locked),
    ]
    return [lack for lack, is_needed in table if is_needed]


def lacking(
    may: discord.Permissions, needs: abc.Collection[MissingPermission]
) -> list[MissingPermission]:
    return [need for need in needs if not (may.administrator or getattr(may, need.value[1]))]


class ChannelCheck(msgspec.Struct, frozen=True):
    """A channel, the permissions that Kiosk lacks there, and the tag for posts."""

    id: int
    kind: int = 0
    name: str = ""
    tag_id: int | None = None
    lacks: list[MissingPermission] = msgspec.field(default_factory=list[MissingPermission])
    is_gone: bool = False
    # Roles to ping that not everyone can mention.
    bound_roles: abc.Sequence[int] = ()


async def usable(
    here: Here,
    channel_id: int,
    use: Use,
    again: Action,
    *,
    role_ids: abc.Collection[int] = (),
    name: str | None = None,
) -> ChannelCheck | None:
    """Return the channel if Kiosk has every permission for a use and for pinging roles.

    Otherwise show what is missing, with a button for `again`, and return None. `name` is the name
    of the forum's tag to use. Raises NoSuchPlace, HTTPException.
    """
    judged = await _judge(here, channel_id, use, role_ids, name)
    if not judged.lacks:
        return judged
    await here.answer(_lacking_card(judged, again_button(here, again)))
    return None


async def _judge(
    here: Here, channel_id: int, use: Use, role_ids: abc.Collection[int], name: str | None
) -> ChannelCheck:
    try:
        channel, may = await _look_at(here, channel_id)
    except (discord.Forbidden, discord.NotFound) as error:
        is_gone = isinstance(error, discord.NotFound)
        return ChannelCheck(channel_id, lacks=[MissingPermission.VIEW], is_gone=is_gone)
    channel_type = int(channel["type"])
    if channel_type not in _KINDS:
        raise errors.NoSuchPlace
    bound_roles: list[int] = []
    if role_ids and not may.mention_everyone:
        roles = [here.resolved("roles", role_id) for role_id in role_ids]
        if not all(roles):
            roles = await here.interaction.client.http.get_roles(here.guild_id)
        bound_roles = [
            int(role["id"])
            for role in roles
            if int(role["id"]) in role_ids and not role["mentionable"]
        ]
    needs = needed(channel_type, [use], is_locked=_is_locked(channel), mentions=bool(bound_roles))
    lacks = lacking(may, needs)
    tag_id = None
    if channel_type == FORUM and not lacks:
        is_required = channel.get("flags", 0) & _REQUIRES_TAG
        tags = [
            tag
            for tag in channel.get("available_tags", ())
            if may.administrator or may.manage_threads or not tag.get("moderated")
        ]
        named = [tag for tag in tags if name_key(str(tag["name"])) == name_key(name or "")]
        if chosen := named or (tags if is_required else []):
            tag_id = int(chosen[0]["id"])
        elif is_required:
            lacks.append(MissingPermission.TAG)
    name = str(channel.get("name", ""))
    return ChannelCheck(channel_id, channel_type, name, tag_id, lacks, bound_roles=bound_roles)


async def gone_roles(here: Here, *role_ids: abc.Iterable[int | None]) -> abc.Set[int]:
    """Return which of these roles were deleted, none if Discord can't be asked."""
    wanted = {role_id for some in role_ids for role_id in some if role_id is not None}
    if wanted:
        with suppress(discord.HTTPException):
            roles = await here.interaction.client.http.get_roles(here.guild_id)
            return wanted - {int(role["id"]) for role in roles}
    return set()


def roles_words(role_ids: abc.Iterable[int], gone: abc.Collection[int]) -> str:
    """Mention roles, except those that are `gone`."""
    deleted = t("⚠️ a deleted role")
    return listed([deleted if role in gone else f"<@&{role}>" for role in sorted(role_ids)])


async def _look_at(here: Here, channel_id: int) -> tuple[Raw, discord.Permissions]:
    """Return a channel and Kiosk's permissions there. Ask Discord if the interaction lacks them."""
    said = here.resolved("channels", channel_id)
    interaction = here.interaction
    if "app_permissions" in said:
        may = discord.Permissions(int(said["app_permissions"]))
    elif channel_id == interaction.channel_id:
        may = interaction.app_permissions
    else:
        looked = await (await Server.asked(here)).look_at(channel_id)
        return looked.channel, looked.may
    if said and said["type"] != FORUM:
        return said, may
    # An interaction's data about a forum doesn't include its tags.
    return await interaction.client.http.get_channel(channel_id), may


def _is_locked(channel: Raw) -> bool:
    return bool(channel.get("thread_metadata", {}).get("locked"))


def require_may_share(here: Here) -> None:
    """Raise CannotSendHere if Discord doesn't let the member send messages in the channel."""
    channel: typing.Any = here.interaction.channel
    if here.interaction.guild_id is None or channel is None:
        return
    is_locked = getattr(channel, "locked", False)
    if lacking(here.permissions, needed(channel.type.value, [Use.SHARE], is_locked=is_locked)):
        raise errors.CannotSendHere


def how_to_give(channel: str) -> str:
    return t(
        "Allow this for Kiosk's role in %(channel)s under Edit Channel > Permissions. To allow"
        " it everywhere, use Server Settings > Roles.",
        channel=channel,
    )


def _lacking_card(place: ChannelCheck, again: drawing.Button) -> drawing.Card:
    lines: list[str] = []
    permissions = [lack for lack in place.lacks if lack is not MissingPermission.TAG]
    if place.is_gone:
        lines.append(t("The channel was deleted."))
    elif permissions:
        lines.append(t("Kiosk needs these permissions there:"))
        lines += [f"- **{lack.words}**" for lack in permissions]
        lines.append(how_to_give(f"<#{place.id}>"))
    if MissingPermission.MENTION in permissions:
        bound = listed([f"<@&{role_id}>" for role_id in place.bound_roles])
        lines.append(
            t(
                "Kiosk needs the mention permission to ping %(roles)s. Or allow anyone to"
                " mention the role in Server Settings > Roles.",
                roles=bound,
            )
        )
    if MissingPermission.TAG in place.lacks:
        lines.append(
            t(
                "This forum requires a tag, and Kiosk can't use any it has. Add a tag under Edit"
                " Channel, or stop requiring tags."
            )
        )
    lines.append(t("Nothing was changed."))
    title = t("Kiosk can't post there yet")
    return drawing.notice(title, "\n".join(lines), colour=theme.PROBLEM, buttons=(again,))


class Server(msgspec.Struct, frozen=True):
    """A server's roles and channels as Discord returns them: Kiosk gets no events about them.

    The fields with a default are set only if the server was read to give roles.
    """

    http: typing.Any
    guild_id: int
    own_id: int
    roles: abc.Sequence[Raw]
    own_roles: frozenset[int]
    moderator_role_id: int | None = None
    owner_id: int = 0
    # The permissions that any channel allows to roles, by the roles' ids.
    channel_rights: abc.Mapping[int, int] = msgspec.field(default_factory=dict[int, int])

    @classmethod
    async def asked(cls, here: Here) -> typing.Self:
        """Return the server. Raises HTTPException."""
        http = here.interaction.client.http
        own_id = here.interaction.client.user.id
        member = await http.get_member(here.guild_id, own_id)
        own_roles = frozenset(int(role_id) for role_id in member["roles"])
        return cls(http, here.guild_id, own_id, await http.get_roles(here.guild_id), own_roles)

    async def look_at(self, channel_id: int) -> "ChannelState":
        """Return a channel as it is now. Raises HTTPException."""
        channel = shown = await self.http.get_channel(channel_id)
        if channel["type"] in THREADS:
            # A thread has the permissions of the channel above it.
            shown = await self.http.get_channel(int(channel["parent_id"]))
        bound = (int(role["id"]) for role in self.roles if not role.get("mentionable"))
        is_open = self.allowed(shown, frozenset(), 0).view_channel
        may = self.allowed(shown, self.own_roles, self.own_id)
        return ChannelState(channel, may, frozenset(bound), is_open=is_open)

    async def look_at_all(self, channel_ids: abc.Iterable[int]) -> abc.Mapping[int, "ChannelState"]:
        """Return channels as they are now. Raises HTTPException."""
        wanted = list(dict.fromkeys(channel_ids))[:MAX_CHANNELS]

        async def ask(channel_id: int) -> ChannelState:
            try:
                return await self.look_at(channel_id)
            except (discord.Forbidden, discord.NotFound) as error:
                return ChannelState({"type": 0}, is_gone=isinstance(error, discord.NotFound))

        looks = await asyncio.gather(*map(ask, wanted))
        return dict(zip(wanted, looks, strict=True))

    def allowed(self, channel: Raw, role_ids: abc.Set[int], member_id: int) -> discord.Permissions:
        """Return a member's permissions. Source: Discord's documentation, "Permissions"."""
        allowed = discord.Permissions(0)
        for role in self.roles:
            if int(role["id"]) in {self.guild_id, *role_ids}:
                allowed |= discord.Permissions(int(role["permissions"]))
        if allowed.administrator:
            return discord.Permissions.all()
        for kind, ids in ((_ROLE, {self.guild_id}), (_ROLE, role_ids), (_MEMBER, {member_id})):
            overwrites = [
                overwrite
                for overwrite in channel.get("permission_overwrites", ())
                if int(overwrite["type"]) == kind and int(overwrite["id"]) in ids
            ]
            for overwrite in overwrites:
                allowed.value &= ~int(overwrite["deny"])
            for overwrite in overwrites:
                allowed.value |= int(overwrite["allow"])
        return allowed


def rights_in(channels: abc.Iterable[Raw]) -> abc.Mapping[int, int]:
    """Return the permissions that any of these channels allows to roles."""
    rights: dict[int, int] = {}
    for channel in channels:
        for overwrite in channel.get("permission_overwrites", ()):
            if int(overwrite["type"]) == _ROLE:
                role_id = int(overwrite["id"])
                rights[role_id] = rights.get(role_id, 0) | int(overwrite["allow"])
    return rights


class ChannelState(msgspec.Struct, frozen=True):
    """A channel as Discord describes it, Kiosk's permissions there, and if everyone can read it.

    Only some members can ping `bound_roles`. A channel that Kiosk can't see may be gone.
    """

    channel: Raw
    may: discord.Permissions = msgspec.field(default_factory=discord.Permissions)
    bound_roles: frozenset[int] = frozenset()
    is_open: bool = False
    is_gone: bool = False

    def needs(
        self, uses: abc.Collection[Use], role_ids: abc.Collection[int] = ()
    ) -> list[MissingPermission]:
        mentions = not self.bound_roles.isdisjoint(role_ids)
        kind = int(self.channel["type"])
        is_locked = _is_locked(self.channel)
        return needed(kind, uses, is_locked=is_locked, mentions=mentions)

    def lacks(
        self, uses: abc.Collection[Use], role_ids: abc.Collection[int] = ()
    ) -> list[MissingPermission]:
        lacks = lacking(self.may, self.needs(uses, role_ids))
        # The others matter only once Kiosk can see the channel.
        return [MissingPermission.VIEW] if MissingPermission.VIEW in lacks else lacks


# A channel that Discord doesn't describe: nothing is known to be lacking.
UNSEEN = ChannelState({"type": discord.ChannelType.text.value}, discord.Permissions.all())


def why_not(
    channel_id: int,
    looked: ChannelState,
    lacks: abc.Sequence[MissingPermission],
    otherwise: str = "",
) -> str:
    """Say what Kiosk lacks in a channel, or return `otherwise` if it lacks nothing known."""
    channel = f"<#{channel_id}>"
    if looked.is_gone:
        return t("The channel was deleted.")
    if MissingPermission.VIEW in lacks:
        return t(
            "Kiosk can't see %(channel)s. Give Kiosk's role the %(permission)s permission there.",
            channel=channel,
            permission=MissingPermission.VIEW.words,
        )
    if lacks:
        names = listed([lack.words for lack in lacks])
        return t("Kiosk needs %(names)s in %(channel)s.", names=names, channel=channel)
    return otherwise


async def channels_at_hand(
    here: Here, channel_ids: abc.Iterable[int]
) -> abc.Mapping[int, ChannelState]:
    """Return channels as Discord shows them now, none if Discord can't be asked."""
    wanted = list(channel_ids)
    with suppress(discord.HTTPException):
        return await (await Server.asked(here)).look_at_all(wanted) if wanted else {}
    return {}
