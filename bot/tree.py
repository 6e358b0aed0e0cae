"""The command tree: speaks the member's language, and is given to Discord when it changed."""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.background import BackgroundTasks
from bot.i18n import SOURCE_LANGUAGE, catalog_file, languages
from bot.ui.commands import localize
from bot.ui.error_cards import ask_to_wait
from bot.ui.incoming import Incoming
from storage.claims import Claims
from storage.installation import Installation

log = logging.getLogger(__name__)
# Whoever holds it may give Discord the commands.
_SYNCING = "commands"


class KioskTree(app_commands.CommandTree[commands.AutoShardedBot]):
    """All slash commands and menus."""

    def __init__(self, client: commands.AutoShardedBot) -> None:
        super().__init__(
            client,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        self.incoming = Incoming()
        # Discord's id of each command, by name; known once Discord was asked.
        self.ids: dict[str, int] = {}

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Let everyone through who is not being answered too much already."""
        if await self.incoming.begin(interaction):
            return True
        await ask_to_wait(interaction, self.incoming.why_not)
        return False

    async def give(
        self, installation: Installation, claims: Claims, tasks: BackgroundTasks
    ) -> None:
        """Give Discord the commands unless it has them; of several processes, one does.

        Raises DatabaseError, discord.HTTPException.
        """
        if await self.is_current(installation):
            return
        try:
            # Not with this task's context, but with its end.
            await tasks.start(claims.wait_for(_SYNCING))
            if await self.is_current(installation):
                return
            # Not `sync`, which would translate every command once more.
            commands = self._commands()
            localize(commands)
            http = self.client.http
            known = await http.bulk_upsert_global_commands(self.application_id, commands)
            self._learn(known)
            await installation.save_fact(self._fact, self._digest())
            log.info("gave Discord %s commands", len(known))
        finally:
            await claims.release(_SYNCING)

    async def is_current(self, installation: Installation) -> bool:
        """Return whether Discord has the commands as they are; learn their ids.

        A fingerprint of what Discord was last given is kept for each application. Discord is asked
        as well, since somebody else may have taken the commands away.
        """
        self._learn(await self.client.http.get_global_commands(self.application_id))
        has_all = self.ids.keys() == {command.name for command in self.get_commands()}
        return has_all and await installation.find_fact(self._fact) == self._digest()

    @property
    def application_id(self) -> int:
        """The application's id, from the login on."""
        assert self.client.application_id is not None  # noqa: S101 - known since the login
        return self.client.application_id

    @property
    def _fact(self) -> str:
        return f"commands of {self.application_id}"

    def _learn(self, known: Iterable[Mapping[str, Any]]) -> None:
        self.ids = {command["name"]: int(command["id"]) for command in known}

    def _commands(self) -> list[Any]:
        """Return every command as Discord takes it, in English."""
        return [command.to_dict(self) for command in self.get_commands()]

    def _digest(self) -> str:
        """Return a fingerprint of the commands and of their texts, which no start reads for it."""
        digest = hashlib.sha256(json.dumps(self._commands(), sort_keys=True, default=str).encode())
        for language in sorted(languages() - {SOURCE_LANGUAGE}):
            digest.update(catalog_file(language).read_bytes())
        return digest.hexdigest()
