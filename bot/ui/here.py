"""The context of an interaction: its member, place and language."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from typing import Any, cast

from bot.errors import NotAManager, ServerOnly
from bot.features import Features
from bot.features.errors import NotAModerator
from bot.features.moderation.policy import Viewer
from bot.features.names import Place
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Card
from bot.ui.forms import ActionForm, open_form
from storage.errors import DatabaseError
from storage.names import Named, PlaceKind


class Need(Enum):
    MANAGER = auto()
    MODERATOR = auto()


MANAGER, MODERATOR = Need.MANAGER, Need.MODERATOR


class Here:
    """An interaction; made once for each, by the router or by `slash`.

    `server` is None outside a server, and in one that Kiosk is not a member of: names, removals and
    rules are those of servers that it is a member of. Outside, names are those of all servers in
    which the member has used Kiosk.
    """

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction
        self.answer: Callable[[Card], Awaitable[None]] = partial(answer, interaction)
        self.open_form: Callable[[ActionForm], Awaitable[None]] = partial(open_form, interaction)
        self.features: Features = interaction.client.features
        self.member_id = interaction.user.id
        # Where only a member installed it, Kiosk can take back nothing of what it posts.
        self.is_kiosk_member = (
            interaction.is_guild_integration() or not interaction.is_user_integration()
        )
        self.server = interaction.guild_id if self.is_kiosk_member else None
        # The roles need the server to be at hand; their ids are in every interaction.
        self.roles = frozenset[int](getattr(interaction.user, "_roles", ()))
        self.permissions = interaction.permissions
        self.locale = str(interaction.locale)
        # For what Kiosk says to everybody in the server.
        self.server_locale = str(interaction.guild_locale or interaction.locale)

    @property
    def guild_id(self) -> int:
        """The server. Raises ServerOnly where there is none."""
        if self.server is None:
            raise ServerOnly
        return self.server

    async def require(self, need: Need) -> None:
        """Raise ServerOnly, NotAManager or NotAModerator where the member is not who is needed."""
        if need is MODERATOR:
            rules = await self.features.moderation.rules(self.guild_id)
            if not self.may_moderate(rules.moderator_role_id):
                raise NotAModerator(moderators=rules.moderator_role_id)
        elif self.guild_id and not self.permissions.manage_guild:
            raise NotAManager

    def may_moderate(self, role_id: int | None) -> bool:
        return self.server is not None and (
            self.permissions.manage_messages or role_id in self.roles
        )

    async def viewer(self) -> Viewer:
        """Return the member as the one who looks at what the interaction leads to."""
        player_id = None
        # What may be read does not depend on it.
        with suppress(DatabaseError):
            player_id = await self.features.accounts.player_of(self.member_id)
        return Viewer(self.member_id, self.server, self.server_locale, player_id)

    async def place(self, kind: PlaceKind, game_id: int) -> Place:
        return await self.features.directory.place(
            self.server, kind, game_id, member_id=self.member_id
        )

    async def find_by_name(self, kind: PlaceKind, text: str) -> Place:
        """Return the thread or catalog that was typed. Raises what `Directory.resolve` does."""
        return await self.features.directory.resolve(
            self.server, kind, text, member_id=self.member_id
        )

    async def names(self, kind: PlaceKind) -> Sequence[Named]:
        return await self.features.directory.all_of_kind(
            self.server, kind, member_id=self.member_id
        )

    def resolved(self, kind: str, number: int | None) -> Mapping[str, Any]:
        """Return what Discord says of one of the "channels" or "roles" among the options."""
        data = cast("Mapping[str, Any]", self.interaction.data or {})
        return data.get("resolved", {}).get(kind, {}).get(str(number), {})

    def typed(self, option: str) -> str:
        """Return what another option of the command holds so far, "" where that is nothing."""
        return str(getattr(self.interaction.namespace, option, None) or "")
