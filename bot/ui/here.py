"""The context of an interaction: its member, place, language, form input and answer."""

import enum
import typing
from collections import abc
from contextlib import suppress

from bot import errors
from bot.features import Features, feature_errors
from bot.features.directory import Place
from bot.features.moderation.policy import Viewer
from bot.ui import answers, custom_ids, drawing
from storage.moderation import ServerSettings
from storage.names import Named, PlaceKind
from storage.storage_errors import DatabaseError

if typing.TYPE_CHECKING:
    from bot.ui.hooks import Hooks
    from bot.ui.sent_cards import OpenCards

S = typing.TypeVar("S")

# The token field: its value is never shown, and never prefilled.
TOKEN_FIELD = "token"  # noqa: S105 - its name


class Need(enum.Enum):
    """Who may use something. The value is the permission that Discord requires for a command."""

    MANAGER = "manage_guild"
    MODERATOR = "manage_messages"


MANAGER = Need.MANAGER
MODERATOR = Need.MODERATOR


class Here(answers.Answer):
    """An interaction and its answer. The router makes one for each interaction.

    `server` is None outside a server, and in a server that Kiosk isn't a member of. Names, removals
    and rules belong to servers that Kiosk is a member of. Outside, names are those of all servers
    in which the member has used Kiosk.

    `filled` has the values of each field of a form: a checkbox that is set has the value "1". The
    text of TOKEN_FIELD is the `token` alone.
    """

    def __init__(self, interaction: answers.Interaction) -> None:
        super().__init__(interaction)
        self.features: Features = interaction.client.features
        self.hooks: Hooks = interaction.client.hooks
        self.open_cards: OpenCards = interaction.client.open_cards
        self.member_id = interaction.user.id
        # If only a member installed Kiosk, Kiosk can't delete what it posts.
        self.is_kiosk_member = (
            interaction.is_guild_integration() or not interaction.is_user_integration()
        )
        self.server = interaction.guild_id if self.is_kiosk_member else None
        # Role objects need a loaded server. Their ids are in every interaction.
        self.roles = frozenset[int](getattr(interaction.user, "_roles", ()))
        self.joined_at = getattr(interaction.user, "joined_at", None)
        self.permissions = interaction.permissions
        self.locale = str(interaction.locale)
        # For texts that everyone in the server sees.
        self.server_locale = str(interaction.guild_locale or interaction.locale)
        self.viewer = Viewer(self.member_id, self.server, self.server_locale)
        data = typing.cast("abc.Mapping[str, typing.Any]", interaction.data or {})
        self.token = ""
        if components := data.get("components"):
            filled = dict(_filled_in(components))
            self.token = "".join(filled.pop(TOKEN_FIELD, ()))
            self.filled = filled
        # The action, or folded press, by which to try again, if that isn't the press.
        self.again: custom_ids.Action | custom_ids.Folded | None = None
        # Repeats the command as it was typed.
        self.repeat: abc.Callable[[Here], abc.Awaitable[None]] | None = None
        # How to list candidates if an error names several.
        self.entry_of: abc.Callable[[typing.Any], drawing.Entry] | None = None
        self.candidates_placeholder = ""

    def service(self, kind: type[S]) -> S:
        """Return a feature's service."""
        return self.interaction.client.services[kind]

    @property
    def guild_id(self) -> int:
        """The server. Raises ServerOnly if there is none."""
        if self.server is None:
            raise errors.ServerOnly
        return self.server

    async def require(self, need: Need | None) -> None:
        """Check that the member is who is needed. Raises ServerOnly, NotAManager, NotAModerator."""
        if need is MODERATOR and not (self.guild_id and self.permissions.manage_messages):
            settings = await self.settings()
            if not self.moderates(settings):
                raise feature_errors.NotAModerator(moderators=settings.moderator_role_id)
        if need is MANAGER and self.guild_id and not self.may_manage:
            raise errors.NotAManager

    @property
    def may_manage(self) -> bool:
        return self.server is not None and self.permissions.manage_guild

    async def may_moderate(self) -> bool:
        return self.server is not None and (
            self.permissions.manage_messages or self.moderates(await self.settings())
        )

    def moderates(self, settings: ServerSettings) -> bool:
        """Return whether the member moderates the server that has these settings."""
        return self.permissions.manage_messages or settings.moderator_role_id in self.roles

    async def settings(self) -> ServerSettings:
        """Return the server's settings. Raises ServerOnly if there is no server."""
        return await self.features.moderation.settings.find(self.guild_id)

    async def player_id(self) -> int | None:
        """Return the member's player id in the game, None if Kiosk doesn't know it."""
        # What a member may read doesn't depend on it.
        with suppress(DatabaseError):
            return await self.features.accounts.player_of(self.member_id)
        return None

    async def place(self, kind: PlaceKind, game_id: int) -> Place:
        return await self.features.directory.place(
            self.server, kind, game_id, member_id=self.member_id
        )

    async def find_by_name(self, kind: PlaceKind, text: str) -> Place:
        """Find the thread or catalog that was typed. Raises what `Directory.resolve` does."""
        return await self.features.directory.resolve(
            self.server, kind, text, member_id=self.member_id
        )

    async def names(self, kind: PlaceKind) -> abc.Sequence[Named]:
        return await self.features.directory.all_of_kind(
            self.server, kind, member_id=self.member_id
        )

    # Options and fields of forms

    def first_of(self, field: str) -> str:
        """Return the text of a form's field, or its first value, "" for nothing."""
        return next(iter(self.filled.get(field, ())), "")

    def resolved(self, kind: str, number: int | None) -> abc.Mapping[str, typing.Any]:
        """Return Discord's data about one of the "channels" or "roles" among the options."""
        data = typing.cast("abc.Mapping[str, typing.Any]", self.interaction.data or {})
        return data.get("resolved", {}).get(kind, {}).get(str(number), {})

    def typed(self, option: str) -> str:
        """Return the text in another option of the command so far, "" for nothing."""
        return str(getattr(self.interaction.namespace, option, None) or "")

    def offer_candidates(
        self, entry_of: abc.Callable[[typing.Any], drawing.Entry], placeholder: str = ""
    ) -> None:
        self.entry_of = entry_of
        self.candidates_placeholder = placeholder


def _filled_in(
    components: abc.Iterable[drawing.Component],
) -> abc.Iterable[tuple[str, tuple[str, ...]]]:
    """Yield the name of each field of a form, and its values."""
    for field in drawing.parts_of(components):
        value = field.get("values", field.get("value"))
        if isinstance(value, bool):
            yield field["custom_id"], ("1" if value else "",)
        elif isinstance(value, str):
            yield field["custom_id"], (value,)
        elif isinstance(value, list):
            yield field["custom_id"], tuple(map(str, typing.cast("list[object]", value)))
