"""Fill a form in as Discord shows it: what it presets is sent, unless it is changed."""

from typing import Any, cast

import simcord
from simcord.components import walk_components


async def fill_in(
    actor: simcord.MemberActor, form: simcord.InteractionResult, **changes: Any
) -> simcord.InteractionResult:
    """Send a form as it is, except what `changes` name. None leaves a field empty."""
    values = {**presets(actor, form), **changes}
    return await actor.submit_modal(
        form, {name: value for name, value in values.items() if value is not None}
    )


def presets(actor: simcord.MemberActor, form: simcord.InteractionResult) -> dict[str, Any]:
    assert form.modal is not None, "no form was opened"
    found: dict[str, Any] = {}
    for label in cast("list[dict[str, Any]]", form.modal["components"]):
        for field in walk_components([label.get("component") or {}]):
            value = _preset(actor, field)
            if value is not None:
                found[field["custom_id"]] = value
    return found


def _preset(actor: simcord.MemberActor, field: dict[str, Any]) -> Any:
    chosen = [each["value"] for each in field.get("options") or () if each.get("default")]
    ids = [int(each["id"]) for each in field.get("default_values") or ()]
    match field.get("type"):
        case 3 | 22:
            return chosen or None
        case 21:
            return chosen[0] if chosen else None
        case 4:
            return field.get("value") or None
        case 8:
            return [
                channel for channel in actor.guild.channels.values() if channel.id in ids
            ] or None
        case 6:
            return [role for role in actor.guild.roles.values() if role.id in ids] or None
        case _:
            return None
