"""Forum channels and their posts, publishing, and servers as they are asked for by their ids."""

from aiohttp import web

from tests.support.discord_standin.channels import Handler
from tests.support.discord_standin.objects import Message, Payload
from tests.support.discord_standin.refusals import UNKNOWN_CHANNEL, UNKNOWN_MESSAGE
from tests.support.discord_standin.state import Asked, State


class Forums:
    """Serves what a bot does with posts."""

    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> dict[str, Handler]:
        return {
            "POST /channels/{channel}/threads": self.create_post,
            "PATCH /channels/{channel}": self.edit_post,
            "GET /guilds/{guild}": self.guild,
            "POST /channels/{channel}/messages/{message}/crosspost": self.publish,
        }

    def create_post(self, asked: Asked, request: web.Request) -> Payload:
        channel_id = int(request.match_info["channel"])
        if channel_id not in self._state.forums:
            raise UNKNOWN_CHANNEL
        message = Message(0, self._state.bot_user(), asked.body["message"])
        # A post has the id of its first message.
        message.channel_id = message.id
        self._state.add_message(message)
        self._state.channels.add(message.id)
        post: Payload = {
            "id": str(message.id),
            "parent_id": str(channel_id),
            "owner_id": self._state.bot_user()["id"],
            "guild_id": str(self._state.guild_id),
            "name": asked.body["name"],
            "applied_tags": asked.body["applied_tags"],
            "type": 11,
        }
        self._state.posts.append(post)
        return post

    def edit_post(self, asked: Asked, request: web.Request) -> Payload:
        post_id = request.match_info["channel"]
        post = next((each for each in self._state.posts if each["id"] == post_id), None)
        if post is None:
            raise UNKNOWN_CHANNEL
        post.update(asked.body)
        return post

    def guild(self, _asked: Asked, _request: web.Request) -> Payload:
        return {**self._state.listed_guild(self._state.guild_id), "system_channel_id": None}

    def publish(self, _asked: Asked, request: web.Request) -> Payload:
        message = self._state.message(int(request.match_info["message"]))
        if message.channel_id != int(request.match_info["channel"]):
            raise UNKNOWN_MESSAGE
        self._state.published.append(message.id)
        return message.as_payload()
