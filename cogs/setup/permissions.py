"""What Kiosk may do in a channel, reckoned as Discord does from roles and overwrites."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from discord import Permissions

# As Discord's API gives them.
Raw = Mapping[str, Any]

_ROLE, _MEMBER = 0, 1


def permissions_in(
    channel: Raw, roles: Sequence[Raw], *, own_roles: Set[int], member_id: int, guild_id: int
) -> Permissions:
    """Return what a member with these roles may do in a channel.

    A thread has those of the channel it is in. Source: Discord's documentation, "Permissions".
    """
    held = {guild_id, *own_roles}
    allowed = Permissions(0)
    for role in roles:
        if int(role["id"]) in held:
            allowed |= Permissions(int(role["permissions"]))
    if allowed.administrator:
        return Permissions.all()
    overwrites: Sequence[Raw] = channel.get("permission_overwrites", ())
    by_kind: dict[int, list[Raw]] = {_ROLE: [], _MEMBER: []}
    for overwrite in overwrites:
        by_kind.setdefault(int(overwrite["type"]), []).append(overwrite)
    everyone = [each for each in by_kind[_ROLE] if int(each["id"]) == guild_id]
    of_roles = [each for each in by_kind[_ROLE] if int(each["id"]) in own_roles - {guild_id}]
    of_member = [each for each in by_kind[_MEMBER] if int(each["id"]) == member_id]
    for group in (everyone, of_roles, of_member):
        allowed.value &= ~_all("deny", group)
        allowed.value |= _all("allow", group)
    return allowed


def _all(what: str, overwrites: Sequence[Raw]) -> int:
    value = 0
    for overwrite in overwrites:
        value |= int(overwrite[what])
    return value
