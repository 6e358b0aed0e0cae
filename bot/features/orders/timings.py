"""How long orders wait for what."""

from datetime import timedelta

from msgspec import Struct


class Timings(Struct, frozen=True):
    """How long to wait for what.

    `lease` is for how long an order belongs to the process that handles it, and `renewal` how
    often that is extended while it does. A request whose answer is missing may still reach the
    game up to `arrival` after it was sent; until then "not owned" proves nothing. Up to `doubt`,
    games were seen to show a purchase late. What was taken for not bought is looked at again at
    the moments of `watch` after it was sent, and told if it was bought after all. What can't be
    seen is looked for until `patience` is over. Where the game says for `dispute` that something
    is not owned that was bought here, the member is told.
    """

    lease: timedelta = timedelta(seconds=8)
    renewal: timedelta = timedelta(seconds=2)
    arrival: timedelta = timedelta(seconds=35)
    doubt: timedelta = timedelta(minutes=15)
    watch: tuple[timedelta, ...] = (
        timedelta(minutes=1),
        timedelta(minutes=5),
        timedelta(minutes=15),
        timedelta(hours=1),
        timedelta(days=1),
    )
    shortest_pause: timedelta = timedelta(seconds=10)
    longest_pause: timedelta = timedelta(hours=1)
    patience: timedelta = timedelta(days=1)
    dispute: timedelta = timedelta(days=1)


STANDARD = Timings()
