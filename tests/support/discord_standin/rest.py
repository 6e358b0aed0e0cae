"""The HTTP side of the stand-in: what the bot asks of Discord's API."""

import json
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from tests.support.discord_limits.specification import unspecified
from tests.support.discord_standin.channels import Channels
from tests.support.discord_standin.forums import Forums
from tests.support.discord_standin.gateway import STARTS
from tests.support.discord_standin.limits import TooMany
from tests.support.discord_standin.objects import (
    EPHEMERAL,
    LOADING,
    Exchange,
    Message,
    Modal,
    Payload,
)
from tests.support.discord_standin.refusals import (
    ALREADY_ACKNOWLEDGED,
    DEAD_TOKEN,
    UNKNOWN_INTERACTION,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    WRONG_TOKEN,
    Refusal,
)
from tests.support.discord_standin.state import Asked, State

_PREFIX = "/api/v10"
_MESSAGE, _THINK, _LATER, _UPDATE, _CHOICES, _MODAL = 4, 5, 6, 7, 8, 9


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
            "GET /gateway": self.gateway,
            "GET /gateway/bot": self.gateway,
            "GET /applications/{application}/commands": self.list_commands,
            "PUT /applications/{application}/commands": self.replace_commands,
            "GET /guilds/{guild}/members/{member}": self.member,
            "GET /guilds/{guild}/roles": self.roles,
            "PUT /guilds/{guild}/members/{member}/roles/{role}": self.give_role,
            "DELETE /guilds/{guild}/members/{member}/roles/{role}": self.take_role,
            "POST /interactions/{interaction}/{token}/callback": self.call_back,
            "POST /webhooks/{application}/{token}": self.follow_up,
            "GET /webhooks/{application}/{token}/messages/{message}": self.read_answer,
            "PATCH /webhooks/{application}/{token}/messages/{message}": self.edit_answer,
            "DELETE /webhooks/{application}/{token}/messages/{message}": self.delete_answer,
            **Channels(self._state).routes(),
            **Forums(self._state).routes(),
        }
        for route, handler in routes.items():
            method, path = route.split()
            app.router.add_route(method, _PREFIX + path, self._serve(handler))
        app.router.add_route("*", "/{anything:.*}", self._serve(self.not_served))

    def give_role(self, _asked: Asked, request: web.Request) -> None:
        self._change_role(request, self._state.roles_had.add)

    def take_role(self, _asked: Asked, request: web.Request) -> None:
        self._change_role(request, self._state.roles_had.discard)

    def _change_role(self, request: web.Request, change: Callable[[tuple[int, int]], None]) -> None:
        role_id = int(request.match_info["role"])
        refusal = self._state.refusals.get(role_id)
        if refusal is not None and not refusal.is_late:
            raise refusal
        before = len(self._state.roles_had)
        role = int(request.match_info["member"]), role_id
        change(role)
        self._state.role_changes[role] += abs(len(self._state.roles_had) - before)
        if refusal is not None:
            raise refusal

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
            "verify_key": self._state.posting.verify_key,
            "interactions_endpoint_url": self._state.posting.url,
            "flags": 0,
            "owner": self._state.bot_user(),
        }

    def gateway(self, _asked: Asked, _request: web.Request) -> Payload:
        gateway = self._state.gateway
        limit = {
            "total": STARTS,
            "remaining": gateway.starts_left,
            "reset_after": gateway.reset_after,
            "max_concurrency": 1,
        }
        return {
            "url": self._state.gateway_url,
            "shards": gateway.shards,
            "session_start_limit": limit,
        }

    def list_commands(self, _asked: Asked, request: web.Request) -> list[Payload]:
        whole = request.query.get("with_localizations") == "true"
        return self._state.commands.all(with_translations=whole)

    def replace_commands(self, asked: Asked, _request: web.Request) -> list[Payload]:
        return self._state.commands.replace(asked.body["list"])

    def member(self, _asked: Asked, request: web.Request) -> Payload:
        number = int(request.match_info["member"])
        roles = [str(role) for member, role in self._state.roles_had if member == number]
        return {"user": {**self._state.bot_user(), "id": str(number)}, "roles": roles}

    def roles(self, _asked: Asked, request: web.Request) -> list[Payload]:
        """Give the @everyone role, which may do everything."""
        return [{"id": request.match_info["guild"], "permissions": str((1 << 50) - 1)}]

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
        elif kind == _CHOICES:
            exchange.choices = data["choices"]
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

    def not_served(self, asked: Asked, _request: web.Request) -> None:
        self._state.faults.append(f"{asked.method} {asked.path} is not served")
        raise Refusal(404, 0, "404: Not Found")

    def _serve(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def serve(request: web.Request) -> web.Response:
            asked = await _read(request)
            self._state.asked.add(asked)
            sent = asked.body.get("list", asked.body) if request.body_exists else None
            self._state.faults += unspecified(asked.method, asked.path, sent)
            await self._state.gates.pass_by(asked)
            try:
                if handler != self.call_back and not asked.is_webhook:
                    self._let_in(request)
                answer = handler(asked, request)
            except Refusal as refusal:
                if refusal.status in (401, 403):
                    self._state.limits.invalid += 1
                body: Payload = {"code": refusal.code, "message": refusal.message}
                return _json(body, refusal.status, asked.limits)
            except TooMany as too_many:
                self._state.limits.invalid += too_many.scope != "shared"
                return _json(too_many.body, 429, too_many.headers)
            except Exception as error:
                self._state.faults.append(f"{asked.method} {asked.path}: {error!r}")
                raise
            self._state.asked.notify()
            if answer is None:
                return web.Response(status=204, headers=asked.limits)
            return _json(answer, headers=asked.limits)

        return serve

    def _let_in(self, request: web.Request) -> None:
        if self._state.refusal is not None:
            raise self._state.refusal
        if request.headers.get("Authorization") != f"Bot {self._state.token}":
            raise WRONG_TOKEN
        self._state.limits.pass_by()

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
        return self._state.message(int(name))

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


def _json(
    body: Payload | list[Payload], status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    # Not json_response(): discord.py takes a content type with a character set for plain text.
    content = json.dumps(body).encode()
    return web.Response(
        status=status, body=content, content_type="application/json", headers=headers
    )
