"""Players of the game: by name or number, muted and heard again."""

from bot.domain.moderation import NewRemoval, Subject
from bot.features.errors import UnknownPlayer
from bot.features.moderation.times import read_moment
from bot.features.names import read_id
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction
from cogs.moderate.handlers.checks import guild_of, language_of_server
from cogs.moderate.handlers.removing import RemovalHandlers


class PlayerHandlers:
    """Answers what is about all that a player writes."""

    def __init__(self, bot: Kiosk, removing: RemovalHandlers) -> None:
        self._moderation = bot.features.moderation
        self._threads = bot.features.forum.threads
        self._removing = removing

    async def mute(
        self, interaction: Interaction, player: str, reason: str, until: str | None
    ) -> None:
        """Hide all that a player writes from this server."""
        new = NewRemoval(
            guild_id=guild_of(interaction),
            subject=await self.subject(interaction, player),
            moderator_id=interaction.user.id,
            reason=reason,
            locale=language_of_server(interaction),
            until=None if until is None else read_moment(until, self._moderation.now()),
        )
        removal, is_new = await self._moderation.remove(new)
        await self._removing.follow(interaction, removal, is_new=is_new, asks=False)

    async def known(self, interaction: Interaction) -> dict[int, str]:
        """Return the players of this server's log, and those who wrote what is at hand."""
        logged = await self._moderation.removals.players(guild_of(interaction))
        known = {player_id: name for name, player_id in reversed(logged) if player_id is not None}
        return dict(reversed(known.items())) | self._threads.known_players()

    async def subject(self, interaction: Interaction, text: str) -> Subject:
        """Return the player of this name or number. Raises UnknownPlayer."""
        known = await self.known(interaction)
        player_id = read_id(text)
        if player_id is not None:
            return Subject(None, None, player_id, known.get(player_id, ""))
        for known_id, name in known.items():
            if name.casefold() == text.strip().casefold():
                return Subject(None, None, known_id, name)
        raise UnknownPlayer(name=text)
