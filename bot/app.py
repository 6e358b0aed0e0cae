"""Wire Kiosk together: open every resource, hand each to what needs it, close them all."""

import logging
import secrets
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import discord
from discord import app_commands
from discord.ext import commands

from bot.features import Features
from bot.features.accounts import Accounts
from bot.features.checkout import Checkout
from bot.features.forum import open_forum
from bot.features.inbox import Inbox
from bot.features.names import Directory
from bot.features.shop import Shop
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.settings import Settings, SettingsError
from bot.tree import KioskTree
from bot.ui.replies import answer_error
from bot.ui.router import Router
from storage import MIGRATIONS
from storage.authored import AuthoredComments
from storage.database import open_database
from storage.drafts import Drafts
from storage.facts import Facts
from storage.inbox import Inbox as StoredInbox
from storage.links import Links
from storage.names import Names
from storage.orders import Orders
from storage.vault import Vault

log = logging.getLogger(__name__)

EXTENSIONS = ("cogs.account", "cogs.forum", "cogs.shop", "cogs.setup", "cogs.help")


class Kiosk(commands.AutoShardedBot):
    """The bot: it knows its features, and hands every press to its router."""

    tree: KioskTree  # pyright: ignore[reportIncompatibleMethodOverride] - set by tree_cls below

    def __init__(self, features: Features, facts: Facts) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=KioskTree,
            intents=discord.Intents(guilds=True),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            # Until Discord says otherwise, when it is connected to.
            shard_count=1,
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self.features = features
        self.router = Router()
        self._facts = facts
        self._has_begun = False

    async def setup_hook(self) -> None:
        """Load every cog, then give Discord the commands if they have changed."""
        self.tree.error(self._on_failure)
        for extension in EXTENSIONS:
            await self.load_extension(extension)
        await self.tree.sync_if_changed(self._facts)

    async def login(self, token: str) -> None:
        """Log in to Discord; see discord.Client."""
        self._has_begun = True
        await super().login(token)

    async def close(self) -> None:
        """Close the connections; a bot that has not begun to log in has none to close."""
        if self._has_begun:
            await super().close()

    async def connect(self, *, reconnect: bool = True) -> None:
        """Connect with as many shards as Discord advises."""
        # None is how discord.py is told to ask, though it declares a number.
        self.shard_count = None  # pyright: ignore[reportAttributeAccessIssue]
        await super().connect(reconnect=reconnect)

    async def _on_failure(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError
    ) -> None:
        """Tell the member; cogs hear of a command that failed as `command_failed`."""
        await answer_error(interaction, error)
        if interaction.type is discord.InteractionType.application_command:
            self.dispatch("command_failed", interaction)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Route presses, choices and filled forms; commands are the tree's."""
        if interaction.type in (
            discord.InteractionType.component,
            discord.InteractionType.modal_submit,
        ):
            await self.router.dispatch(interaction)


@asynccontextmanager
async def open_bot(
    settings: Settings, session: aiohttp.ClientSession | None = None
) -> AsyncGenerator[Kiosk]:
    """Open every resource and give a Kiosk that has not logged in; close them all at the end.

    An aiohttp session may be handed in; it is then left open. Raises SettingsError, DatabaseError.
    """
    if not settings.kiosk_keys:
        raise SettingsError(["KIOSK_KEYS: missing; make a key with `python -m bot keys new`"])
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_url, MIGRATIONS))
        vault = Vault(settings.kiosk_keys)
        links = Links(database, vault)
        if await links.unknown_keys():
            raise SettingsError(
                ["KIOSK_KEYS: a key that sealed tokens in this database is missing; add it back"]
            )
        if session is None:
            session = await stack.enter_async_context(aiohttp.ClientSession())
        tasks = await stack.enter_async_context(BackgroundTasks())
        client = _client(settings, session, tasks)
        accounts = Accounts(links, client, tasks)
        forum = open_forum(
            client, accounts, Drafts(database, vault), AuthoredComments(database), tasks
        )
        shop = Shop(client, accounts, tasks)
        orders = Orders(database, claimed_by=secrets.token_hex(8))
        checkout = Checkout(orders, shop, accounts, client, tasks)
        features = Features(
            accounts=accounts,
            directory=Directory(Names(database), tasks),
            forum=forum,
            shop=shop,
            checkout=checkout,
            inbox=Inbox(StoredInbox(database), tasks),
        )
        bot = Kiosk(features, Facts(database))
        stack.push_async_callback(bot.close)
        yield bot


def _client(
    settings: Settings, session: aiohttp.ClientSession, tasks: BackgroundTasks
) -> GameClient:
    if settings.game_base_url is None:
        raise SettingsError(["GAME_BASE_URL: missing"])
    try:
        return GameClient(
            session, settings.game_base_url, tasks, body_format=settings.game_body_format
        )
    except GameError as error:
        raise SettingsError([f"GAME_BASE_URL: {error}"]) from None
