"""The words of every error that a member can see, by its key: the name of its class."""

from collections.abc import Mapping
from typing import NamedTuple

from bot.i18n import N_


class Words(NamedTuple):
    """Marked sentences; an error's values fill their `%(name)s` places."""

    title: str
    message: str
    next_step: str


WORDS: Mapping[str, Words] = {
    # Any other of ours, and any other at all.
    "KioskError": Words(
        N_("That didn't work"),
        N_("Something went wrong."),
        N_("Please try again."),
    ),
    "Unexpected": Words(
        N_("Something went wrong here"),
        N_("That is a fault in Kiosk, not yours."),
        N_("Try again, and tell the bot's operator the reference below."),
    ),
    # The member's link to the game.
    "NotLinked": Words(
        N_("Link your game account first"),
        N_("This acts as you in the game, so Kiosk needs to know your account."),
        N_("Press “Link account” and paste your access token: it takes a minute, once."),
    ),
    "LinkExpired": Words(
        N_("Your link has expired"),
        N_("The game no longer accepts the access token you linked."),
        N_("Press “Link account” and paste a new one."),
    ),
    "LinkUnreadable": Words(
        N_("Your link can't be opened"),
        N_("The key that sealed your access token is not on this bot any more."),
        N_("Link your account again, and please tell the bot's operator."),
    ),
    "TokenRefused": Words(
        N_("The game refused this token"),
        N_("Nothing was saved: the game doesn't know this access token."),
        N_("Check that you copied all of it, then try again."),
    ),
    "TokenUnproven": Words(
        N_("The token could not be checked"),
        N_("Nothing was saved: the game doesn't know the catalog Kiosk checks tokens with."),
        N_("Ask a moderator to name one with `/setup catalog add`, then try again."),
    ),
    # Names and numbers that were typed.
    "NothingNamed": Words(
        N_("Nothing is set up here yet"),
        N_("The game lists no threads or catalogs, so moderators name those that count here."),
        N_("Ask a moderator to begin, or give the number that the game uses."),
    ),
    "UnknownThread": Words(
        N_("I don't know that thread"),
        N_("No thread here is called “%(name)s”."),
        N_("Pick one from the list while typing, or give the thread's number."),
    ),
    "UnknownCatalog": Words(
        N_("I don't know that catalog"),
        N_("No catalog here is called “%(name)s”."),
        N_("Pick one from the list while typing, or give the catalog's number."),
    ),
    "SeveralFit": Words(
        N_("Which one?"),
        N_("Several names here fit “%(name)s”: %(known)s."),
        N_("Pick the one you mean, or give its number."),
    ),
    "UnknownItem": Words(
        N_("I don't know that item"),
        N_("No item I can see is called “%(name)s”."),
        N_("Pick one from the list while typing, or give the item's number."),
    ),
    "UnknownComment": Words(
        N_("I don't know that comment"),
        N_("“%(name)s” is not the number of a comment."),
        N_("Each comment shows its number, such as #123: give that."),
    ),
    "BadId": Words(
        N_("That is not a number"),
        N_("“%(name)s” is not the number of anything in the game."),
        N_("Give the whole number that the game uses, such as 12."),
    ),
    "BadName": Words(
        N_("That name can't be used"),
        N_("A name needs 1 to %(limit)s characters and can't be a number alone."),
        N_("Choose another name."),
    ),
    "NameIsTaken": Words(
        N_("That name is taken"),
        N_("“%(name)s” already stands for number %(game_id)s here."),
        N_("Choose another name, or remove the old one first."),
    ),
    # The game says no, or says nothing.
    "Forbidden": Words(
        N_("The game doesn't allow that"),
        N_("Your game account may not do this."),
        N_("Only a comment's author can change it, and some items are for members."),
    ),
    "NotFound": Words(
        N_("The game doesn't know that"),
        N_("What you asked for isn't in the game, or no longer is."),
        N_("Check the number, or pick from the list while typing."),
    ),
    "Conflict": Words(
        N_("The game says no"),
        N_("Something in the game stands in the way."),
        N_("Look at your account in the game, then try again."),
    ),
    "RateLimited": Words(
        N_("The game asks for patience"),
        N_("Too much was asked of it in a short time."),
        N_("Wait a minute, then try again."),
    ),
    "PausedUntil": Words(
        N_("The game asks for patience"),
        N_("Too much was asked of it in a short time."),
        N_("It answers again %(when)s: try then."),
    ),
    "OwnPace": Words(
        N_("Many are asking at the same time"),
        N_("Kiosk asks the game for only so much a second, and it was not your turn in time."),
        N_("Wait a moment, then try again."),
    ),
    "OneAtATime": Words(
        N_("One after the other, please"),
        N_("You have asked for more at the same time than Kiosk does for one member."),
        N_("Wait for the answers that are coming, then try again."),
    ),
    "Stopping": Words(
        N_("Kiosk is restarting"),
        N_("There is no time left to answer this."),
        N_(
            "Wait a minute. What you had sent or confirmed is kept: look at `/forum drafts` or"
            " `/shop orders` before you try again."
        ),
    ),
    "Refused": Words(
        N_("The game didn't accept that"),
        N_("The game found a fault in what was sent."),
        N_("Change it and try again."),
    ),
    "GameDown": Words(
        N_("The game doesn't answer"),
        N_("The game's service is down or very slow just now. Nothing was changed."),
        N_("Try again in a few minutes."),
    ),
    # What Kiosk keeps itself.
    "DatabaseError": Words(
        N_("Kiosk can't get at its records"),
        N_("Its database doesn't answer just now, or takes nothing in."),
        N_(
            "Try again in a minute. What was already on its way is looked after, and you'll be"
            " told what became of it."
        ),
    ),
    "CommitUnknown": Words(
        N_("That may be saved, or not"),
        N_("Kiosk lost its database at the very moment of saving."),
        N_("Look whether it was saved before you try again."),
    ),
    "MalformedResponse": Words(
        N_("The game's answer makes no sense"),
        N_("The game answered with something Kiosk can't read."),
        N_("Try again later, and tell the bot's operator the reference below."),
    ),
    "UnknownOutcome": Words(
        N_("Nobody can say whether it happened"),
        N_("The game was asked, but its answer never came."),
        N_("Look in the game before you try again."),
    ),
    # Where, by whom or when something is used.
    "NotAManager": Words(
        N_("That is for those who manage this server"),
        N_("You need the permission Manage Server."),
        N_("Ask somebody who has it."),
    ),
    "ServerOnly": Words(
        N_("This works in a server only"),
        N_("Names are kept for each server."),
        N_("Use the command in a server's channel."),
    ),
    "OperatorOnly": Words(
        N_("This is for whoever runs this bot"),
        N_("Discord says who owns the application, and you are not among them."),
        N_("Ask the bot's operator."),
    ),
    "NotAMemberHere": Words(
        N_("Nothing can be posted here"),
        N_("Kiosk is not in this server, so nobody could take back what it posts."),
        N_("Read it for yourself, or ask the server's managers to add Kiosk."),
    ),
    "CommandChanged": Words(
        N_("This command has changed"),
        N_("Discord still shows you an older form of it."),
        N_("Restart Discord, then try again."),
    ),
    "OldButton": Words(
        N_("This button no longer works"),
        N_("It belongs to an older version of Kiosk."),
        N_("Use the command again to get a fresh card."),
    ),
    "SharedAlready": Words(
        N_("You have shared this already"),
        N_("Each card shares only once, however often you press Share."),
        N_("To share it again, take it back first, or use the command once more."),
    ),
    "NotYourShare": Words(
        N_("Somebody else has shared this"),
        N_("Only they can take it back."),
        N_("If it doesn't belong here, tell a moderator."),
    ),
    # Threads and comments.
    "ThreadNotInGame": Words(
        N_("The game doesn't know that thread"),
        N_("There is no thread %(name)s in the game, or no longer."),
        N_("Check the thread's number, or pick another from the list while typing."),
    ),
    "ThreadClosed": Words(
        N_("The game doesn't show this thread"),
        N_("Kiosk reads threads without anybody's account, and the game doesn't allow it here."),
        N_("Read it in the game itself."),
    ),
    "CommentNotInGame": Words(
        N_("The game doesn't know that comment"),
        N_("Comment #%(name)s isn't in the game, or no longer is."),
        N_("Read the thread again to see what is there now."),
    ),
    "CommentNotFound": Words(
        N_("I can't find that comment"),
        N_("Comment #%(name)s was deleted, or has moved far down its thread."),
        N_("Read the thread again to see what is there now."),
    ),
    "CommentUnseen": Words(
        N_("Kiosk hasn't seen comment #%(name)s yet"),
        N_("The game shows whole threads only, so Kiosk can't look up a comment by its number."),
        N_("Open its thread with `/forum read`, then the comment: your own have Edit and Delete."),
    ),
    "AnsweredGone": Words(
        N_("The comment you are replying to is gone"),
        N_("It is no longer in the game, so nothing can be posted below it. Your text is kept."),
        N_("Post it in the thread instead, as a comment of its own."),
    ),
    "NotYours": Words(
        N_("This comment isn't yours"),
        N_("Only its author can edit or delete it."),
        N_("Open it to reply to it or to share it."),
    ),
    "WriterUnknown": Words(
        N_("Kiosk can't tell whether this comment is yours"),
        N_("It learns who you are in the game when you first write something here."),
        N_("Write a comment here first, or edit and delete this one in the game."),
    ),
    "NoCommentShown": Words(
        N_("There is no comment to reply to"),
        N_("This message shows no comment of the game."),
        N_("Use the menu on a message of mine that shows one, or use `/forum reply`."),
    ),
    "NotArrived": Words(
        N_("The game didn't answer"),
        N_("Kiosk looked in the thread: your text has not arrived."),
        N_("Press “Try again”: Kiosk looks once more before it sends the text."),
    ),
    "ArrivalUnknown": Words(
        N_("Nobody can say whether it arrived"),
        N_("The game didn't answer, and Kiosk couldn't find out whether it has your text."),
        N_("Press “Try again”: Kiosk looks first, and sends the text only if it isn't there."),
    ),
    "IsItYours": Words(
        N_("Is this yours?"),
        N_("The game didn't answer, and this comment in the thread may be your text."),
        N_("Have a look and tell me: until then, nothing is sent."),
    ),
    "MayStillArrive": Words(
        N_("It may still arrive"),
        N_("The game didn't answer, and may still take what it was sent."),
        N_("Until then nothing is sent again. You can press “Try again” %(when)s."),
    ),
    "DraftUnreadable": Words(
        N_("This text can't be opened"),
        N_("The key that sealed it is not on this bot any more."),
        N_("Please tell the bot's operator: with the key, your text is back."),
    ),
    "TooManyUnsent": Words(
        N_("You have too many unsent texts"),
        N_("Kiosk keeps up to %(limit)s for you, so this one was neither sent nor kept."),
        N_("Send or discard one in `/forum drafts`, then try again."),
    ),
    "NotKept": Words(
        N_("Your text could not be kept"),
        N_("Kiosk can't write anything down just now, so nothing was sent."),
        N_("Copy your text, try again in a few minutes, and tell the bot's operator."),
    ),
    "DraftGone": Words(
        N_("This text is no longer kept"),
        N_("It was sent or discarded already, or is older than a day."),
        N_("Look at the thread with `/forum read`."),
    ),
    "DraftBusy": Words(
        N_("Your text is still on its way"),
        N_("It is being sent just now, or the game is still busy with it."),
        N_("Wait half a minute, then look at the thread or press “Try again”."),
    ),
    "TextMissing": Words(
        N_("There is nothing to post"),
        N_("There is nothing in your text that anybody could see."),
        N_("Write at least one character."),
    ),
    "TextTooLong": Words(
        N_("The text is too long"),
        N_("It has %(count)s characters, the game takes at most %(limit)s."),
        N_("Shorten it and send it again."),
    ),
    # Moderation.
    "ModerationError": Words(
        N_("That can't be done"),
        N_("Nothing was changed."),
        N_("Look at the log with `/moderate log`, then try again."),
    ),
    "NotAModerator": Words(
        N_("That is for moderators"),
        N_("You need the permission Manage Messages in this channel, or this server's role."),
        N_("Ask a manager to set that role with `/setup moderators`."),
    ),
    "ReasonNeeded": Words(
        N_("Please give a reason"),
        N_("This server asks its moderators for one, so nothing was changed."),
        N_("Try again with a reason."),
    ),
    "NotRemoved": Words(
        N_("Comment #%(name)s is not removed here"),
        N_("It was restored already, or never removed from this server."),
        N_("Look at the log with `/moderate log`."),
    ),
    "NotMuted": Words(
        N_("“%(name)s” is not muted here"),
        N_("The mute was ended already, or there never was one."),
        N_("Pick a player from the list while typing."),
    ),
    "RemovalGone": Words(
        N_("There is no such removal"),
        N_("Kiosk has no record of it in this server."),
        N_("Look at the log with `/moderate log`."),
    ),
    "UnknownPlayer": Words(
        N_("I don't know that player"),
        N_("I have seen no comment by a player called “%(name)s”."),
        N_("Open one of their comments first, or give the player's number."),
    ),
    "NothingToRemove": Words(
        N_("There is no comment to remove"),
        N_("This message shows no comment of the game."),
        N_("Use the menu on a message of mine that shows one, or use `/moderate remove`."),
    ),
    "BadDate": Words(
        N_("I can't read that time"),
        N_("“%(name)s” is neither a day to come nor a length of time."),
        N_("Give a day such as 2026-12-31, or a length such as 7d or 12h."),
    ),
    "NoLog": Words(
        N_("Nobody here takes reports"),
        N_("This server has not said where they are to go."),
        N_("Tell a moderator: `/setup log` names the channel."),
    ),
    "ReportedBefore": Words(
        N_("You have reported this comment"),
        N_("Your report reached the moderators; once is enough."),
        N_("Wait until they have looked at it."),
    ),
    "NothingReported": Words(
        N_("There is nothing to dismiss"),
        N_("The reports of this comment were dealt with already."),
        N_("Look at the log with `/moderate log`."),
    ),
    "ChannelClosed": Words(
        N_("I can't post there"),
        N_("In that channel I may not see or send messages."),
        N_("Allow me View Channel and Send Messages there, then try again."),
    ),
    "StoppedByAutomod": Words(
        N_("This server's AutoMod stopped your text"),
        N_("Its rule “%(name)s” also applies to what is written in the game from here."),
        N_("Change the text, then send it again."),
    ),
    "NoWords": Words(
        N_("I can't watch for that"),
        N_("“%(name)s” has no letter to look for, or more than %(count)s characters."),
        N_("Give words separated by commas, such as `fool, bad*, *worse*`."),
    ),
    "TooManyWords": Words(
        N_("That is too many words"),
        N_("A server can watch for %(count)s words, so none of these was added."),
        N_("Remove some with `/moderate words remove`."),
    ),
    "BadWordFile": Words(
        N_("I can't read that file"),
        N_("It has to be a text file of at most %(count)s KB, in UTF-8."),
        N_("Put each word on its own line, or separate them by commas."),
    ),
    "NotHeldBack": Words(
        N_("There is nothing to show"),
        N_("This comment is shown already, or its text has changed since."),
        N_("Look for its newest card in the log channel."),
    ),
    "AutomodOff": Words(
        N_("AutoMod is off for the game"),
        N_("This server's rules don't apply to the game's texts."),
        N_("Switch that on with `/moderate automod on`."),
    ),
    # Catalogs and items.
    "CatalogNotInGame": Words(
        N_("The game has no such catalog"),
        N_("The game doesn't know a catalog with the number %(number)s."),
        N_("Pick one from the list while typing, or check the number."),
    ),
    "CatalogNeeded": Words(
        N_("Which catalog is it in?"),
        N_("The game shows items by catalog only, and no catalog has a name here."),
        N_("Use the command again and fill in `catalog` with the catalog's number."),
    ),
    "ItemGone": Words(
        N_("This item is gone"),
        N_("Its catalog no longer has it."),
        N_("See what is there now with `/shop browse`."),
    ),
    "ItemsNotLoaded": Words(
        N_("The list wasn't there yet"),
        N_("The items had not arrived from the game when you chose."),
        N_("Use the command again, or type the item's number."),
    ),
    "SeveralItems": Words(
        N_("Which one?"),
        N_("Several items fit “%(name)s”."),
        N_("Pick the one you mean, or give the item's number."),
    ),
    "SeveralTypes": Words(
        N_("Which one?"),
        N_("Several types of items fit “%(name)s”: %(known)s."),
        N_("Pick the one you mean, or type more of it."),
    ),
    "UnknownType": Words(
        N_("No item is of that type"),
        N_("There is no “%(name)s” in this catalog, but there is: %(known)s."),
        N_("Use the command again with one of these."),
    ),
    # Watching.
    "NothingToWatch": Words(
        N_("What would you like to watch?"),
        N_("You named neither an item nor anything to look for."),
        N_("Use `/shop watch` again with an item, or with a part of a name, a type or a cost."),
    ),
    "TooManyWatches": Words(
        N_("You watch a lot already"),
        N_("You can watch up to %(number)s things."),
        N_("Stop watching one with `/shop unwatch`, then try again."),
    ),
    "UnknownWatch": Words(
        N_("You don't watch that"),
        N_("You don't watch “%(name)s”, or not any more."),
        N_("See what you watch with `/shop watching`."),
    ),
    "WhichCatalog": Words(
        N_("In which catalog?"),
        N_("Several catalogs have a name here."),
        N_("Use the command again and fill in `catalog`."),
    ),
    # Announcements, and threads that are followed.
    "NoSuchPlace": Words(
        N_("That can't go there"),
        N_("Kiosk posts in text, announcement and forum channels, and in threads."),
        N_("Use the command again with such a channel."),
    ),
    "NotFollowed": Words(
        N_("That thread isn't followed there"),
        N_("Its comments don't come into that channel."),
        N_("See what comes where with `/announce list`."),
    ),
    "AlreadyAnnounced": Words(
        N_("This channel has that announcement already"),
        N_("A channel has one announcement for each catalog."),
        N_("Change that one with `/announce edit`."),
    ),
    "UnknownAnnouncement": Words(
        N_("I don't know that announcement"),
        N_("This server has no announcement “%(name)s”."),
        N_("Pick one from the list while typing, or see them with `/announce list`."),
    ),
    "UnknownNews": Words(
        N_("I don't know that kind of news"),
        N_("“%(name)s” is nothing I announce."),
        N_("Pick from the list while typing; separate several with commas."),
    ),
    "ItemNeverSeen": Words(
        N_("I have never seen that item"),
        N_("None of the catalogs announced here has had an item called “%(name)s”."),
        N_("Check the name, or see with `/announce status` whether the catalogs can be read."),
    ),
}
