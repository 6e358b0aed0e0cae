"""A small world to act in: a game, Kiosk on a simulated Discord, and people (CONTRIBUTING.md)."""

import logging
import os
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import discord
import simcord
from pydantic import SecretStr

from bot.app import open_bot
from bot.clock import Clock
from bot.game.models import Player
from bot.program.kiosk import Kiosk
from bot.settings import Settings
from game_service.app import KIOSK_TOKEN, Service
from game_service.tokens import hash_token
from playground.scene import CATALOGS, MODERATOR, THREADS
from playground.simulation import simulate
from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from tests.support.cards import answer_of
from tests.support.clock import RunningClock, SteppedClock
from tests.support.databases import address_at, lasting_address, run_aside
from tests.support.discord_limits import all_faults
from tests.support.forms import fill_in, presets
from tests.support.game import open_demo_game, open_game_copy
from tests.support.rest import until_idle

# A key of the form `python -m bot keys new` prints; it protects nothing.
KEY = "dGVzdHMgb25seTogdGhpcyBrZXkgc2VhbHMgbm90aGk="
# A thread of the demo game without comments.
EMPTY = "3"
SUBSCRIBER, VISITOR, NEWCOMER = "demo-subscriber", "demo-visitor", "demo-newcomer"


@dataclass
class World:
    """A server with people in it. `member` has no linked account until `link` is called."""

    env: simcord.Env
    bot: Kiosk
    settings: Settings
    game: Service | None
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    member: simcord.MemberActor
    friend: simcord.MemberActor
    moderator: simcord.MemberActor
    clock: Clock | None
    # Ends the bot that runs.
    running: AsyncExitStack
    faults: "Faults"

    async def restart(
        self,
        settings: Settings | None = None,
        *,
        clock: Clock | None = None,
        prepare: Callable[[Kiosk], None] | None = None,
    ) -> None:
        """End the bot, its tasks, claims and connections with it; `prepare` another and start it.

        It has the settings of the one before unless others are given, and so have later ones.
        """
        self.settings = settings or self.settings
        self.clock = clock or self.clock
        await self.running.aclose()
        self.bot = await _start(self.running, self.settings, self.clock)
        if prepare is not None:
            prepare(self.bot)
        await self.env.restart_bot(self.bot)

    @property
    def commands(self) -> Sequence[Any]:
        (given,) = (asked.json for asked in self.env.http_requests if asked.method == "PUT")
        return given or ()

    async def pass_time(self, by: timedelta | float) -> None:
        """Let time pass at once, and return when the bot has done all that was due by then."""
        clock = self.bot.clock
        assert isinstance(clock, SteppedClock)
        passed = by if isinstance(by, timedelta) else timedelta(seconds=by)
        # Which writes are due is known by the database's clock, which no one moves.
        async with open_database(self.settings.database_url, MIGRATIONS) as database:
            sql = "UPDATE writes SET due_at = due_at - :by"
            await database.execute(sql, by=passed // timedelta(microseconds=1))
        clock.advance(passed)
        await until_idle(self.bot)

    def expect_fault(self, text: str) -> None:
        """Take it for right that Kiosk has met a fault of its own."""
        assert any(text in line for line in self.faults.lines), self.faults.lines
        self.faults.lines = [line for line in self.faults.lines if text not in line]

    async def link(self, actor: simcord.MemberActor, token: str) -> simcord.InteractionResult:
        """Link an account as a member does: open the form, paste the token."""
        form = await actor.slash(self.channel, "account link")
        return await actor.submit_modal(form, {"token": token})

    async def settle(self, actor: simcord.MemberActor, token: str) -> None:
        """Let someone's account be linked from before: quicker than the form, and says nothing."""
        await self.bot.features.accounts.link(actor.id, SecretStr(token), [])

    async def known(self, player: simcord.MemberActor) -> None:
        """Let Kiosk know which player a linked member is, as after their first comment."""
        link = await self.bot.features.accounts.require(player.id)
        (found,) = await self._game.database.fetch(
            "SELECT id, screen_name FROM players WHERE id ="
            " (SELECT player_id FROM tokens WHERE hash = :hash)",
            hash=hash_token(link.token.get_secret_value()),
        )
        known = Player(id=found["id"], screen_name=found["screen_name"])
        await self.bot.features.accounts.remember_player(link, known)

    async def in_the_app(
        self, token: str, text: str, *, thread: str = EMPTY, below: int | None = None
    ) -> int:
        """Let a player write in the game's app, below a comment if one is given; give the id."""
        body: dict[str, object] = {"content": text}
        body |= {} if below is None else {"comment_id": below}
        answer = await self._ask_game("POST", f"/threads/{thread}/comments", token, body)
        return int(answer["data"]["id"])

    async def change_in_the_app(self, token: str, comment_id: int, text: str) -> None:
        await self._ask_game("PUT", f"/comments/{comment_id}", token, {"content": text})

    async def delete_in_the_app(self, token: str, comment_id: int) -> None:
        await self._ask_game("DELETE", f"/comments/{comment_id}", token)

    @property
    def _game(self) -> Service:
        assert self.game is not None, "this world stands on a rogue game, which tests answer for"
        return self.game

    async def _ask_game(
        self, method: str, path: str, token: str, body: Mapping[str, object] | None = None
    ) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        async with (
            aiohttp.ClientSession(headers=headers, raise_for_status=True) as session,
            session.request(method, f"{self._game.base_url}{path}", json=body) as answer,
        ):
            return await answer.json() if answer.content_length else None

    async def slash(
        self, name: str, actor: simcord.MemberActor | None = None, /, **options: Any
    ) -> simcord.InteractionResult:
        return await (actor or self.member).slash(self.channel, name, **options)

    async def press_through(
        self, command: str, *labels: str, actor: simcord.MemberActor | None = None
    ) -> Any:
        """Press one button after another on a command's card, and give the card."""
        card = answer_of(await self.slash(command, actor))
        for label in labels:
            await (actor or self.member).click(card, label=label)
        return card

    async def manage(self, button: str, **filled: Any) -> Any:
        """Fill in a form of /setup show as a manager does, and give what answers it."""
        card = await self.press_through("setup show", actor=self.moderator)
        form = await self.moderator.click(card, label=button)
        return await fill_in(self.moderator, form, **filled)

    async def watch_words(self, *words: str) -> Any:
        """Add words to those that are watched for, and give the card of rules."""
        card = await self.press_through("moderate rules", actor=self.moderator)
        form = await self.moderator.click(card, label="Change words")
        known = presets(self.moderator, form).get("words", "")
        await fill_in(self.moderator, form, words="\n".join(filter(None, [known, *words])))
        return card

    async def name_demo_places(self) -> None:
        """Let the demo's threads and catalogs have names from before."""
        for kind, names in {PlaceKind.THREAD: THREADS, PlaceKind.CATALOG: CATALOGS}.items():
            for game_id, name in names.items():
                await self.bot.features.directory.add(self.guild.id, kind, int(game_id), name)


def settings_for(folder: Path, base_url: str, like: str | None = None) -> Settings:
    """Settings of a bot that keeps its database in a folder and asks the game at an address."""
    return _settings(address_at(folder / "kiosk.db", like), base_url)


def _settings(database_url: str, base_url: str) -> Settings:
    return Settings.model_validate(
        {
            "game_base_url": base_url,
            "game_token": KIOSK_TOKEN,
            "database_url": database_url,
            "kiosk_keys": KEY,
            # No look at the game comes by itself in the middle of a test.
            "poll_interval": 1e9,
            # Nothing beyond loopback.
        }
    )


@dataclass(frozen=True)
class Past:
    """What a bot that ran before has left: its database, and the commands that Discord has."""

    database_url: str
    commands: Sequence[Any]


@asynccontextmanager
async def open_world(
    folder: Path,
    base_url: str | None = None,
    *,
    demo: str | None = None,
    past: Past | None = None,
    is_first: bool = False,
    game_token: str | None = KIOSK_TOKEN,
    database_url: str | None = None,
    pages: Mapping[str, object] | None = None,
    clock: Clock | None = None,
) -> AsyncGenerator[World]:
    """Open a world on the demo game, or on the game at an address.

    `demo` is the address of one that has been filled already: copying it is quicker. Unless this
    `is_first`, the bot was started once before, or has the `past` that is given.
    Without a `game_token`, Kiosk has no account of its own.
    `pages` are settings of the operator's pages. The bot and the demo game go by the `clock`.
    """
    clock = clock or RunningClock()
    if not is_first:
        past = past or past_of(os.environ.get("DATABASE"))
    async with AsyncExitStack() as stack:
        game = None
        if base_url is None:
            opening = (
                open_game_copy(demo, folder, clock=clock)
                if demo
                else open_demo_game(folder, clock=clock)
            )
            game = await stack.enter_async_context(opening)
            base_url = game.base_url
        settings = settings_for(folder, base_url, past and past.database_url)
        if database_url is not None:
            settings = settings.model_copy(update={"database_url": database_url})
        token = SecretStr(game_token) if game_token else None
        settings = settings.model_copy(update={"game_token": token})
        settings = settings.model_copy(update=pages or {})
        yield await stack.enter_async_context(_populate(settings, game, past, clock))


# More than commands take.
_IDS_BEFORE = 128


@cache
def past_of(engine: str | None, demo: str | None = None, tokens: Sequence[str] = ()) -> Past:
    """Let a bot run for a moment on an engine; what it leaves is the same in every world.

    On a `demo` game its places get names, and with these tokens the member and the friend link
    their accounts.
    """
    address = lasting_address()

    async def run(folder: Path) -> Past:
        async with AsyncExitStack() as stack:
            base_url = "http://127.0.0.1:1"
            if demo is not None:
                base_url = (await stack.enter_async_context(open_game_copy(demo, folder))).base_url
            populated = _populate(_settings(address, base_url), None, None)
            world = await stack.enter_async_context(populated)
            if demo is not None:
                await world.name_demo_places()
            for actor, token in zip((world.member, world.friend), tokens, strict=False):
                await world.settle(actor, token)
            return Past(address, world.commands)

    with TemporaryDirectory() as folder:
        return run_aside(run(Path(folder)))


@asynccontextmanager
async def _populate(
    settings: Settings, game: Service | None, past: Past | None, clock: Clock | None = None
) -> AsyncGenerator[World]:
    commands = past.commands if past else ()
    with no_faults_of_ours() as faults:
        async with AsyncExitStack() as stack:
            running = await stack.enter_async_context(AsyncExitStack())
            bot = await _start(running, settings, clock)
            env = await stack.enter_async_context(simulate(bot, commands=commands))
            # What a test leaves behind later is not taken in hand by the first looks.
            await until_idle(bot)
            # People are who they were, however slow the start was, which moves the clock, and
            # however many ids the commands took before them.
            env.backend.clock.elapsed = 0.0
            while env.backend.snowflake() % _IDS_BEFORE:
                pass
            guild = env.create_guild("Acorn Park Fans")
            manager = guild.create_role("Moderator", permissions=MODERATOR)
            yield World(
                env=env,
                bot=bot,
                settings=settings,
                game=game,
                guild=guild,
                channel=guild.create_text_channel("game-talk"),
                member=guild.add_member(env.create_user("member")),
                friend=guild.add_member(env.create_user("friend")),
                moderator=guild.add_member(env.create_user("moderator"), roles=[manager]),
                clock=clock,
                running=running,
                faults=faults,
            )
            faults = all_faults(env.http_requests)
            faults += [
                f"a form answers the form {interaction.id}"
                for interaction in env.backend.interactions.values()
                if interaction.type == discord.InteractionType.modal_submit.value
                and interaction.modal
            ]
            assert not faults, "\n".join(faults)


async def _start(running: AsyncExitStack, settings: Settings, clock: Clock | None) -> Kiosk:
    # Direct messages don't wait for others'.
    return await running.enter_async_context(
        open_bot(settings, clock=clock or RunningClock(), opening_interval=0)
    )


@contextmanager
def no_faults_of_ours() -> Generator["Faults"]:
    """Fail if Kiosk logs an error inside the block: members get sentences for those too."""
    faults = Faults()
    root = logging.getLogger()
    root.addHandler(faults)
    try:
        yield faults
    finally:
        root.removeHandler(faults)
        # A test that failed before has met a consequence of these.
        assert not faults.lines, "\n".join(faults.lines)


class Faults(logging.Handler):
    """Keeps the lines of the log that say that something is wrong with Kiosk."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # If it has a traceback, what a member was given a reference for is a fault of ours.
        if record.exc_info or not hasattr(record, "reference"):
            self.lines.append(self.format(record))
