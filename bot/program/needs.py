"""What Kiosk can't run without: if something is missing, `run` ends, and `check` says so.

Both find it before they open or ask anything. What only a database or Discord can refuse, both try
in the same way.
"""

import contextlib
import errno
import os
import socket
from collections import abc

from discord.http import Route

from bot.game.game_client import check_base_url
from bot.game.game_errors import BadAddress
from bot.program.proxies import proxy_for
from bot.settings import KEYS_MEND, Settings, SettingsError
from storage.database.sqlite import PREFIX

MONITORING_HOST = "127.0.0.1"
# What is listened at: on all addresses, and on loopback.
_ENDS = (
    ("interactions_port", socket.AF_INET, ""),
    ("interactions_port", socket.AF_INET6, ""),
    ("monitoring_port", socket.AF_INET, MONITORING_HOST),
)
# A kernel without IPv6 says so.
_NO_SUCH_FAMILY = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)

# A setting, with what is wrong with it and how to fix it.
Unmet = tuple[str, str]


def find_unmet(settings: Settings, *, at_start: bool = False) -> abc.Iterator[Unmet]:
    """Yield what is missing, `at_start` without what a process on standby needs only later."""
    later = "INTERACTIONS_PORT" if settings.database_url.startswith(PREFIX) else ""
    for need in NEEDS:
        for name, text in need(settings):
            if not at_start or name != later:
                yield name, text


def _token(settings: Settings) -> abc.Iterator[Unmet]:
    if settings.discord_token is None:
        mend = "Create a bot (“Run it on Discord” in README.md), or try `make play`"
        yield "DISCORD_TOKEN", f"missing. {mend}"


def _keys(settings: Settings) -> abc.Iterator[Unmet]:
    # If there is a file of keys, its own problem is reported.
    if not settings.kiosk_keys and not settings.kiosk_keys_file:
        yield "KIOSK_KEYS", f"missing. {KEYS_MEND}"


def _game(settings: Settings) -> abc.Iterator[Unmet]:
    if settings.game_base_url is not None:
        try:
            check_base_url(settings.game_base_url, plain_http=settings.game_plain_http)
        except BadAddress as error:
            # Without the address, which may hold a password.
            yield "GAME_BASE_URL", str(error)


def _proxies(settings: Settings) -> abc.Iterator[Unmet]:
    try:
        for address in (Route.BASE, settings.game_base_url or ""):
            proxy_for(address)
    except SettingsError as error:
        name, _, text = str(error).partition(": ")
        yield name, text


def _ports(settings: Settings) -> abc.Iterator[Unmet]:
    taken: dict[str, str] = {}
    with contextlib.ExitStack() as stack:
        for name, family, host in _ENDS:
            port = getattr(settings, name)
            try:
                # Not if it isn't set, or if any free port will do.
                if port:
                    stack.enter_context(socket.create_server((host, port), family=family))
            except OSError as error:
                if error.errno not in _NO_SUCH_FAMILY:
                    taken[name.upper()] = say_taken(port, error)
    yield from taken.items()


def say_taken(port: int, error: OSError) -> str:
    return f"can't use port {port}: {os.strerror(error.errno or 0)}. Choose another port"


NEEDS = (_token, _keys, _game, _proxies, _ports)
