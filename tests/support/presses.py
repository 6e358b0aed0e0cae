"""Press what a card showed before it changed, as a slow thumb or a second device does."""

from typing import Any, cast

import simcord
from simcord.backend import serializers

_COMPONENT, _BUTTON, _SELECT = 3, 2, 3


async def press_again(
    actor: simcord.MemberActor, channel: simcord.ChannelHandle, card: Any, custom_id: str
) -> simcord.InteractionResult:
    """Press a button of a card that it shows no longer; simcord's own `click` refuses to."""
    return await _press(actor, channel, card, {"custom_id": custom_id, "component_type": _BUTTON})


async def choose_forged(
    actor: simcord.MemberActor,
    channel: simcord.ChannelHandle,
    card: Any,
    custom_id: str,
    value: str,
) -> simcord.InteractionResult:
    """Choose an entry that a list doesn't have."""
    data = {"custom_id": custom_id, "component_type": _SELECT, "values": [value]}
    return await _press(actor, channel, card, data)


async def _press(
    actor: simcord.MemberActor, channel: simcord.ChannelHandle, card: Any, data: dict[str, Any]
) -> simcord.InteractionResult:
    backend = cast("Any", actor)._env.backend
    stored = backend.get_message(channel.id, card.id)
    return await cast("Any", actor)._dispatch_interaction(
        _COMPONENT,
        channel,
        data,
        extra={"message": dict(serializers.message_payload(backend, stored))},
        source_message_id=card.id,
    )
