"""What is needed in a channel, and what roles and overwrites come to, as Discord documents it."""

from typing import Any

import pytest
from discord import ChannelType, Permissions

from bot.program.first_settings import PERMISSIONS
from bot.ui.permissions import POSTABLE, MissingPermission, Server, Use, lacking, needed

SERVER, OWN_ROLE, OTHER_ROLE, OWN_ID = 1, 2, 3, 9
SEND, VIEW = Permissions(send_messages=True).value, Permissions(view_channel=True).value
ADMIN = Permissions(administrator=True).value
TEXT, NEWS, FORUM = ChannelType.text, ChannelType.news, ChannelType.forum
THREAD = ChannelType.public_thread

# The kind of the channel, what is to happen there, what is allowed, and what is lacking.
TABLE: list[tuple[ChannelType, Use, str, list[MissingPermission]]] = [
    (TEXT, Use.ANNOUNCE, "view_channel send_messages embed_links", []),
    (TEXT, Use.ANNOUNCE, "view_channel", [MissingPermission.SEND, MissingPermission.EMBED]),
    (TEXT, Use.ANNOUNCE, "administrator", []),
    (TEXT, Use.FOLLOW, "view_channel send_messages embed_links", []),
    (TEXT, Use.LOG, "view_channel send_messages", [MissingPermission.EMBED]),
    (TEXT, Use.PANEL, "send_messages embed_links", [MissingPermission.VIEW]),
    (TEXT, Use.SHARE, "send_messages", []),
    (TEXT, Use.SHARE, "view_channel send_messages_in_threads", [MissingPermission.SEND]),
    (NEWS, Use.ANNOUNCE, "view_channel send_messages", [MissingPermission.EMBED]),
    (FORUM, Use.ANNOUNCE, "view_channel send_messages embed_links", []),
    (FORUM, Use.ANNOUNCE, "view_channel embed_links", [MissingPermission.CREATE_POSTS]),
    (
        FORUM,
        Use.FOLLOW,
        "view_channel send_messages embed_links",
        [MissingPermission.SEND_IN_POSTS],
    ),
    (
        THREAD,
        Use.ANNOUNCE,
        "view_channel send_messages embed_links",
        [MissingPermission.SEND_IN_THREADS],
    ),
    (THREAD, Use.FOLLOW, "view_channel send_messages_in_threads embed_links", []),
    (
        THREAD,
        Use.LOG,
        "view_channel send_messages embed_links",
        [MissingPermission.SEND_IN_THREADS],
    ),
    (THREAD, Use.PANEL, "view_channel send_messages_in_threads", [MissingPermission.EMBED]),
    (THREAD, Use.SHARE, "send_messages", [MissingPermission.SEND_IN_THREADS]),
]


@pytest.mark.parametrize(("kind", "use", "allowed", "lacks"), TABLE)
def test_what_is_lacking_hangs_on_the_channel_and_on_what_is_to_happen_there(
    kind: ChannelType, use: Use, allowed: str, lacks: list[MissingPermission]
) -> None:
    may = Permissions(**dict.fromkeys(allowed.split(), True))

    assert lacking(may, needed(kind.value, [use])) == lacks


@pytest.mark.parametrize("use", Use)
def test_in_a_locked_thread_one_must_manage_threads_whatever_happens_there(use: Use) -> None:
    assert MissingPermission.MANAGE_THREADS in needed(THREAD.value, [use], is_locked=True)
    assert MissingPermission.MANAGE_THREADS not in needed(THREAD.value, [use])


def test_who_adds_kiosk_by_its_link_allows_what_is_always_needed() -> None:
    for kind in POSTABLE:
        assert not lacking(PERMISSIONS, needed(kind.value, Use))


def role(role_id: int, permissions: int) -> dict[str, Any]:
    return {"id": str(role_id), "permissions": str(permissions)}


def overwrite(target: int, kind: int, *, allow: int = 0, deny: int = 0) -> dict[str, Any]:
    return {"id": str(target), "type": kind, "allow": str(allow), "deny": str(deny)}


def reckoned(*overwrites: dict[str, Any], own_permissions: int = 0) -> int:
    roles = [role(SERVER, VIEW), role(OWN_ROLE, own_permissions), role(OTHER_ROLE, ADMIN)]
    server = Server(None, SERVER, OWN_ID, roles, frozenset({OWN_ROLE}))
    channel = {"permission_overwrites": overwrites}
    return server.allowed(channel, server.own_roles, OWN_ID).value


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
