"""The HTTP side of the stand-in: what the bot asks of Discord's API.

Refusal             Discord's own way to say no: a status and a numbered reason
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from tests.support.discord_standin.objects import (
    EPHEMERAL,
    LOADING,
    Exchange,
    Message,
    Modal,
    Payload,
)
from tests.support.discord_standin.state import Asked, State

_PREFIX = "/api/v10"
_MESSAGE, _THINK, _LATER, _UPDATE, _MODAL = 4, 5, 6, 7, 9


@dataclass(eq=False)
class Refusal(Exception):
    """What the bot asked for can't be done; `code` is Discord's number for the reason."""

    status: int
    code: int
    message: str


UNKNOWN_WEBHOOK = Refusal(404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION = Refusal(404, 10062, "Unknown interaction")
UNKNOWN_MESSAGE = Refusal(404, 10008, "Unknown Message")
UNKNOWN_CHANNEL = Refusal(404, 10003, "Unknown Channel")
UNKNOWN_USER = Refusal(404, 10013, "Unknown User")
ALREADY_ACKNOWLEDGED = Refusal(400, 40060, "Interaction has already been acknowledged.")
DIRECT_MESSAGES_CLOSED = Refusal(403, 50007, "Cannot send messages to this user")
DEAD_TOKEN = Refusal(401, 50027, "Invalid Webhook Token")
WRONG_TOKEN = Refusal(401, 0, "401: Unauthorized")

Handler = Callable[[Asked, web.Request], Payload | list[Payload] | None]


class Rest:
    """Serves the routes; each handler gives what Discord would answer, or raises Refusal."""

    def __init__(self, state: State) -> None:
        self._state = state

    def add_routes(self, app: web.Application) -> None:
        """Serve below /api/v10; any other address is a fault of the stand-in, and noted."""
        routes: dict[str, Handler] = {
            "GET /users/@me": self.me,
            "GET /users/@me/guilds": self.guilds,
            "GET /oauth2/applications/@me": self.application,
            "GET /applications/@me": self.application,
            "GET /gateway/bot": self.gateway,
            "GET /applications/{application}/commands": self.list_commands,
            "PUT /applications/{application}/commands": self.replace_commands,
            "POST /interactions/{interaction}/{token}/callback": self.call_back,
            "POST /webhooks/{application}/{token}": self.follow_up,
            "GET /webhooks/{application}/{token}/messages/{message}": self.read_answer,
            "PATCH /webhooks/{application}/{token}/messages/{message}": self.edit_answer,
            "DELETE /webhooks/{application}/{token}/messages/{message}": self.delete_answer,
            "POST /users/@me/channels": self.open_direct_messages,
            "POST /channels/{channel}/messages": self.send_message,
            "PATCH /channels/{channel}/messages/{message}": self.edit_message,
        }
        for route, handler in routes.items():
            method, path = route.split()
            app.router.add_route(method, _PREFIX + path, self._serve(handler))
        app.router.add_route("*", "/{anything:.*}", self._serve(self.not_served))

    def me(self, _asked: Asked, _request: web.Request) -> Payload:
        return self._state.bot_user()

    def guilds(self, _asked: Asked, request: web.Request) -> list[Payload]:
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 200))
        later = [guild for guild in sorted(self._state.guilds) if guild > after]
        return [self._state.listed_guild(guild) for guild in later[:limit]]

    def application(self, _asked: Asked, _request: web.Request) -> Payload:
        return {
            "id": str(self._state.application_id),
            "name": "Kiosk",
            "icon": None,
            "description": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "",
            "flags": 0,
            "owner": self._state.bot_user(),
        }

    def gateway(self, _asked: Asked, _request: web.Request) -> Payload:
        limits = self._state.gateway.limits
        names = ("total", "remaining", "reset_after", "max_concurrency")
        return {
            "url": self._state.gateway_url,
            "shards": limits.shards,
            "session_start_limit": {name: getattr(limits, name) for name in names},
        }

    def list_commands(self, _asked: Asked, _request: web.Request) -> list[Payload]:
        return self._state.commands.all()

    def replace_commands(self, asked: Asked, _request: web.Request) -> list[Payload]:
        return self._state.commands.replace(asked.body["list"])

    def call_back(self, asked: Asked, request: web.Request) -> Payload:
        exchange = self._state.exchanges.get(request.match_info["token"])
        if exchange is None or exchange.is_dead:
            raise UNKNOWN_INTERACTION
        if exchange.is_acknowledged:
            raise ALREADY_ACKNOWLEDGED
        exchange.is_acknowledged = True
        kind = int(asked.body["type"])
        data: Payload = asked.body.get("data") or {}
        if kind in (_MESSAGE, _THINK):
            flags = int(data.get("flags") or 0) | (LOADING if kind == _THINK else 0)
            exchange.original = self._new_message(self._state.channel_id, {**data, "flags": flags})
        elif kind == _MODAL:
            exchange.opened = Modal(data)
        elif kind in (_LATER, _UPDATE):
            exchange.original = exchange.source
            if kind == _UPDATE and exchange.source is not None:
                exchange.source.edit(data)
        exchange.changes.notify()
        return self._callback_response(exchange, kind)

    def follow_up(self, asked: Asked, request: web.Request) -> Payload:
        exchange = self._answered(request)
        original = exchange.original
        if original is not None and original.is_loading:
            # As on the real one: the first follow-up takes the place of "thinking".
            original.edit({**asked.body, "flags": original.body["flags"]})
            message = original
        else:
            message = self._new_message(self._state.channel_id, asked.body)
            exchange.followups.append(message)
        exchange.changes.notify()
        return message.as_payload()

    def read_answer(self, _asked: Asked, request: web.Request) -> Payload:
        return self._shown(request).as_payload()

    def edit_answer(self, asked: Asked, request: web.Request) -> Payload:
        message = self._shown(request)
        message.edit(asked.body)
        self._answered(request).changes.notify()
        return message.as_payload()

    def delete_answer(self, _asked: Asked, request: web.Request) -> None:
        exchange, message = self._answered(request), self._shown(request)
        if message is exchange.original:
            exchange.original = None
        else:
            exchange.followups.remove(message)
        self._state.messages.remove(message)
        exchange.changes.notify()

    def open_direct_messages(self, asked: Asked, _request: web.Request) -> Payload:
        member = self._state.members.get(int(asked.body["recipient_id"]))
        if member is None:
            raise UNKNOWN_USER
        return self._state.channel(self._state.direct_channel(member))

    def send_message(self, asked: Asked, request: web.Request) -> Payload:
        channel_id = int(self._channel(request)["id"])
        recipient = self._state.recipients.get(channel_id)
        if recipient is not None and not recipient.takes_direct_messages:
            raise DIRECT_MESSAGES_CLOSED
        nonce = asked.body.get("nonce")
        if asked.body.get("enforce_nonce") and nonce is not None:
            for message in self._state.messages:
                if message.channel_id == channel_id and message.body.get("nonce") == nonce:
                    return message.as_payload()
        return self._new_message(channel_id, asked.body).as_payload()

    def edit_message(self, asked: Asked, request: web.Request) -> Payload:
        channel_id = int(self._channel(request)["id"])
        message = self._message(int(request.match_info["message"]))
        if message.channel_id != channel_id or message.is_private:
            raise UNKNOWN_MESSAGE
        message.edit(asked.body)
        return message.as_payload()

    def not_served(self, asked: Asked, _request: web.Request) -> None:
        self._state.faults.append(f"{asked.method} {asked.path} is not served")
        raise Refusal(404, 0, "404: Not Found")

    def _serve(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def serve(request: web.Request) -> web.Response:
            asked = await _read(request)
            self._state.asked.add(asked)
            try:
                if handler != self.call_back and not asked.is_webhook:
                    self._check_token(request)
                answer = handler(asked, request)
            except Refusal as refusal:
                return _json({"code": refusal.code, "message": refusal.message}, refusal.status)
            except Exception as error:
                self._state.faults.append(f"{asked.method} {asked.path}: {error!r}")
                raise
            self._state.asked.notify()
            return web.Response(status=204) if answer is None else _json(answer)

        return serve

    def _check_token(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bot {self._state.token}":
            raise WRONG_TOKEN

    def _answered(self, request: web.Request) -> Exchange:
        exchange = self._state.exchanges.get(request.match_info["token"])
        if exchange is None or not exchange.is_acknowledged:
            raise UNKNOWN_WEBHOOK
        if exchange.is_dead:
            raise DEAD_TOKEN
        return exchange

    def _shown(self, request: web.Request) -> Message:
        exchange, name = self._answered(request), request.match_info["message"]
        if name == "@original":
            if exchange.original is None:
                raise UNKNOWN_MESSAGE
            return exchange.original
        return self._message(int(name))

    def _message(self, message_id: int) -> Message:
        for message in self._state.messages:
            if message.id == message_id:
                return message
        raise UNKNOWN_MESSAGE

    def _channel(self, request: web.Request) -> Payload:
        try:
            return self._state.channel(int(request.match_info["channel"]))
        except KeyError:
            raise UNKNOWN_CHANNEL from None

    def _new_message(self, channel_id: int, body: Payload) -> Message:
        message = Message(channel_id, self._state.bot_user(), body)
        self._state.messages.append(message)
        return message

    def _callback_response(self, exchange: Exchange, kind: int) -> Payload:
        told: Payload = {"id": str(exchange.id), "type": exchange.payload["type"]}
        response: Payload = {"interaction": told}
        if exchange.original is not None:
            told["response_message_id"] = str(exchange.original.id)
            told["response_message_loading"] = exchange.original.is_loading
            told["response_message_ephemeral"] = bool(
                int(exchange.original.body.get("flags") or 0) & EPHEMERAL
            )
            response["resource"] = {"type": kind, "message": exchange.original.as_payload()}
        return response


async def _read(request: web.Request) -> Asked:
    body = json.loads(await request.read() or b"{}")
    path = request.path.removeprefix(_PREFIX)
    return Asked(request.method, path, {"list": body} if isinstance(body, list) else body)


def _json(body: Payload | list[Payload], status: int = 200) -> web.Response:
    # Not json_response(): discord.py takes a content type with a character set for plain text.
    content = json.dumps(body).encode()
    return web.Response(status=status, body=content, content_type="application/json")
