"""Actions to find comments in a thread, and to list a member's own."""

from bot.ui import custom_ids
from bot.ui.custom_ids import Action
from bot.ui.shared_actions import OfPage, ScreenAction

# Together with two numbers, these fit in a custom id.
MAX_WORDS_LENGTH = 50
MAX_PLAYER_LENGTH = 25


class Find(ScreenAction, kind="forum.find_form"):
    """A form for what to find in a thread."""


class ShowOwn(ScreenAction, kind="forum.own"):
    """List the member's own comments of a thread from page `start`, without the `skipped` first."""

    start: int = 1
    skipped: int = 0

    def at(self, start: int, skipped: int) -> "ShowOwn":
        return ShowOwn(self.near, self.offset, start, skipped)


# Its kind is short, so that words and a name fit. The card's Thread button has the thread.
class FindOn(Action, kind="more"):
    """List the comments found from page `start` of a thread, without the `skipped` first."""

    # Without the characters that a field can't contain.
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
    """Open the form with the last search."""


class OpenFound(OfPage, kind="forum.found"):
    """Show a comment from the list of found comments, beside the list."""

    comment_id: int
