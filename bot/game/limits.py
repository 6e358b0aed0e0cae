"""How long, how often and how much the client asks of the game."""

from msgspec import Struct


class Limits(Struct, frozen=True):
    """Times are in seconds; the defaults suit a member who waits for an answer in chat."""

    # A read, with all its attempts; one attempt leaves room for a second.
    read_budget: float = 10.0
    attempt_timeout: float = 6.0
    attempts: int = 3
    # The first pause before a retry lasts at most this long, each further one twice as long.
    backoff: float = 0.2
    # A write is sent once, so it gets longer, but with the look at what became of it less than
    # half a minute. Connecting must end first, because a write that was never sent is known not
    # to have happened.
    write_timeout: float = 15.0
    connect_timeout: float = 4.0
    requests_per_second: float = 50.0
    burst: int = 100
    # Whoever would have to wait longer for the end of the game's pause is told so at once.
    longest_wait: float = 5.0
    # Behind those who came before, whom nothing but our own pace holds up: 500 take eight seconds.
    longest_turn: float = 20.0
    public_page_seconds: float = 10.0
    private_page_seconds: float = 30.0
    # For public and for private pages each, in bytes of memory: enough for five catalogs of 3,000
    # items.
    cached_bytes: int = 32 * 2**20
