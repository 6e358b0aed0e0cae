"""Errors of the features, with the words that members see."""

from bot import errors
from bot.i18n import N_

# Threads and their comments.


class ThreadNotInGame(errors.KioskError, step=errors.Step.THREADS, code="no_such_thread"):
    title = N_("The game doesn't know that thread")
    body = N_("There is no thread %(name)s in the game, or no longer.")
    next_step = N_("Check the thread's number, or pick another from the list while typing.")


class ThreadNeedsAccount(errors.KioskError, step=errors.Step.THREADS):
    """The game answers 401 or 403 where no token is sent (docs/connect-your-game.md#tokens)."""

    is_over = True
    title = N_("The game doesn't show this thread")
    body = N_("Kiosk reads threads without anybody's account, and the game doesn't allow it here.")
    next_step = N_("Read it in the game itself.")


class CommentNotFound(errors.KioskError, step=errors.Step.THREADS):
    is_over = True
    title = N_("Kiosk can't find that comment")
    body = N_("Comment #%(name)s was deleted, or has moved far down its thread.")
    next_step = N_("Read the thread again to see what is there now.")


class CommentGone(CommentNotFound):
    title = N_("That comment is gone")
    body = N_("Comment #%(name)s isn't in its thread any more.")


class CommentUnseen(errors.KioskError, step=errors.Step.THREADS):
    """No page at hand has the comment, and nobody wrote it through Kiosk."""

    title = N_("Kiosk hasn't seen comment #%(name)s yet")
    body = N_("The game shows whole threads only, so Kiosk can't look up a comment by its number.")
    next_step = N_(
        "Open its thread with `/forum read`, then the comment: your own have Edit and Delete."
    )


class NotYours(errors.KioskError, step=errors.Step.THREADS):
    is_over = True
    title = N_("This comment isn't yours")
    body = N_("Only its author can edit or delete it.")
    next_step = N_("Open it to reply to it or to share it.")


class NoCommentShown(errors.KioskError, step=errors.Step.THREADS):
    title = N_("This message shows no comment")
    body = N_("The menu is for messages of Kiosk's that show a comment of the game.")
    next_step = N_("Use it on one of those, or open the comment in its thread.")


class UnfitToWatch(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk can't watch for “%(name)s”")
    body = N_(
        "It has no letter to look for, a `*` that isn't at its start or end, or too many letters."
    )
    next_step = N_("Give words with commas between them, such as `acorn*, straw hat`.")


# Catalogs and items, and what is watched of them.


class CatalogNotInGame(errors.KioskError, step=errors.Step.CATALOGS):
    title = N_("The game has no such catalog")
    body = N_("The game doesn't know a catalog with the number %(number)s.")
    next_step = N_("Pick one from the list while typing, or check the number.")


class UnknownItem(errors.KioskError, step=errors.Step.CATALOGS):
    title = N_("Kiosk doesn't know that item")
    body = N_("No item that Kiosk can see is called “%(name)s”.")
    next_step = N_("Pick one from the list while typing, or give the item's number.")


class ItemGone(errors.KioskError, step=errors.Step.CATALOGS):
    is_over = True
    title = N_("This item is gone")
    body = N_("Its catalog no longer has it.")
    next_step = N_("See what is there now with `/shop browse`.")


class ItemsNotLoaded(errors.KioskError, step=errors.Step.CATALOGS):
    title = N_("The list wasn't there yet")
    body = N_("The items had not arrived from the game when you chose.")
    next_step = N_("Use the command again, or type the item's number.")


class UnknownChoice(errors.KioskError, step=errors.Step.CHOOSE):
    title = N_("“%(name)s” is not among the choices")
    body = N_("There is: %(known)s.")
    next_step = N_("Use the command again with one of these.")


class UnknownPage(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("There is no such page")
    body = N_("“%(text)s” is not the number of a page. They are counted from 1 on.")
    next_step = N_("Try again with a number, such as 3.")


class NoOwnAccount(errors.KioskError, code="no_own_account"):
    is_for_operator = True
    title = N_("Kiosk doesn't look at the shop")
    body = N_(
        "This Kiosk has no account of its own for the shop, so it announces and watches no items."
    )
    next_step = N_("Ask the bot's operator to give Kiosk an account.")


class OwnAccountRefused(errors.KioskError, code="own_account_refused"):
    is_for_operator = True
    title = N_("The game refuses Kiosk's own account")
    body = N_("Announcements and watches of items wait. Nothing is lost.")
    next_step = N_("Ask the bot's operator to give Kiosk a new token.")


class CatalogNotShown(errors.KioskError, step=errors.Step.CATALOGS, code="catalog_not_shown"):
    is_for_operator = True
    title = N_("The game doesn't show this catalog to Kiosk's own account")
    body = N_("Kiosk can only announce and watch items that its own account sees.")
    next_step = N_("Ask the bot's operator, or choose another catalog.")


class ItemNotShown(errors.KioskError, step=errors.Step.CATALOGS):
    is_over = True
    title = N_("Kiosk can't watch this item")
    body = N_("The game doesn't show this item to Kiosk's own account, which checks watched items.")
    next_step = N_("Look at the item yourself with `/shop item`.")


class NothingToWatch(errors.KioskError):
    title = N_("What would you like to watch?")
    body = N_("You named neither an item nor anything to look for.")
    next_step = N_(
        "Use `/shop watch` again with an item, or with a part of a name, a type or a cost."
    )


class AlreadyOwned(errors.KioskError):
    title = N_("%(name)s is yours already")
    body = N_("Kiosk tells nobody of what they own.")
    next_step = N_("Use `/shop watch` for what you don't own yet.")


class ItemOrSearch(errors.KioskError):
    title = N_("Watch one item, or all that fit?")
    body = N_("You named an item and also what to look for.")
    next_step = N_("Use `/shop watch` again with an item alone, or without one.")


class TooManyWatches(errors.KioskError, step=errors.Step.WATCHES):
    title = N_("You watch a lot already")
    body = N_("You can watch up to %(number)s things.")
    next_step = N_("Stop watching one on `/account watches`, then try again.")


class UnknownWatch(errors.KioskError, step=errors.Step.WATCHES):
    title = N_("You don't watch that")
    body = N_("It is not on the list of what you watch, or no longer.")
    next_step = N_("See what you watch with `/account watches`.")


# Removals, mutes, reports, and the words that a server watches for.


class NotAModerator(errors.KioskError):
    is_over = True
    title = N_("That is for moderators")
    body = N_("You need the permission Manage Messages in this channel, or this server's role.")
    next_step = N_("Ask a manager for the role; `/setup show` sets which it is.")


class ReasonNeeded(errors.KioskError):
    title = N_("A reason is needed")
    body = N_("This server asks its moderators for one, so nothing was changed.")
    next_step = N_("Try again with a reason.")


class NothingToUndo(errors.KioskError):
    """A comment is not removed, or a player not muted."""

    title = N_("There is nothing to undo")
    body = N_("“%(name)s” is not removed or muted here: that was undone already, or never done.")
    next_step = N_("Look at the log with `/moderate log`.")


class RemovedAgain(errors.KioskError):
    is_over = True
    title = N_("Comment #%(name)s is hidden here")
    body = N_("A moderator removed it again or muted its writer, so Kiosk doesn't post it.")
    next_step = N_("See what happened with `/moderate log`.")


class NotFollowedThere(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("Its thread isn't followed there now")
    body = N_("Kiosk posts a comment again only if its thread is followed and not paused.")
    next_step = N_("See what this server follows with `/announce list`.")


class PostedThereAlready(errors.KioskError):
    is_over = True
    title = N_("Comment #%(name)s is already back")
    body = N_("Kiosk has posted it there again, or its message was never deleted.")
    next_step = N_("Look into the channel.")


class StillDeleting(errors.KioskError):
    title = N_("The old message isn't deleted yet")
    body = N_("Kiosk posts the comment again only after Discord has deleted the old message.")
    next_step = N_("Press the button again in a moment.")


class SettledAlready(errors.KioskError):
    is_over = True
    title = N_("This is settled already")
    body = N_("Somebody has decided it, its text has changed since, or its record is gone.")
    next_step = N_(
        "See how it stands with `/moderate log`, or on its newest card in the log channel."
    )


class UnknownPlayer(errors.KioskError):
    title = N_("Kiosk doesn't know that player")
    body = N_("Kiosk has seen no comment by a player called “%(name)s”.")
    next_step = N_("Open one of their comments first, or give the player's number.")


class BadDate(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk can't read that time")
    body = N_("“%(name)s” is neither a day to come nor a length of time.")
    next_step = N_("Give a day such as 2030-12-31, or a length such as 7d or 12h.")


class BadDays(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("For how many days?")
    body = N_("“%(name)s” is no number from 1 to %(most)s.")
    next_step = N_("Type a number, such as 90.")


class TooManyReasons(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("There is no room for these reasons")
    body = N_("A server can have %(count)s, of %(longest)s characters each.")
    next_step = N_("Leave some out, or make them shorter.")


class EveryoneChosen(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("@everyone can't be chosen there")
    body = N_("It is everybody in the server, not a role of some.")
    next_step = N_("Choose another role, or leave the field empty.")


class ReportsDisabled(errors.KioskError):
    is_over = True
    title = N_("Nobody here takes reports")
    body = N_("This server has no channel for reports: tell a moderator yourself.")
    next_step = ""


class ReportedBefore(errors.KioskError):
    is_over = True
    title = N_("You have reported this comment")
    body = N_("Your report reached the moderators; once is enough.")
    next_step = N_("Wait until they have looked at it.")


class TooManyReports(errors.KioskError):
    title = N_("That is a lot to report")
    body = N_("You have reported %(number)s comments within an hour, and this one was left out.")
    next_step = N_("Tell a moderator directly, or report it later.")


class ReportsStopped(errors.KioskError):
    is_over = True
    title = N_("You can't report comments now")
    body = N_("This server takes no reports from you until %(until)s.")
    next_step = N_("If something can't wait, tell a moderator directly.")


class NoWords(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk can't watch for that")
    body = N_(
        "“%(name)s” has no letter to look for, a `*` that isn't at an end, or more than %(count)s "
        "characters."
    )
    next_step = N_("Give words separated by commas, such as `fool, bad*, *worse*`.")


class TooManyWords(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That is too many words")
    body = N_("A server can watch for %(count)s words, so none of these was added.")
    next_step = N_("Remove some on `/moderate rules`.")


# Catalogs that are announced in channels, and threads that are followed there.


class AlreadyAnnounced(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("This channel has that announcement already")
    body = N_("It announces the same news of the same catalog.")
    next_step = N_("Open it on `/announce list` to change it.")


class TooManyAnnouncements(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("This server announces a lot already")
    body = N_("A server can have %(number)s of these.")
    next_step = N_("Open one on `/announce list` to remove it.")


class AlreadyARoleRule(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("There is that rule already")
    body = N_("It gives the same role for the same thing.")
    next_step = N_("Open it on `/setup show`, under Roles, to change it.")


class ItemNeeded(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Which item?")
    body = N_("You chose the owners of an item, but you named no item.")
    next_step = N_("Type the item's name or its number.")


class ItemNotNeeded(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Who gets the role?")
    body = N_("You named the item “%(name)s”, but you chose everyone who linked an account.")
    next_step = N_("Choose the item's catalog under “Who gets it”, or leave the item empty.")


class TooManyRoleRules(errors.KioskError, step=errors.Step.SETUP):
    is_over = True
    title = N_("This server has many rules for roles already")
    body = N_("A server can have %(most)s of these.")
    next_step = N_("Open one on `/setup show`, under Roles, to remove it.")


class MayNotGiveRoles(errors.KioskError):
    is_over = True
    title = N_("That is for those who give roles in this server")
    body = N_("You need the permission Manage Roles, as Kiosk gives the role for you.")
    next_step = N_("Ask somebody who has it.")


class RoleIsGiven(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Kiosk gives that role to members")
    body = N_("Members who get it by a rule or from an announcement would become moderators.")
    next_step = N_("Choose another role, or remove first what gives this one.")


class UnknownAnnouncement(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("Kiosk doesn't know that announcement")
    body = N_("It was removed, or belongs to another server.")
    next_step = N_("See this server's with `/announce list`.")


class MessageForgotten(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("Kiosk no longer knows that message")
    body = N_("Kiosk knows for 90 days where it posted news.")
    next_step = N_("Delete the message in Discord if it is wrong.")


class MessageGone(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    is_over = True
    title = N_("That message isn't there")
    body = N_("It was deleted, or Kiosk can't say whether Discord got it.")
    next_step = N_("Look into the channel, or see what happened with `/announce history`.")


class NothingToUpdate(errors.KioskError, step=errors.Step.ANNOUNCEMENTS):
    title = N_("Kiosk found none of these items")
    body = N_("The game doesn't show them in their catalog now. The message stays as it is.")
    next_step = N_("Delete the message if it is wrong.")


class UnknownCost(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Which highest cost?")
    body = N_("“%(text)s” is no cost that Kiosk can read.")
    next_step = N_("Type a number, such as 100.")


class UnknownPlaceholder(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("“%(name)s” stands for nothing")
    body = N_("There is: %(known)s.")
    next_step = N_("Use one of these in its place.")


class OwnWordsTooLong(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("These words are too long")
    body = N_(
        "They take %(count)s bytes, and %(limit)s bytes fit. A Japanese letter takes three of them."
    )
    next_step = N_("Make them shorter.")


class FilterTooLong(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("That filter is too long")
    body = N_("The card's buttons have no room for it.")
    next_step = N_("Choose fewer types, or type a shorter part of the name.")


class CurrencyNeeded(errors.KioskError, step=errors.Step.AGAIN):
    title = N_("Which currency?")
    body = N_("The catalog's are: %(known)s.")
    next_step = N_("Type one of them behind the number, such as “%(example)s”.")


class ItemNeverSeen(errors.KioskError):
    title = N_("Kiosk has never seen that item")
    body = N_("None of the catalogs announced here has had an item called “%(name)s”.")
    next_step = N_("Check the name, or see on `/announce list` whether the catalogs can be read.")
