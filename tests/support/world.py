"""A small world to act in: the demo game, Kiosk on a simulated Discord, and people."""

import logging
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simcord
from pydantic import SecretStr

from bot.app import open_bot
from bot.domain.names import PlaceKind
from bot.kiosk import Kiosk
from bot.settings import Settings
from game_service.app import Service
from playground.scene import CATALOGS, MODERATOR, THREADS
from playground.simulation import simulate
from tests.support.databases import address_at
from tests.support.discord_limits import faults_in
from tests.support.game import open_demo_game, open_game_copy

# A key of the form `python -m bot keys new` prints; it protects nothing.
KEY = "dGVzdHMgb25seTogdGhpcyBrZXkgc2VhbHMgbm90aGk="
SUBSCRIBER, VISITOR, NEWCOMER = "demo-subscriber", "demo-visitor", "demo-newcomer"


@dataclass
class World:
    """A server with people in it; `member` is linked as nobody until `link` is called."""

    env: simcord.Env
    bot: Kiosk
    settings: Settings
    game: Service | None
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    member: simcord.MemberActor
    friend: simcord.MemberActor
    moderator: simcord.MemberActor

    async def link(self, actor: simcord.MemberActor, token: str) -> simcord.InteractionResult:
        """Link an account as a member does: open the form, paste the token."""
        form = await actor.slash(self.channel, "account link")
        return await actor.submit_modal(form, {"token": token})

    async def settle(self, actor: simcord.MemberActor, token: str) -> None:
        """Let somebody's account be linked from before: quicker than the form, and says nothing."""
        await self.bot.features.accounts.link(actor.id, SecretStr(token), [])

    async def slash(
        self, name: str, actor: simcord.MemberActor | None = None, /, **options: Any
    ) -> simcord.InteractionResult:
        """Use a command in the channel, as the member unless another actor is named."""
        return await (actor or self.member).slash(self.channel, name, **options)

    async def name_demo_places(self) -> None:
        """Let the demo's threads and catalogs have names from before."""
        for kind, names in {PlaceKind.THREAD: THREADS, PlaceKind.CATALOG: CATALOGS}.items():
            for game_id, name in names.items():
                await self.bot.features.directory.add(self.guild.id, kind, int(game_id), name)


def settings_for(folder: Path, base_url: str) -> Settings:
    """Settings of a bot that keeps its database in a folder and asks the game at an address."""
    return Settings.model_validate(
        {
            "game_base_url": base_url,
            "database_url": address_at(folder / "kiosk.db"),
            "kiosk_keys": KEY,
            # Nothing beyond loopback.
            "emojis": False,
        }
    )


@asynccontextmanager
async def open_world(
    folder: Path, base_url: str | None = None, *, demo: str | None = None
) -> AsyncGenerator[World]:
    """Open a world on the demo game, or on the game at an address.

    `demo` is the address of one that has been filled already: copying it is quicker.
    """
    if base_url is None:
        async with (
            open_game_copy(demo, folder) if demo else open_demo_game(folder) as game,
            _populate(settings_for(folder, game.base_url), game) as world,
        ):
            yield world
    else:
        async with _populate(settings_for(folder, base_url), None) as world:
            yield world


@asynccontextmanager
async def _populate(settings: Settings, game: Service | None) -> AsyncGenerator[World]:
    with no_faults_of_ours():
        async with open_bot(settings) as bot, simulate(bot) as env:
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
            )
            refused = faults_in(env.http_requests)
            assert not refused, "\n".join(refused)


@contextmanager
def no_faults_of_ours() -> Generator[None]:
    """Fail if Kiosk logs an error inside the block: members get sentences for those too."""
    faults = _Faults()
    root = logging.getLogger()
    root.addHandler(faults)
    try:
        yield
    finally:
        root.removeHandler(faults)
    assert not faults.lines, "\n".join(faults.lines)


class _Faults(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # What a member was given a reference for is a fault of ours where it has a traceback.
        if record.exc_info or not hasattr(record, "reference"):
            self.lines.append(self.format(record))
