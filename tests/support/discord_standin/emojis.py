"""The emojis of the application."""

from aiohttp import web

from tests.support.discord_standin.channels import Handler
from tests.support.discord_standin.objects import Payload, new_id
from tests.support.discord_standin.state import Asked, State


class ApplicationEmojis:
    """Serves the list, and what adds to it or takes from it."""

    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> dict[str, Handler]:
        path = "/applications/{application}/emojis"
        return {
            f"GET {path}": self.all,
            f"POST {path}": self.create,
            f"DELETE {path}/{{emoji}}": self.delete,
        }

    def all(self, _asked: Asked, _request: web.Request) -> Payload:
        return {"items": [{"id": str(each), "name": n} for n, each in self._state.emojis.items()]}

    def create(self, asked: Asked, _request: web.Request) -> Payload:
        assert str(asked.body["image"]).startswith("data:image/png;base64,")
        self._state.emojis[asked.body["name"]] = new_id()
        return {"id": str(self._state.emojis[asked.body["name"]]), "name": asked.body["name"]}

    def delete(self, _asked: Asked, request: web.Request) -> None:
        gone = int(request.match_info["emoji"])
        self._state.emojis = {n: each for n, each in self._state.emojis.items() if each != gone}
