"""What Discord says of what Kiosk may do."""

from typing import Any

from tests.support.world import World


def let_discord_say(world: World, allowed: int, **of_thread: bool) -> None:
    """Let interactions tell what Kiosk may do in the channels they name, as Discord does."""

    def say(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            resolved = payload["data"].get("resolved", {})
            for channel in resolved.get("channels", {}).values():
                channel["app_permissions"] = str(allowed)
                channel.get("thread_metadata", {}).update(of_thread)

    world.env.backend.subscribers.insert(0, say)
