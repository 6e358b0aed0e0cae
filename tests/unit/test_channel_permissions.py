"""What roles and overwrites come to, as Discord documents it."""

from typing import Any

from discord import Permissions

from cogs.setup.check import permissions_in

SERVER, OWN_ROLE, OTHER_ROLE, OWN_ID = 1, 2, 3, 9
SEND, VIEW = Permissions(send_messages=True).value, Permissions(view_channel=True).value
ADMIN = Permissions(administrator=True).value


def role(role_id: int, permissions: int) -> dict[str, Any]:
    return {"id": str(role_id), "permissions": str(permissions)}


def overwrite(target: int, kind: int, *, allow: int = 0, deny: int = 0) -> dict[str, Any]:
    return {"id": str(target), "type": kind, "allow": str(allow), "deny": str(deny)}


def reckoned(*overwrites: dict[str, Any], own_permissions: int = 0) -> int:
    roles = [role(SERVER, VIEW), role(OWN_ROLE, own_permissions), role(OTHER_ROLE, ADMIN)]
    channel = {"permission_overwrites": overwrites}
    return permissions_in(
        channel, roles, own_roles={OWN_ROLE}, member_id=OWN_ID, guild_id=SERVER
    ).value


def test_roles_add_up_and_those_of_others_do_not_count() -> None:
    assert reckoned() == VIEW
    assert reckoned(own_permissions=SEND) == VIEW | SEND


def test_an_administrator_may_do_everything_whatever_a_channel_says() -> None:
    shut = overwrite(SERVER, 0, deny=VIEW)

    assert reckoned(shut, own_permissions=ADMIN) == Permissions.all().value


def test_a_role_outranks_everyone_and_the_member_outranks_its_roles() -> None:
    everyone_shut = overwrite(SERVER, 0, deny=SEND | VIEW)
    role_may = overwrite(OWN_ROLE, 0, allow=VIEW | SEND)
    member_may_not = overwrite(OWN_ID, 1, deny=SEND)

    assert reckoned(everyone_shut) == 0
    assert reckoned(role_may, everyone_shut) == VIEW | SEND
    assert reckoned(member_may_not, role_may, everyone_shut) == VIEW


def test_overwrites_of_others_do_not_count() -> None:
    assert reckoned(overwrite(OTHER_ROLE, 0, deny=VIEW), overwrite(8, 1, deny=VIEW)) == VIEW
