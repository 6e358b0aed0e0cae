"""Session starts: how often Discord still lets the bot connect, and how long Kiosk waits for it."""

import datetime as dt

import discord

# Kiosk waits while less than this part of what Discord allows is left.
_PLENTY = 0.5
_MILLISECONDS = 1000


def find_wait(shards: int, limits: discord.SessionStartLimits) -> tuple[float, str]:
    """Return how many seconds to wait before connecting, and why, or 0 and "".

    A process that waits this long before each start never uses up what is left: Discord counts the
    starts of all processes, and resets the token of a bot that has none left.
    """
    left = limits.remaining
    if left >= limits.total * _PLENTY:
        return 0.0, ""
    until_reset = limits.reset_after / _MILLISECONDS
    # By then, Discord allows all of them again.
    seconds = until_reset * min(shards / left, 1) if left else until_reset
    hours = dt.timedelta(seconds=round(until_reset))
    said = f"Discord lets the bot connect {left} of {limits.total} times in the next {hours}"
    return seconds, said
