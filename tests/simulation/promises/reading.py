"""What a member is shown of a thread: what the game has there, in order, without what is hidden."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from tests.simulation.faults import Fault
from tests.simulation.game import Comment
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

# Whether a server leaves a comment out. None if the model can't say.
LeavesOut = Callable[[int | None, Comment], bool | None]

_LATEST = "latest"
_PAGE = 15
_SCREEN = 5
# Where more than this has come or gone since, what was seen may be too far away to go on from.
_MAX_CHANGES = 10


@dataclass(frozen=True)
class Screen:
    """A screen of a thread, as its controls tell it: the comments at the top, in order."""

    thread_id: int
    sort: str
    page: int
    offset: int
    roots: tuple[int, ...]


@dataclass(eq=False)
class Reading:
    town: Town
    leaves_out: LeavesOut
    # By message: the newest comment, and how many were deleted, when it was drawn.
    _drawn: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    _faults: list[Fault] = field(default_factory=list[Fault])

    def look(self, deed: Deed) -> None:
        """Compare a screen that someone is shown with the game."""
        before = screen_of(deed.pressed) if deed.pressed is not None else None
        is_calm = not self.town.game.door.faults
        if deed.kind == "forum.screen" and before is not None and is_calm:
            self._faults += self._turned(deed, before)
        for card in deed.answers:
            screen = screen_of(card)
            if screen is None or ("thread", screen.thread_id) in self.town.game.gone:
                continue
            self._drawn[card.message_id] = self._newest(screen.thread_id), self._gone()
            if screen.sort == _LATEST:
                self._faults += self._in_order(screen)
                if deed.kind == "forum.refresh" and is_calm:
                    self._faults += self._as_it_is(deed, screen)

    async def faults(self) -> AsyncIterator[Fault]:
        for fault in self._faults:
            yield fault
        self._faults.clear()

    def _in_order(self, screen: Screen) -> Sequence[Fault]:
        known = {comment.id for comment in self.town.game.comments(screen.thread_id)}
        wrong = [number for number in screen.roots if number not in known]
        is_sorted = list(screen.roots) == sorted(set(screen.roots), reverse=True)
        if is_sorted and all(number in self.town.game.deleted for number in wrong):
            return ()
        how = f"{screen.roots} in {screen.thread_id}"
        return [Fault("a screen shows a thread's comments in order", "latest", how)]

    def _as_it_is(self, deed: Deed, screen: Screen) -> Sequence[Fault]:
        """Look at a screen that was just asked for: it is as the game is now."""
        start = (screen.page - 1) * _PAGE
        page = self._roots(screen.thread_id)[start : start + _PAGE]
        hidden = {root.id: self.leaves_out(deed.guild_id, root) for root in page}
        if None in hidden.values():
            return ()
        expected = [root.id for root in page if not hidden[root.id]]
        expected = expected[screen.offset : screen.offset + _SCREEN]
        if list(screen.roots) == expected:
            return ()
        how = f"{screen} for {deed.who}, not {expected}"
        return [Fault("what is asked for anew is what the game has", "latest", how)]

    def _turned(self, deed: Deed, before: Screen) -> Sequence[Fault]:
        """Look at what Next or Previous has led to."""
        assert deed.pressed is not None
        *_, seen, goes_back = [*deed.fields, "", ""][:6]
        if ("thread", before.thread_id) in self.town.game.gone:
            return ()
        if before.sort != _LATEST or deed.fields[1] != _LATEST or not seen or not before.roots:
            return ()
        if not deed.answers:
            # Kiosk died over it.
            return ()
        newest, gone = self._drawn.get(deed.pressed.message_id, (0, 0))
        roots = self._roots(before.thread_id)
        came = [root for root in roots if root.id > newest]
        at = before.roots[0 if goes_back == "1" else -1]
        if len(came) + self._gone() - gone > _MAX_CHANGES or at in self.town.game.deleted:
            return ()
        further = [root for root in roots if (root.id > at if goes_back == "1" else root.id < at)]
        hidden = [self.leaves_out(deed.guild_id, root) for root in further]
        # Hidden comments may leave a page with nothing.
        if not further or any(each is not False for each in hidden):
            return ()
        way = "Previous" if goes_back == "1" else "Next"
        screens = [screen for card in deed.answers if (screen := screen_of(card))]
        if not screens:
            how = f"{deed.who} is refused in {before.thread_id}"
            return [Fault("Next and Previous lead on", way, how)]
        shown = [each for each in screens[-1].roots if each not in self.town.game.deleted]
        ids = [root.id for root in further]
        expected = ids[-len(shown) :] if goes_back == "1" else ids[: len(shown)]
        if shown == expected and (shown or screens[-1].roots or goes_back == "1"):
            return ()
        how = f"{deed.who} is led from {before.roots} to {screens[-1].roots}, not {ids[:5]}"
        return [Fault("Next and Previous lead on", way, how)]

    def _roots(self, thread_id: int) -> list[Comment]:
        """Return the comments at the top of a thread, the latest first."""
        comments = self.town.game.comments(thread_id)
        return [comment for comment in reversed(comments) if comment.parent_id is None]

    def _newest(self, thread_id: int) -> int:
        return max((root.id for root in self._roots(thread_id)), default=0)

    def _gone(self) -> int:
        return len(self.town.game.deleted)


def screen_of(card: Card) -> Screen | None:
    """Return the screen of a thread that a card shows, None if it shows something else."""
    refresh = card.control("forum.refresh")
    if refresh is None:
        return None
    thread_id, sort, page, offset = refresh.fields[:4]
    roots = [
        int(control.fields[3])
        for control in card.controls
        if control.kind == "forum.comment" and control.value is not None
    ]
    return Screen(int(thread_id), sort, int(page), int(offset), tuple(roots))
