"""Roles that Kiosk may give: what prevents it, and how to fix that."""

import enum
import logging
from collections import abc

import discord

from bot import cache
from bot.features import Features
from bot.i18n import N_, t
from bot.ui import drawing, markdown, permissions
from bot.ui.here import Here

log = logging.getLogger(__name__)

_MAX_MENTIONED = 6
# How long to remember what roles may do.
_AT_HAND_SECONDS = 60.0
# A role's approximate size in memory, with its rights in channels.
_BYTES_OF_EACH = 2000
# The permissions that a member's role may have, as docs/moderators.md lists them. Any other bit is
# refused, even one that Discord adds later.
_HARMLESS = discord.Permissions(
    add_reactions=True,
    attach_files=True,
    change_nickname=True,
    connect=True,
    create_events=True,
    create_expressions=True,
    create_instant_invite=True,
    create_polls=True,
    create_private_threads=True,
    create_public_threads=True,
    embed_links=True,
    external_emojis=True,
    external_stickers=True,
    read_message_history=True,
    request_to_speak=True,
    send_messages=True,
    send_messages_in_threads=True,
    send_tts_messages=True,
    send_voice_messages=True,
    set_voice_channel_status=True,
    speak=True,
    stream=True,
    use_application_commands=True,
    use_embedded_activities=True,
    use_external_apps=True,
    use_external_sounds=True,
    use_soundboard=True,
    use_voice_activation=True,
    view_channel=True,
)


class RoleTrouble(enum.Enum):
    """A reason why Kiosk can't give a role, as a text for people."""

    GONE = N_("The role was deleted. Remove it here, or choose another role.")
    MODERATORS = N_("Kiosk doesn't give this server's moderator role.")
    MANAGED = N_("This role belongs to a bot or to Discord, so Kiosk can't give it.")
    RIGHTS = N_(
        "This role has moderator permissions in the server or in a channel, so Kiosk won't give it."
    )
    MAY_NOT = N_("Kiosk needs the **Manage Roles** permission.")
    BELOW = N_("Move Kiosk's role above %(role)s in Server Settings > Roles.")
    ABOVE_YOU = N_("%(role)s isn't below your highest role. Ask someone with a higher role.")

    def words(self, *role_ids: int) -> str:
        return t(self.value, role=mentions(role_ids))


def role_servers(here: Here) -> "Servers":
    return here.interaction.client.role_servers


class Servers:
    """Servers that give roles, each remembered for a minute."""

    def __init__(
        self, client: discord.Client, features: Features, tasks: cache.BackgroundTasks
    ) -> None:
        self._client = client
        self._settings = features.moderation.settings
        self._subscribed = features.announcing.subscribed
        self._servers = cache.TtlCache[int, permissions.Server](
            tasks, lifetime=_AT_HAND_SECONDS, size=lambda server: _BYTES_OF_EACH * len(server.roles)
        )
        # The servers' roles that members couldn't take, already in the log.
        self._refused = set[tuple[int, int]]()

    async def ask(self, guild_id: int) -> permissions.Server:
        """Return a server as it is now. Raises HTTPException."""
        self._servers.forget(lambda known: known == guild_id)
        return await self._read(guild_id)

    async def role_problem(self, guild_id: int, role_id: int) -> RoleTrouble | None:
        """Return why Kiosk can't give a role, if it can't. A problem is checked again at once.

        Raises HTTPException.
        """
        server = await self._servers.get(guild_id, self._read)
        return may_give(role_id, server) and may_give(role_id, await self.ask(guild_id))

    def log_refusal(self, guild_id: int, role_id: int, refusal: str | None) -> None:
        """Log why a member can't take a role, once until a member can (`refusal` is None)."""
        role = guild_id, role_id
        if refusal is None:
            self._refused.discard(role)
        elif role not in self._refused:
            self._refused.add(role)
            log.warning("Can't give role %s of server %s: %s", role_id, guild_id, refusal)

    async def _read(self, guild_id: int) -> permissions.Server:
        http = self._client.http
        # Before Discord is asked: a role that is created between the two isn't gone.
        announced = await self._subscribed.of_guild(guild_id)
        own_id = self._client.user.id if self._client.user else 0
        member = await http.get_member(guild_id, own_id)
        own_roles = frozenset(map(int, member["roles"]))
        guild = await self._client.http.get_guild(guild_id, with_counts=False)
        pinged = {role_id for subscription in announced for role_id in subscription.pinged}
        gone = pinged.difference(int(role["id"]) for role in guild["roles"])
        await self._subscribed.note_gone_roles(announced, gone)
        channels = await http.get_all_guild_channels(guild_id)
        settings = await self._settings.find(guild_id)
        return permissions.Server(
            http,
            guild_id,
            own_id,
            guild["roles"],
            own_roles,
            moderator_role_id=settings.moderator_role_id,
            owner_id=int(guild["owner_id"]),
            channel_rights=permissions.rights_in(channels),
        )


def may_give(
    role_id: int, server: permissions.Server, setter: Here | None = None
) -> RoleTrouble | None:
    """Return why Kiosk can't give a role, if it can't. A `setter` is choosing the role now."""
    role = next((role for role in server.roles if int(role["id"]) == role_id), None)
    if role is None:
        return RoleTrouble.GONE
    if role_id == server.moderator_role_id:
        return RoleTrouble.MODERATORS
    if role.get("managed"):
        return RoleTrouble.MANAGED
    rights = int(role["permissions"]) | server.channel_rights.get(role_id, 0)
    if rights & ~_HARMLESS.value:
        return RoleTrouble.RIGHTS
    if not server.allowed({}, server.own_roles, server.own_id).manage_roles:
        return RoleTrouble.MAY_NOT
    if not _is_below(role, server.own_roles, server):
        return RoleTrouble.BELOW
    if setter is None or setter.member_id == server.owner_id:
        return None
    return None if _is_below(role, setter.roles, server) else RoleTrouble.ABOVE_YOU


def _is_below(
    role: permissions.Raw, role_ids: abc.Collection[int], server: permissions.Server
) -> bool:
    others = [_height(other) for other in server.roles if int(other["id"]) in role_ids]
    return _height(role) < max(others, default=(0, 0))


def _height(role: permissions.Raw) -> tuple[int, int]:
    # If two roles have one position, the older role is higher.
    return int(role["position"]), -int(role["id"])


def invitation_button(server: permissions.Server) -> drawing.Button:
    """Link to Discord's page that gives Kiosk Manage Roles and the permissions it has."""
    own = [
        int(role["permissions"])
        for role in server.roles
        if int(role.get("tags", {}).get("bot_id", 0)) == server.own_id
    ]
    may = discord.Permissions(own[0] if own else 0)
    may.update(manage_roles=True)
    url = discord.utils.oauth_url(
        server.own_id,
        permissions=may,
        guild=discord.Object(server.guild_id),
        scopes=("bot", "applications.commands"),
    )
    return drawing.page_button(url, t("Give permission"))


def mentions(role_ids: abc.Iterable[int | None], most: int | None = _MAX_MENTIONED) -> str:
    mentioned = [f"<@&{role_id}>" for role_id in dict.fromkeys(role_ids)]
    return markdown.some_of(mentioned[:most], len(mentioned))
