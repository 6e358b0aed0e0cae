"""Errors of the features, with the words that members see."""

from bot import errors
from bot.i18n import N_

# Threads and their comments.


class ThreadNotInGame(errors.KioskError, step=errors.Step.THREADS, code="no_such_thread"):
    title = N_("The game doesn't have that thread")
    body = N_("Thread %(name)s doesn't exist, or was deleted.")
    next_step = N_("Check the number, or pick another thread from the list while you type.")


class ThreadNeedsAccount(errors.KioskError, step=errors.Step.THREADS):
    """The game answers 401 or 403 if no token is sent (docs/connect-your-game.md#tokens)."""

    is_over = True
    title = N_("The game doesn't show this thread")
    body = N_(
        "The game asks for an account to show this thread, and Kiosk reads threads without one."
    )
    next_step = N_("Read this thread in the game.")


class CommentNotFound(errors.KioskError, step=errors.Step.THREADS):
    is_over = True
    title = N_("Kiosk can't find that comment")
    body = N_("Comment #%(name)s was deleted, or moved far down its thread.")
    next_step = N_("Read the thread again to see its current comments.")


class CommentGone(CommentNotFound):
    title = N_("That comment is gone")
    body = N_("Comment #%(name)s isn't in its thread any more.")


class CommentUnseen(errors.KioskError, step=errors.Step.THREADS):
    """No loaded page has the comment, and no one wrote it through Kiosk."""

    title = N_("Kiosk hasn't seen comment #%(name)s yet")
    body = N_("The game only shows whole threads, so Kiosk can't find a comment by its number.")
    next_step = N_(
        "Open its thread with `/forum read`, then open the comment. There you can edit or delete"
        " your own comments."
    )


class NotYours(errors.KioskError, step=errors.Step.THREADS):
    is_over = True
    title = N_("This comment isn't yours")
    body = N_("Only its author can edit or delete it.")
    next_step = N_("Open the comment to reply to it or share it.")


class NoCommentShown(errors.KioskError, step=errors.Step.THREADS):
    title = N_("This message shows no comment")
    body = N_("This menu only works on Kiosk's messages that show a comment.")
    next_step = N_("Use the menu on such a message, or open the comment in its thread.")


class UnfitToWatch(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk can't watch for “%(name)s”")
    body = N_("Each word needs a letter. A `*` only works at the start or end of a word.")
    next_step = N_("Enter words separated by commas, for example `acorn*, straw hat`.")


class TooLongToWatch(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Those are too many words to watch")
    body = N_(
        "The words of one watch can have up to %(number)s letters. Some characters count as"
        " several."
    )
    next_step = N_("Enter fewer words, or watch the others separately.")


# Catalogs and items, and what is watched of them.


class CatalogNotInGame(errors.KioskError, step=errors.Step.CATALOGS):
    title = N_("The game doesn't have that catalog")
    body = N_("The game has no catalog with the number %(number)s.")
    next_step = N_("Check the number, or pick a catalog from the list while you type.")


class UnknownItem(errors.KioskError, step=errors.Step.CATALOGS):
    title = N_("Kiosk doesn't know that item")
    body = N_("Kiosk can't find an item called “%(name)s”.")
    next_step = N_("Pick an item from the list while you type, or enter its number.")


class ItemGone(errors.KioskError, step=errors.Step.CATALOGS):
    is_over = True
    title = N_("This item is gone")
    body = N_("Its catalog no longer contains this item.")
    next_step = N_("See the current items with `/shop browse`.")


class ItemsNotLoaded(errors.KioskError, step=errors.Step.CATALOGS):
    title = N_("The items weren't loaded yet")
    body = N_("You chose before the game had sent its items.")
    next_step = N_("Use the command again, or enter the item's number.")


class UnknownChoice(errors.KioskError, step=errors.Step.CHOOSE):
    title = N_("“%(name)s” isn't one of the choices")
    body = N_("You can use: %(known)s.")
    next_step = N_("Use the command again with one of these.")


class UnknownPage(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That page doesn't exist")
    body = N_("“%(text)s” isn't a page number. Pages start at 1.")
    next_step = N_("Enter a number, for example 3.")


class NoOwnAccount(errors.KioskError, code="no_own_account"):
    is_for_operator = True
    title = N_("Kiosk can't check the shop")
    body = N_("Kiosk has no account of its own, so it can't announce or watch items.")
    next_step = N_("Ask the bot's operator to give Kiosk its own account.")


class OwnAccountRefused(errors.KioskError, code="own_account_refused"):
    is_for_operator = True
    title = N_("The game refuses Kiosk's own account")
    body = N_("Item announcements and item watches are paused. Nothing is lost.")
    next_step = N_("Ask the bot's operator to give Kiosk a new access token.")


class CatalogNotShown(errors.KioskError, step=errors.Step.CATALOGS, code="catalog_not_shown"):
    is_for_operator = True
    title = N_("Kiosk can't see this catalog")
    body = N_("Kiosk can only announce and watch items that its own account can see.")
    next_step = N_("Ask the bot's operator, or choose another catalog.")


class ItemNotShown(errors.KioskError, step=errors.Step.CATALOGS):
    is_over = True
    title = N_("Kiosk can't watch this item")
    body = N_("Kiosk checks watched items with its own account, which can't see this item.")
    next_step = N_("Check the item yourself with `/shop item`.")


class NothingToWatch(errors.KioskError):
    title = N_("You didn't choose what to watch")
    body = N_("You entered no item and no filters.")
    next_step = N_(
        "Use `/shop watch` again with an item, or with a name, type or price to filter by."
    )


class AlreadyOwned(errors.KioskError):
    title = N_("You already own %(name)s")
    body = N_("Kiosk doesn't send you updates about items you own.")
    next_step = N_("Use `/shop watch` for items you don't own yet.")


class ItemOrSearch(errors.KioskError):
    title = N_("You entered an item and filters")
    body = N_("Kiosk can watch one item, or every item that matches your filters.")
    next_step = N_("Use `/shop watch` again with only an item, or with only filters.")


class TooManyWatches(errors.KioskError, step=errors.Step.WATCHES):
    title = N_("You can't add more watches")
    body = N_("You can watch up to %(number)s things.")
    next_step = N_("Stop watching something in `/account watches`, then try again.")


class UnknownWatch(errors.KioskError, step=errors.Step.WATCHES):
    title = N_("You aren't watching that")
    body = N_("You never watched it, or you already stopped.")
    next_step = N_("See what you watch with `/account watches`.")


# Removals, mutes, reports, and the words that a server watches for.


class NotAModerator(errors.KioskError):
    is_over = True
    title = N_("Only moderators can do this")
    body = N_(
        "You need the Manage Messages permission in this channel, or this server's moderator role."
    )
    next_step = N_("Ask a server manager for this role. Managers choose the role in `/setup show`.")


class ReasonNeeded(errors.KioskError):
    title = N_("A reason is required")
    body = N_("This server requires a reason, so nothing was changed.")
    next_step = N_("Try again with a reason.")


class NothingToUndo(errors.KioskError):
    """A comment is not removed, or a player not muted."""

    title = N_("There's nothing to undo")
    body = N_(
        "“%(name)s” isn't removed or muted here. Someone already undid that, or it never happened."
    )
    next_step = N_("Check the log with `/moderate log`.")


class RemovedAgain(errors.KioskError):
    is_over = True
    title = N_("Comment #%(name)s is hidden here")
    body = N_("A moderator removed it again or muted its author, so Kiosk doesn't post it.")
    next_step = N_("See what happened with `/moderate log`.")


class NotFollowedThere(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("The comment's thread isn't followed there")
    body = N_("Kiosk only posts a comment again if its thread is followed and not paused.")
    next_step = N_("See what this server follows with `/announce list`.")


class PostedThereAlready(errors.KioskError):
    is_over = True
    title = N_("Comment #%(name)s is already back")
    body = N_("Kiosk already posted it again, or its message was never deleted.")
    next_step = N_("Check the channel.")


class StillDeleting(errors.KioskError):
    title = N_("The old message isn't deleted yet")
    body = N_("Kiosk can post the comment again after Discord deletes the old message.")
    next_step = N_("Try again in a moment.")


class SettledAlready(errors.KioskError):
    is_over = True
    title = N_("Someone already handled this")
    body = N_("A moderator decided, the comment was edited, or its record was deleted.")
    next_step = N_("Check `/moderate log`, or the newest card in the log channel.")


class UnknownPlayer(errors.KioskError):
    title = N_("Kiosk doesn't know that player")
    body = N_("Kiosk hasn't seen a comment by a player called “%(name)s”.")
    next_step = N_("Open one of their comments first, or enter the player's number.")


class BadDate(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk can't read that time")
    body = N_("“%(name)s” isn't a future date or a length of time.")
    next_step = N_(
        "Enter a date, for example 2030-12-31, or a length of time, for example 7d or 12h."
    )


class BadDays(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That isn't a number of days")
    body = N_("“%(name)s” isn't a number from 1 to %(most)s.")
    next_step = N_("Enter a number, for example 90.")


class TooManyReasons(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("These reasons don't fit")
    body = N_("A server can have up to %(count)s reasons, each with up to %(longest)s characters.")
    next_step = N_("Remove some reasons, or shorten them.")


class EveryoneChosen(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("You can't choose @everyone here")
    body = N_("@everyone means the whole server, so it can't be used here.")
    next_step = N_("Choose another role, or leave the field empty.")


class ReportsDisabled(errors.KioskError):
    is_over = True
    title = N_("Reports are off in this server")
    body = N_("This server has no channel for reports. Tell a moderator yourself.")
    next_step = ""


class ReportedBefore(errors.KioskError):
    is_over = True
    title = N_("You already reported this comment")
    body = N_("The moderators have your report. You don't need to send it again.")
    next_step = N_("Wait until a moderator reviews your report.")


class TooManyReports(errors.KioskError):
    title = N_("You sent too many reports")
    body = N_("You reported %(number)s comments within an hour, so this report wasn't sent.")
    next_step = N_("Tell a moderator directly, or report it later.")


class ReportsStopped(errors.KioskError):
    is_over = True
    title = N_("You can't report comments right now")
    body = N_("This server doesn't accept reports from you until %(until)s.")
    next_step = N_("If something can't wait, tell a moderator directly.")


class NoWords(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk can't watch for that")
    body = N_(
        "“%(name)s” needs a letter and can have up to %(count)s characters. A `*` only works at"
        " its start or end."
    )
    next_step = N_("Enter words separated by commas, for example `fool, bad*, *worse*`.")


class TooManyWords(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That's too many words")
    body = N_("A server can have up to %(count)s watched words. Nothing was changed.")
    next_step = N_("Remove some words in `/moderate rules`.")


# Catalogs that are announced in channels, and threads that are followed there.


class AlreadyAnnounced(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That announcement already exists")
    body = N_("The channel already announces the same news from the same catalog.")
    next_step = N_("Open the announcement in `/announce list` to change it.")


class TooManyAnnouncements(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("This server can't have more announcements")
    body = N_("A server can have up to %(number)s of this kind.")
    next_step = N_("Open an announcement in `/announce list` to stop it.")


class TooManyFollowedThreads(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("This server can't follow more threads")
    body = N_("A server can follow up to %(number)s threads.")
    next_step = N_("Open a followed thread in `/announce list` to stop it.")


class AlreadyARoleRule(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That rule already exists")
    body = N_("Another rule gives this role to the same members.")
    next_step = N_("Open the rule in `/setup show`, under Roles, to change it.")


class ItemNeeded(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("The item is missing")
    body = N_("You chose the owners of an item, but you didn't enter an item.")
    next_step = N_("Enter the item's name or number.")


class ItemNotNeeded(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("The item isn't needed")
    body = N_("You entered the item “%(name)s”, but you chose everyone who linked an account.")
    next_step = N_("Choose the item's catalog under “Who gets the role”, or leave the item empty.")


class TooManyRoleRules(errors.KioskError, step=errors.Step.SETUP):
    is_over = True
    title = N_("This server can't have more rules")
    body = N_("A server can have up to %(most)s role rules.")
    next_step = N_("Open a rule in `/setup show`, under Roles, to remove it.")


class MayNotGiveRoles(errors.KioskError):
    is_over = True
    title = N_("You can't give roles here")
    body = N_("You need the Manage Roles permission, because Kiosk gives the role for you.")
    next_step = N_("Ask someone who has this permission.")


class RoleIsGiven(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk gives that role to members")
    body = N_("Members who get this role from a rule or an announcement would become moderators.")
    next_step = N_(
        "Choose another role, or first remove the rule or announcement button that gives this role."
    )


class UnknownAnnouncement(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("Kiosk doesn't know that announcement")
    body = N_("It was removed, or it belongs to another server.")
    next_step = N_("See this server's announcements with `/announce list`.")


class MessageForgotten(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("Kiosk no longer knows that message")
    body = N_("Kiosk only remembers its posted news for 90 days.")
    next_step = N_("If the message is wrong, delete it in Discord.")


class MessageGone(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("Kiosk can't find that message")
    body = N_("It was deleted, or Kiosk doesn't know if Discord got it.")
    next_step = N_("Check the channel, or see what happened with `/announce history`.")


class NothingToUpdate(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    title = N_("Kiosk found none of these items")
    body = N_("The game no longer shows them in their catalog. The message wasn't changed.")
    next_step = N_("If the message is wrong, delete it.")


class UnknownCost(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That isn't a price")
    body = N_("Kiosk can't read “%(text)s” as a price.")
    next_step = N_("Enter a number, for example 100.")


class UnknownPlaceholder(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("“%(name)s” isn't a placeholder")
    body = N_("You can use: %(known)s.")
    next_step = N_("Use one of these instead.")


class OwnWordsTooLong(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Your text is too long")
    body = N_(
        "The text has %(count)s bytes, and the limit is %(limit)s. A Japanese character takes"
        " three bytes."
    )
    next_step = N_("Shorten the text.")


class FilterTooLong(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That filter is too long")
    body = N_("The filter doesn't fit into the card's buttons.")
    next_step = N_("Choose fewer types, or enter a shorter part of the name.")


class CurrencyNeeded(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("The currency isn't clear")
    body = N_("This catalog uses: %(known)s.")
    next_step = N_("Enter a currency after the number, for example “%(example)s”.")


class ItemNeverSeen(errors.KioskError):
    title = N_("Kiosk has never seen that item")
    body = N_("No catalog announced here ever had an item called “%(name)s”.")
    next_step = N_("Check the name, or check in `/announce list` if Kiosk can read the catalogs.")
