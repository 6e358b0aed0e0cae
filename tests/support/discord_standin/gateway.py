"""The gateway: sessions of bots over WebSocket, with identify, heartbeats and resume."""

import asyncio
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.support.discord_standin.objects import Payload
from tests.support.gates import Happenings

DISPATCH, HEARTBEAT, IDENTIFY, RESUME = 0, 1, 2, 6
INVALID_SESSION, HELLO, HEARTBEAT_ACK = 9, 10, 11
_HEARTBEAT_INTERVAL = 41_250
_BAD_TOKEN, _CLEAN = 4004, 1000
# How often a bot may identify in a day.
STARTS = 1000

Greetings = list[tuple[str, Payload]]
# A shard's number, and of how many.
Shard = tuple[int, int]


@dataclass(eq=False)
class Session:
    """One bot's session; it keeps its events, so that the bot can resume after a cut."""

    id: str = field(default_factory=lambda: secrets.token_hex(16))
    shard: Shard = (0, 1)
    events: list[Payload] = field(default_factory=list[Payload])
    socket: web.WebSocketResponse | None = None

    @property
    def is_connected(self) -> bool:
        return self.socket is not None and not self.socket.closed

    async def dispatch(self, name: str, data: Payload) -> None:
        """Send an event, or keep it until the bot resumes."""
        event = {"op": DISPATCH, "t": name, "s": len(self.events) + 1, "d": data}
        self.events.append(event)
        if self.socket is not None:
            await _send(self.socket, event)


class Gateway:
    """All sessions, oldest first; Discord recommends as many `shards`.

    Frames go out uncompressed: discord.py reads text frames whatever compression it asked for.
    `closes_with` is the code that every bot is sent away with; one that `is_mute` takes
    connections, and never says a word; one that `is_down` takes none.
    """

    def __init__(self, token: str, greet: Callable[[Session, Payload], Greetings]) -> None:
        self.sessions = Happenings[Session]()
        self.shards = 1
        # What it says of how often a bot may identify, the second in milliseconds.
        self.starts_left = STARTS
        self.reset_after = 0
        self.closes_with: int | None = None
        self.is_mute = False
        self.is_down = False
        # How often a bot has come.
        self.visits = Happenings[None]()
        self._token = token
        self._greet = greet

    def connected(self) -> list[Session]:
        return [session for session in self.sessions.past if session.is_connected]

    def listening(self, guild_id: int) -> list[Session]:
        """Give the connected sessions that get a server's events: those of its shard."""
        return [
            each for each in self.connected() if shard_of(guild_id, each.shard[1]) == each.shard
        ]

    async def cut(self) -> None:
        """Cut every connection as a failing network would; the sessions can be resumed."""
        for session in self.connected():
            socket, session.socket = session.socket, None
            assert socket is not None
            await socket.close(code=1006)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Talk with one bot until it goes."""
        self.visits.add(None)
        if self.is_down:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse(autoclose=not self.is_mute)
        await socket.prepare(request)
        if self.is_mute:
            await asyncio.Event().wait()
        await _send(socket, {"op": HELLO, "d": {"heartbeat_interval": _HEARTBEAT_INTERVAL}})
        session: Session | None = None
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            message = json.loads(frame.data)
            if message["op"] == HEARTBEAT:
                await _send(socket, {"op": HEARTBEAT_ACK})
            elif message["op"] == IDENTIFY:
                session = await self._identify(socket, message["d"])
            elif message["op"] == RESUME:
                session = await self._resume(socket, message["d"])
        self._part(session, socket)
        return socket

    async def _identify(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        if self.closes_with is not None:
            await socket.close(code=self.closes_with)
            return None
        if data["token"] != self._token:
            await socket.close(code=_BAD_TOKEN)
            return None
        number, count = data.get("shard") or (0, 1)
        session = Session(socket=socket, shard=(number, count))
        for name, event in self._greet(session, data):
            await session.dispatch(name, event)
        self.sessions.add(session)
        return session

    async def _resume(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        session = next((s for s in self.sessions.past if s.id == data["session_id"]), None)
        if session is None:
            await _send(socket, {"op": INVALID_SESSION, "d": False})
            return None
        told = int(data["seq"])
        # Not a slice: more may happen while the past is being told.
        while told < len(session.events):
            await _send(socket, session.events[told])
            told += 1
        session.socket = socket
        await session.dispatch("RESUMED", {})
        self.sessions.notify()
        return session

    def _part(self, session: Session | None, socket: web.WebSocketResponse) -> None:
        if session is not None and session.socket is socket:
            session.socket = None
            if socket.close_code == _CLEAN:
                # A bot that says goodbye gives its session up.
                session.id = ""
            self.sessions.notify()


def shard_of(guild_id: int, count: int) -> Shard:
    """Give the shard that gets a server's events."""
    return (guild_id >> 22) % count, count


async def _send(socket: web.WebSocketResponse, message: Payload) -> None:
    # A bot that has just died hears nothing; its session keeps the event.
    with suppress(ConnectionResetError):
        await socket.send_str(json.dumps(message))
