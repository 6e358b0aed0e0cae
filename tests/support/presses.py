"""Press what a card showed before it changed, as a slow thumb or a second device does."""

from collections.abc import Mapping
from typing import Any, cast

import simcord
from simcord.backend import serializers

_COMPONENT, _SUBMIT = 3, 5
_BUTTON, _SELECT, _TEXT_INPUT, _LABEL = 2, 3, 4, 18


async def press_again(
    actor: simcord.MemberActor, channel: simcord.ChannelHandle, card: Any, custom_id: str
) -> simcord.InteractionResult:
    """Press a button of a card that it shows no longer; simcord's own `click` refuses to."""
    return await _press(actor, channel, card, {"custom_id": custom_id, "component_type": _BUTTON})


async def fill_in_again(
    actor: simcord.MemberActor, form: simcord.InteractionResult, texts: dict[str, str]
) -> simcord.InteractionResult:
    """Send a form that stayed open, as it does where Discord heard no answer to it."""
    cast("Any", form)._interaction.modal_consumed = False
    return await actor.submit_modal(form, texts)


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
    actor: simcord.MemberActor,
    channel: simcord.ChannelHandle,
    card: Any,
    data: dict[str, Any],
    kind: int = _COMPONENT,
) -> simcord.InteractionResult:
    backend = cast("Any", actor)._env.backend
    stored = backend.get_message(channel.id, card.id)
    return await cast("Any", actor)._dispatch_interaction(
        kind,
        channel,
        data,
        extra={"message": dict(serializers.message_payload(backend, stored))},
        source_message_id=card.id,
    )


async def submit_forged(
    actor: simcord.MemberActor,
    channel: simcord.ChannelHandle,
    card: Any,
    custom_id: str,
    fields: Mapping[str, str],
) -> simcord.InteractionResult:
    """Submit a form that was opened from a card by an older version."""
    components = [
        {"type": _LABEL, "component": {"type": _TEXT_INPUT, "custom_id": name, "value": text}}
        for name, text in fields.items()
    ]
    data = {"custom_id": custom_id, "components": components}
    return await _press(actor, channel, card, data, _SUBMIT)
