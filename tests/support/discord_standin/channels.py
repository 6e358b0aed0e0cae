"""The messages of channels: posted, edited, deleted, and known again by their nonces."""

from collections.abc import Callable

from aiohttp import web

from tests.support.discord_standin.objects import Message, Payload
from tests.support.discord_standin.refusals import (
    DIRECT_MESSAGES_CLOSED,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    UNKNOWN_USER,
)
from tests.support.discord_standin.state import Asked, State

# In milliseconds.
_AN_HOUR = 3_600_000.0

Handler = Callable[[Asked, web.Request], Payload | list[Payload] | None]


class Channels:
    """Serves what a bot does in channels outside of interactions."""

    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> dict[str, Handler]:
        return {
            "POST /users/@me/channels": self.open_direct_messages,
            "POST /channels/{channel}/messages": self.send_message,
            "PATCH /channels/{channel}/messages/{message}": self.edit_message,
            "DELETE /channels/{channel}/messages/{message}": self.delete_message,
        }

    def open_direct_messages(self, asked: Asked, _request: web.Request) -> Payload:
        member = self._state.members.get(int(asked.body["recipient_id"]))
        if member is None:
            raise UNKNOWN_USER
        if refusal := self._state.refusals.get(member.id):
            raise refusal
        return self._state.channel(self._state.direct_channel(member))

    def send_message(self, asked: Asked, request: web.Request) -> Payload:
        channel_id = self._channel_id(request)
        asked.limits.update(self._state.limits.post(channel_id))
        recipient = self._state.recipients.get(channel_id)
        if recipient is not None and not recipient.takes_direct_messages:
            raise DIRECT_MESSAGES_CLOSED
        refusal = self._state.refusals.get(channel_id)
        if refusal is not None and not refusal.is_late:
            raise refusal
        known = self._known(asked)
        message = known or Message(channel_id, self._state.bot_user(), asked.body)
        if known is None:
            self._state.add_message(message)
        if refusal is not None:
            raise refusal
        return message.as_payload()

    def edit_message(self, asked: Asked, request: web.Request) -> Payload:
        message = self._message(request)
        self._state.limits.edit(message.channel_id)
        refusal = self._state.refusals.get(message.channel_id)
        if refusal is not None:
            raise refusal
        message.edit(asked.body)
        return message.as_payload()

    def delete_message(self, _asked: Asked, request: web.Request) -> None:
        self._state.messages.remove(self._message(request))

    def _known(self, asked: Asked) -> Message | None:
        """Give the message of a nonce that is enforced, if there was one of late."""
        nonce = asked.body.get("nonce")
        if nonce is None or not asked.body.get("enforce_nonce"):
            return None
        now = self._state.limits.now()
        known, since = self._state.nonces.get(str(nonce), (None, now))
        if known is None or now - since > self._state.nonces_hold:
            return None
        if known not in self._state.messages:
            raise UNKNOWN_MESSAGE
        return known

    def _channel_id(self, request: web.Request) -> int:
        try:
            return int(self._state.channel(int(request.match_info["channel"]))["id"])
        except KeyError:
            raise UNKNOWN_CHANNEL from None

    def _message(self, request: web.Request) -> Message:
        message = self._state.message(int(request.match_info["message"]))
        if message.channel_id != self._channel_id(request) or message.is_private:
            raise UNKNOWN_MESSAGE
        return message
