"""When Kiosk has surely looked at the game, and which channels took what it posts."""

from collections.abc import Callable
from datetime import datetime

from tests.simulation.town import Town

# Each place is looked at every five minutes; after looks that failed, every quarter of an hour.
_BETWEEN_LOOKS_SECONDS = 310.0
_AFTER_FAILURES_SECONDS = 1210.0
# What Discord doesn't take at once comes within ten minutes.
_SETTLING_LOOKS = 3


class Looks:
    """Counts the looks that are sure to have happened at everything that is followed.

    The clock moves in jumps, in each of which a place is looked at once; the one of a step that
    rests is the last. What happens between two of these looks may be seen by a third, or not.
    """

    def __init__(self, town: Town) -> None:
        self._town = town
        self.count = 0
        self.at = town.clock.monotonic()
        # The time that is looked back on at a rest: since the last sure look but this.
        self.began = self.now = self.at
        # Whether everything was looked at since the last sure look but this.
        self.is_new = False
        self._trouble_at = -_AFTER_FAILURES_SECONDS
        self._met = 0
        # How many looks had happened when Kiosk was started last.
        self.restarted = -1
        self._bot = town.bot
        # By channel, None for all: how many had when Discord may last have refused something.
        self._troubled: dict[int | None, int] = {}
        self._noticed: dict[int | None, datetime] = {}
        self._deleted = 0
        # Whether Discord was about to refuse messages at the last rest.
        self._was_failing = False
        # Channels of which nothing is said any more, or not before someone has set them right.
        self.doubtful: set[int] = set()
        # Of these, those that follow what the model can't name: no one sets them right.
        self.unknown: set[int] = set()
        self.on_trouble: list[Callable[[int | None], None]] = []

    def note(self) -> None:
        """Note whether the game fails, or has failed since it was asked last."""
        faults = self._town.game.door.faults
        met = sum(fault.met for fault in faults)
        if met != self._met or any(f.times is None or f.met < f.times for f in faults):
            self._trouble_at = self._town.clock.monotonic()
        self._met = met

    def is_sure(self, channel_id: int) -> bool:
        """Tell whether all that is owed to a channel has had time to come there."""
        troubled = [self._troubled.get(each, -_SETTLING_LOOKS) for each in (None, channel_id)]
        return channel_id not in self.doubtful and self.count >= max(troubled) + _SETTLING_LOOKS

    def settle(self, channel_id: int) -> None:
        """Note that a channel takes again what is posted there, if nothing is in its way."""
        channel = self._town.env.backend.channels.get(channel_id)
        bot_id = self._town.env.backend.bot_user.id
        if channel is not None and all(each.target_id != bot_id for each in channel.overwrites):
            self.doubtful -= {channel_id} - self.unknown
            self._troubled[channel_id] = self.count

    def _notice(self) -> None:
        """Note what was wrong with Discord, and whether Kiosk was restarted."""
        new = {each for each, at in self._town.trouble.items() if self._noticed.get(each) != at}
        self._noticed = dict(self._town.trouble)
        self.doubtful |= {each for each in new if each is not None}
        if len(self._town.deleted) > self._deleted:
            # Perhaps no one saw what was deleted.
            new.add(None)
            self._deleted = len(self._town.deleted)
        # What was refused is tried again later, and may be refused once more.
        is_failing = self._town.fails_to_post
        if is_failing or self._was_failing:
            new.add(None)
        self._was_failing = is_failing
        for each in new:
            self._troubled[each] = self.count
            for hear in self.on_trouble:
                hear(each)
        if self._bot is not self._town.bot:
            self._bot, self.restarted = self._town.bot, self.count

    def advance(self) -> None:
        """Note that the world is at rest, and whether all was surely looked at by now."""
        self.note()
        self.began, self.now = self.at, self._town.clock.monotonic()
        is_well = self.now - self._trouble_at >= _AFTER_FAILURES_SECONDS
        rested_for = self.now - max(self.at, self._town.step_began)
        self.is_new = is_well and rested_for >= _BETWEEN_LOOKS_SECONDS
        if self.is_new:
            self.count += 1
            self.at = self.now
        self._notice()

    @property
    def before(self) -> int:
        """How many looks had happened when the time began that is looked back on."""
        return self.count - self.is_new
