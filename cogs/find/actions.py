"""Actions of what finds comments in a thread, and lists those of a member."""

from bot.ui import custom_ids
from bot.ui.custom_ids import Action
from bot.ui.shared_actions import OfPage, ScreenAction

# Together, with two numbers, they have room in a custom id.
LONGEST_WORDS = 50
LONGEST_PLAYER = 25


class Find(ScreenAction, kind="forum.find_form"):
    """A form for what to find in a thread."""


class ShowOwn(ScreenAction, kind="forum.own"):
    """List the member's own comments of a thread from a page on, without the first few."""

    start: int = 1
    skipped: int = 0

    def at(self, start: int, skipped: int) -> "ShowOwn":
        return ShowOwn(self.near, self.offset, start, skipped)


# Its kind is short, so that words and a name have room; the card's way back has the thread.
class FindOn(Action, kind="more"):
    """List what is found from a page of a thread on, without the first few."""

    # Without the signs that a field can't hold.
    words: str
    player: str
    start: int = 1
    skipped: int = 0

    @classmethod
    def of(cls, words: str, player: str) -> "FindOn":
        return cls(custom_ids.widened(words), custom_ids.widened(player))

    def at(self, start: int, skipped: int) -> "FindOn":
        return FindOn(self.words, self.player, start, skipped)

    @property
    def typed(self) -> tuple[str, str]:
        return custom_ids.narrowed(self.words), custom_ids.narrowed(self.player)


class FindAgain(FindOn, kind="find_again"):
    """Open the form with what was looked for."""


class OpenFound(OfPage, kind="forum.found"):
    """Show a comment beside the list that it was found in."""

    comment_id: int
