"""How long orders wait for what."""

from datetime import timedelta

from msgspec import Struct

from bot.domain.orders import COUNTS_FOR


class Timings(Struct, frozen=True):
    """How long to wait for what.

    `lease` is for how long an order belongs to the process that handles it, and `renewal` how
    often that is extended while it does. A request whose answer is missing may still reach the
    game up to `arrival` after it was sent; until then "not owned" proves nothing. Up to `doubt`,
    games were seen to show a purchase late: what was taken for not bought is looked at again at the
    moments of `watch`, and what was bought or can't be said stands in the way of another purchase.
    What can't be seen is looked for until `patience` is over.
    """

    lease: timedelta = timedelta(seconds=8)
    renewal: timedelta = timedelta(seconds=2)
    arrival: timedelta = timedelta(seconds=35)
    doubt: timedelta = COUNTS_FOR
    watch: tuple[timedelta, ...] = (
        timedelta(minutes=1),
        timedelta(minutes=5),
        timedelta(minutes=15),
    )
    shortest_pause: timedelta = timedelta(seconds=10)
    longest_pause: timedelta = timedelta(hours=1)
    patience: timedelta = timedelta(days=1)


STANDARD = Timings()
