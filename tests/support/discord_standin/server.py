"""The stand-in as tests use it: people who type commands, press buttons and fill in forms."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from tests.support.discord_standin.gateway import Session, Shard, shard_of
from tests.support.discord_standin.objects import Exchange, Member, Message, Modal, Payload
from tests.support.discord_standin.rest import Rest
from tests.support.discord_standin.state import State

_COMMAND, _COMPONENT, _AUTOCOMPLETE, _FORM = 2, 3, 4, 5
_BUTTON, _LABEL, _TEXT_INPUT = 2, 18, 4
_MAX_ATTACHMENT = 10 << 20


class NobodyListens(Exception):
    """An interaction was started while no bot was connected."""


class Discord:
    """What tests do and see. `state` is what the stand-in remembers.

    A deed reaches every bot that gets its server's events, as on the real one, or those named in
    `to`. If an address is entered, it is posted there instead, and its answer is in `status`.
    """

    def __init__(self, state: State) -> None:
        self.state = state

    def add_server(self, shard: Shard) -> int:
        """Add the bot to a server whose events a shard gets. Gives the server's id."""
        guild_id = self.state.guild_id
        while guild_id in self.state.guilds or shard_of(guild_id, shard[1]) != shard:
            # The next millisecond's ids are the next shard's.
            guild_id += 1 << 22
        self.state.guilds.append(guild_id)
        return guild_id

    def add_member(self, name: str, *, takes_direct_messages: bool = True) -> Member:
        member = Member(name, takes_direct_messages)
        self.state.members[member.id] = member
        return member

    async def slash(
        self,
        member: Member,
        name: str,
        /,
        *,
        to: Sequence[Session] | None = None,
        server: int | None = None,
        **options: object,
    ) -> Exchange:
        """Use a command: `slash(ada, "shop buy", item="7")`, in one of the bot's servers."""
        data = self.state.commands.use(name, options)
        return await self._interact(member, _COMMAND, data, to=to, server=server)

    async def suggest(
        self, member: Member, name: str, /, option: str, typed: str, **options: object
    ) -> Exchange:
        """Type something for an option, which entries are asked for."""
        data = self.state.commands.use(name, {**options, option: typed}, focused=option)
        return await self._interact(member, _AUTOCOMPLETE, data)

    async def use_on(self, member: Member, message: Message, name: str) -> Exchange:
        """Use a command of a message's menu."""
        return await self._interact(member, _COMMAND, self.state.commands.use_on(name, message))

    async def choose(self, member: Member, message: Message, label: str) -> Exchange:
        """Choose the entry of a list."""
        part, value = message.choosable(label)
        data: Payload = {
            "custom_id": part["custom_id"],
            "component_type": part["type"],
            "id": part.get("id", 0),
            "values": [value],
        }
        return await self._interact(member, _COMPONENT, data, source=message)

    async def press(
        self, member: Member, message: Message, label: str, *, to: Sequence[Session] | None = None
    ) -> Exchange:
        button = message.pressable(label)
        data: Payload = {
            "custom_id": button["custom_id"],
            "component_type": _BUTTON,
            "id": button.get("id", 0),
        }
        return await self._interact(member, _COMPONENT, data, source=message, to=to)

    async def press_again(
        self, exchange: Exchange, *, to: Sequence[Session] | None = None
    ) -> Exchange:
        data = exchange.payload["data"]
        return await self._interact(
            exchange.member, _COMPONENT, data, source=exchange.source, to=to
        )

    async def submit(
        self,
        member: Member,
        modal: Modal,
        texts: Mapping[str, str],
        *,
        to: Sequence[Session] | None = None,
    ) -> Exchange:
        fields: list[Payload] = [
            {
                "type": _LABEL,
                "id": number,
                "component": {"type": _TEXT_INPUT, "id": number, "custom_id": name, "value": text},
            }
            for number, (name, text) in enumerate(texts.items(), start=1)
        ]
        data: Payload = {"custom_id": modal.custom_id, "components": fields}
        return await self._interact(member, _FORM, data, to=to)

    def direct_messages(self, member: Member) -> list[Message]:
        """Give what the bot has sent to a member directly, oldest first."""
        return [
            message
            for message in self.state.messages
            if self.state.recipients.get(message.channel_id) is member
        ]

    async def _interact(
        self,
        member: Member,
        kind: int,
        data: Payload,
        *,
        source: Message | None = None,
        to: Sequence[Session] | None = None,
        server: int | None = None,
    ) -> Exchange:
        server = self._server(source) if server is None else server
        exchange = Exchange(member, {}, source)
        exchange.payload = self._payload(exchange, kind, data, server)
        self.state.exchanges[exchange.token] = exchange
        if self.state.posting.url:
            exchange.status = await self.state.posting.post(exchange.payload)
            return exchange
        listeners = self.state.gateway.listening(server) if to is None else to
        if not listeners:
            raise NobodyListens
        for session in listeners:
            await session.dispatch("INTERACTION_CREATE", exchange.payload)
        return exchange

    def _server(self, source: Message | None) -> int:
        """Give the server in which a message was shown, else the first."""
        for exchange in self.state.exchanges.values():
            if source in (exchange.original, *exchange.followups) and source is not None:
                return int(exchange.payload["guild_id"])
        return self.state.guild_id

    def _payload(self, exchange: Exchange, kind: int, data: Payload, server: int) -> Payload:
        state = self.state
        payload: Payload = {
            "id": str(exchange.id),
            "application_id": str(state.application_id),
            "type": kind,
            "data": data,
            "guild_id": str(server),
            "guild": {"id": str(server), "locale": "en-US", "features": []},
            "channel": {**state.channel(state.channel_id), "guild_id": str(server)},
            "channel_id": str(state.channel_id),
            "member": exchange.member.as_member(),
            "token": exchange.token,
            "version": 1,
            "app_permissions": str((1 << 50) - 1),
            "locale": "en-US",
            "guild_locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(server)},
            "context": 0,
            "attachment_size_limit": _MAX_ATTACHMENT,
        }
        if exchange.source is not None:
            payload["message"] = exchange.source.as_payload()
        return payload


@asynccontextmanager
async def open_discord() -> AsyncGenerator[Discord]:
    """Serve a Discord on a free port of loopback until the block ends.

    Raises AssertionError at the end if the bot asked for what the stand-in does not serve.
    """
    state = State()
    app = web.Application()
    app.router.add_get("/gateway/", state.gateway.serve)
    Rest(state).add_routes(app)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        state.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield Discord(state)
    finally:
        await state.posting.close()
        await state.gateway.cut()
        await runner.cleanup()
    assert not state.faults, state.faults
