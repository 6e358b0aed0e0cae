"""Telling a server, once, that something can't be posted any more."""

from datetime import datetime

from bot.domain.announcing import NewFollow, NewSubscription
from bot.domain.outbox import Owed, Priority

PAUSED_KIND = "paused"


def code_of(reason: str) -> int:
    """Return Discord's code at the start of a refusal's reason, 0 where there is none."""
    code = reason.partition(" ")[0]
    return int(code) if code.isdecimal() else 0


def pause_notice(one: NewSubscription | NewFollow, number: int, code: int, now: datetime) -> Owed:
    """Return what is owed to the server of what was paused, which has this number."""
    what = "follow" if isinstance(one, NewFollow) else "announcement"
    return Owed(
        PAUSED_KIND,
        f"{PAUSED_KIND}:{what}:{number}:{now.timestamp():.0f}",
        Priority.ANNOUNCEMENT,
        payload={
            "what": what,
            "guild": one.guild_id,
            "channel": one.channel_id,
            "locale": one.locale,
            "code": code,
        },
    )
