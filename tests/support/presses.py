"""Press what a card showed before it changed, as a slow thumb or a second device does."""

from typing import Any, cast

import simcord
from simcord.backend import serializers

_COMPONENT, _BUTTON = 3, 2


async def press_again(
    actor: simcord.MemberActor, channel: simcord.ChannelHandle, card: Any, custom_id: str
) -> simcord.InteractionResult:
    """Press a button of a card that it shows no longer; simcord's own `click` refuses to."""
    backend = cast("Any", actor)._env.backend
    stored = backend.get_message(channel.id, card.id)
    return await cast("Any", actor)._dispatch_interaction(
        _COMPONENT,
        channel,
        {"custom_id": custom_id, "component_type": _BUTTON},
        extra={"message": dict(serializers.message_payload(backend, stored))},
        source_message_id=card.id,
    )
