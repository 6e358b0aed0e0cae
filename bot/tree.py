"""The command tree: speaks the member's language, and is synced when it changed."""

import hashlib
import json
import logging
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.i18n import speak
from bot.ui.commands import CommandTranslator
from bot.ui.error_cards import ask_to_wait
from bot.ui.incoming import Incoming
from storage.facts import Facts

log = logging.getLogger(__name__)


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
        # Discord's id of each command, by name; known once the tree is synced.
        self.ids: dict[str, int] = {}

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Let everyone through, in turn, and speak their language from here on."""
        speak(interaction.locale)
        if await self.incoming.begin(interaction):
            return True
        await ask_to_wait(interaction)
        return False

    async def sync_if_changed(self, facts: Facts) -> bool:
        """Sync the commands unless Discord has them already; return whether they were synced.

        A fingerprint of what Discord was last given is kept for each application. Discord is asked
        as well, since somebody else may have taken the commands away.
        """
        await self.set_translator(CommandTranslator())
        name = f"commands of {self.client.application_id}"
        fingerprint = await self._fingerprint()
        known = await self.fetch_commands()
        has_all = {command.name for command in known} == {c.name for c in self.get_commands()}
        is_current = has_all and await facts.find(name) == fingerprint
        if not is_current:
            known = await self.sync()
            await facts.save(name, fingerprint)
            log.info("gave Discord %s commands", len(known))
        self.ids = {command.name: command.id for command in known}
        return not is_current

    async def _fingerprint(self) -> str:
        translator = self.translator
        payload = [
            await command.get_translated_payload(self, translator) if translator else None
            for command in self.get_commands()
        ]
        text = json.dumps(payload, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()
