"""The bot and its commands: it knows its features, and hands every press to its router."""

import asyncio
import hashlib
import json
import logging
import typing
from collections import abc
from contextlib import suppress
from datetime import datetime
from enum import IntEnum
from functools import partial
from importlib import import_module
from weakref import WeakValueDictionary

import aiohttp
import discord
from discord import app_commands
from discord.ext import commands
from discord.http import Route

from bot import __version__, i18n
from bot.background import BackgroundTasks
from bot.errors import Restarting
from bot.log import describe
from bot.program import duties, housekeeping, status
from bot.program.proxies import proxy_for
from bot.program.reach import Reach
from bot.program.wiring import Core
from bot.ui import error_cards, giving, router, sent_cards
from bot.ui.drawing import learn_commands
from bot.ui.messages import news
from bot.ui.messages.dispatcher import Dispatcher
from bot.ui.slash import CommandTexts
from cogs import COGS
from storage.claims import Claims
from storage.installation import Installation
from storage.purging import Purge
from storage.storage_errors import DatabaseError
from storage.writes import Write

log = logging.getLogger(__name__)

# Of the ten seconds that Docker gives a program to end: to answer, to say that there will be no
# answer, and to say goodbye to a gateway that may be mute.
_SECONDS_TO_ANSWER = 7.0
_SECONDS_TO_SAY_SO = 0.5
_SECONDS_TO_LEAVE = 0.5
# At writes that are due: no longer than a member would wait for news.
_SECONDS_FOR_TITLE = 1.0
_SECONDS_BETWEEN_LOOKS = 5.0
# At the way from Discord to here, once whatever is in front of Kiosk knows that it is ready.
SECONDS_TO_FIRST_LOOK = 180.0
# The process that holds it may give Discord the commands.
_SYNCING = "commands"
# Discord's number of the command that opens an application's Activity, which is Discord's own.
_ENTRY_POINT = 4
_BAD_REQUEST = 400
# Discord's numbers of the options that are commands below a command.
_SUBCOMMANDS = (1, 2)


class Exit(IntEnum):
    """Exit codes, as docs/operators.md lists them. 2 is a command that was mistyped."""

    STOPPED = 0
    # Starting it again may help.
    FAILED = 1
    # Starting it again helps only once something is fixed: the number of EX_CONFIG.
    TO_MEND = 78


class CannotRun(Exception):
    """The bot can't run. The text says why in one line."""

    def __init__(self, text: str, code: Exit = Exit.TO_MEND) -> None:
        super().__init__(text)
        self.code = code


class KioskTree(app_commands.CommandTree[commands.AutoShardedBot]):
    def __init__(self, client: commands.AutoShardedBot) -> None:
        super().__init__(
            client,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        self.router = router.Router()

    async def interaction_check(self, interaction: discord.Interaction[typing.Any], /) -> bool:
        data = typing.cast("abc.Mapping[str, typing.Any]", interaction.data or {})
        return await self.router.let_in(interaction, _name(data))

    async def give(
        self, installation: Installation, claims: Claims, tasks: BackgroundTasks
    ) -> None:
        """Give Discord the commands that it lacks, from one process.

        Raises DatabaseError, HTTPException, CannotRun.
        """
        if await self.is_current(installation):
            return
        try:
            # Not with this task's context, but with its end.
            await tasks.start(claims.wait_for(_SYNCING))
            if await self.is_current(installation):
                return
            await self._replace()
            await installation.save_fact(self._fact, self._digest())
            log.info("Registered %s commands with Discord", len(self.ids))
        finally:
            await claims.release(_SYNCING)

    async def is_current(self, installation: Installation) -> bool:
        """Learn the commands' ids. Return False if they changed, or if someone removed them."""
        self._learn(await self.client.http.get_global_commands(self.application_id))
        has_all = self.ids.keys() == {command.name for command in self.get_commands()}
        return has_all and await installation.find_fact(self._fact) == self._digest()

    async def _replace(self) -> None:
        """Give Discord all commands, and its own as they are: it refuses to lose them."""
        http = self.client.http
        translator = CommandTexts()
        route = Route(
            "GET", "/applications/{application_id}/commands", application_id=self.application_id
        )
        # Unless asked for them, Discord leaves a command's translations out.
        known = await http.request(route, params={"with_localizations": "true"})
        payload: list[typing.Any] = [
            await command.get_translated_payload(self, translator)
            for command in self.get_commands()
        ]
        payload += [command for command in known if command["type"] == _ENTRY_POINT]
        try:
            given = await http.bulk_upsert_global_commands(self.application_id, payload=payload)
        except discord.HTTPException as error:
            if error.status != _BAD_REQUEST:
                raise
            text = f"Discord refuses Kiosk's commands: {describe(error)}"
            raise CannotRun(text) from error
        self._learn(given)

    def _learn(self, known: abc.Sequence[abc.Mapping[str, typing.Any]]) -> None:
        self.ids = {
            command["name"]: int(command["id"])
            for command in known
            if command["type"] != _ENTRY_POINT
        }
        commands = (
            command.qualified_name
            for command in self.walk_commands()
            if isinstance(command, app_commands.Command)
        )
        learn_commands(commands, self.ids)

    @property
    def application_id(self) -> int:
        assert self.client.application_id is not None  # noqa: S101 - known since the login
        return self.client.application_id

    @property
    def _fact(self) -> str:
        return f"commands of {self.application_id}"

    def _digest(self) -> str:
        """Return a fingerprint of the commands and of their texts, which no start reads for it."""
        commands = [command.to_dict(self) for command in self.get_commands()]
        digest = hashlib.sha256(json.dumps(commands, sort_keys=True, default=str).encode())
        for path in sorted(i18n.LOCALES.rglob("*.po")):
            digest.update(path.read_bytes())
        return digest.hexdigest()


def _name(command: abc.Mapping[str, typing.Any]) -> str:
    """Return what was used, such as `shop buy`, without what was typed."""
    options = command.get("options", ())
    below = next((option for option in options if option["type"] in _SUBCOMMANDS), None)
    name = str(command.get("name", ""))
    return f"{name} {_name(below)}" if below else name


class Kiosk(commands.AutoShardedBot):
    """Kiosk on Discord. Enter it as a context before it is started, so that it is closed."""

    tree: KioskTree  # pyright: ignore[reportIncompatibleMethodOverride] - set by tree_cls below

    def __init__(self, core: Core, claims: Claims, purge: Purge, dispatcher: Dispatcher) -> None:
        self.core = core
        self.features = features = core.features
        self.tasks = tasks = core.tasks
        self.hooks = core.hooks
        # Of the features, by their types.
        self.services = dict[type[typing.Any], typing.Any]()
        self.clock = tasks.clock
        self.now = self.clock.now
        self.reach = Reach()
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=KioskTree,
            # Interactions bring the server, the channel, the permissions and the language along.
            intents=discord.Intents.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            # For events of servers, which do not come.
            guild_ready_timeout=0.0,
            allowed_mentions=discord.AllowedMentions.none(),
            http_trace=self.reach.trace,
            proxy=proxy_for(Route.BASE),
        )
        self._installation = features.installation
        self.router = self.tree.router
        self.router.add(router, sent_cards)
        self.role_servers = giving.Servers(self, features, tasks)
        self.open_cards = sent_cards.OpenCards(self.clock)
        self.worker = duties.Worker(claims, tasks)
        list_servers = partial(self.fetch_guilds, limit=None, with_counts=False)
        server_list = housekeeping.ServerList(list_servers, self._installation, purge, self.clock)
        self.worker.add("servers", server_list.keep)
        links = features.accounts.links
        cases = features.moderation.cases
        keep_house = partial(housekeeping.keep_house, purge, links, cases, claims, self.clock)
        self.worker.add("housekeeping", keep_house)
        self.dispatcher = dispatcher
        self.member_news = news.MemberNews(features.watching, features.directory)
        dispatcher.add(self.member_news)
        self.claims = claims
        # Whether another process is connected to Discord in this one's place.
        self.is_standing_by = False
        self._working: list[asyncio.Task[typing.Any]] = []
        self.is_ending = False
        self.seconds_to_first_look = SECONDS_TO_FIRST_LOOK
        # How many requests and connections were refused at the port for Discord, by the reason.
        self.refused: dict[str, int] = {}
        # What is wrong here that members don't notice, by the setting that it is about.
        self.faults: dict[str, str] = {}
        # If Discord posts interactions: takes no more of them, once balancers send no more.
        self.leave: abc.Callable[[], abc.Awaitable[None]] | None = None
        self._telling: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def setup_hook(self) -> None:
        self.tree.error(self._on_failure)
        # Discord may fail below, and be logged in to again.
        if not self.cogs:
            due = partial(self.features.ledger.settle_due, self._redraw_open)
            self.worker.add_looks("writes", due, _SECONDS_BETWEEN_LOOKS)
            for name in COGS:
                # Not as an extension, which can be reloaded: its modules would be loaded twice.
                cog = import_module(name)
                self.router.add(cog)
                await cog.setup(self)
        await self.tree.give(self._installation, self.claims, self.tasks)
        send = partial(self.dispatcher.run, self.http)
        self.worker.add("outbox", send, self.dispatcher.is_idle)
        self._working.append(self.tasks.start(self.worker.run()))

    async def _redraw_open(self, write: Write) -> bool:
        """Redraw the open cards of a write, which the kind of its messages knows."""
        kind = self.dispatcher.kinds[self.features.ledger.doings[write.kind].news]
        return await typing.cast("news.WriteNews[Write]", kind).redraw_open(write)

    async def title_of(self, guild_id: int) -> str:
        """Return a server's name in Discord, or its number if Discord doesn't say it in time."""
        try:
            async with asyncio.timeout(_SECONDS_FOR_TITLE):
                guild = await self.http.get_guild(guild_id, with_counts=False)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            log.info("Can't get the name of server %s: %s", guild_id, error)
            return str(guild_id)
        return guild["name"]

    async def presence_of(
        self, guild_id: int, member_id: int
    ) -> tuple[datetime, frozenset[int]] | None:
        """Return when a member joined a server, and their roles, or None if Discord says none."""
        try:
            member = await self.http.get_member(guild_id, member_id)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            log.info("Can't check member %s of server %s: %s", member_id, guild_id, error)
            return None
        joined_at = discord.utils.parse_time(member["joined_at"])
        return joined_at and (joined_at, frozenset(map(int, member["roles"])))

    def is_idle(self) -> bool:
        """Return whether nothing is to be done before someone acts, or the clock moves on."""
        is_answering = self.router.in_hand or self.tasks.are_finishing
        return self.worker.is_idle() and not is_answering

    def worker_state(self) -> status.WorkerState:
        if not self.worker.is_active:
            return status.WorkerState.STANDBY
        held = self.claims.is_held(duties.CLAIM)
        return status.WorkerState.ACTIVE if held else status.WorkerState.WITHOUT_CLAIM

    def gateway_state(self) -> status.GatewayState:
        connected = [shard for shard in self.shards.values() if not shard.is_closed()]
        is_listening = self.leave is not None and not self.reach.is_lost
        # Discord has said how many connections it recommends once there is one.
        if is_listening or (connected and len(connected) == self.shard_count):
            return status.GatewayState.CONNECTED
        return status.GatewayState.STANDBY if self.is_standing_by else status.GatewayState.AWAY

    async def close(self) -> None:
        """Give waiting members their answer, or a word that it takes too long. Then leave."""
        try:
            if not self.is_ending:
                self.is_ending = True
                loop = asyncio.get_running_loop()
                answered_by = loop.time() + _SECONDS_TO_ANSWER
                if self.leave:
                    await self.leave()
                answering = self.tasks.start(self.router.stop())
                finishing = self.tasks.start(self.tasks.until_finished())
                # Discord's answers to what it has sent are to be heard.
                ending = self.tasks.start(self.tasks.end(*self._working))
                seconds = answered_by - loop.time()
                await self.tasks.within(seconds, answering, finishing, ending)
                telling = [
                    self.tasks.start(error_cards.show_error(here, Restarting(), send=here.answer))
                    for here in self.router.in_hand.values()
                ]
                await self.tasks.within(_SECONDS_TO_SAY_SO, *telling)
        finally:
            leaving = self.tasks.start(super().close())
            if not await self.tasks.within(_SECONDS_TO_LEAVE, leaving):
                await self.http.close()

    async def on_ready(self) -> None:
        log.info("Kiosk is ready and answers members", extra={"version": __version__})

    async def _on_failure(
        self, interaction: discord.Interaction[typing.Any], error: app_commands.AppCommandError
    ) -> None:
        await self._end(interaction, error)

    async def on_app_command_completion(
        self,
        interaction: discord.Interaction[typing.Any],
        _command: app_commands.Command[typing.Any, ..., typing.Any] | app_commands.ContextMenu,
    ) -> None:
        await self._end(interaction)

    async def _end(
        self, interaction: discord.Interaction[typing.Any], error: Exception | None = None
    ) -> None:
        """End a command: say why it failed, and then what no direct message could deliver."""
        here = self.router.here_of(interaction)
        self.router.end(interaction)
        if error is not None:
            await error_cards.answer_error(here, error)
        if interaction.type is discord.InteractionType.application_command:
            # Else the second of two commands at once would say it again.
            async with self._telling.setdefault(here.member_id, asyncio.Lock()):
                with suppress(DatabaseError), i18n.speaking(interaction.locale):
                    await self.dispatcher.tell_untold(here)
        await here.finish()
        await self.hooks.interaction_ended(here)

    async def on_interaction(self, interaction: discord.Interaction[typing.Any]) -> None:
        """Route presses, choices and filled forms. The tree routes commands."""
        if interaction.type in router.PRESSES:
            await self.router.dispatch(interaction)
