"""What can go wrong with what members read, write, buy and watch, and with what servers set up."""

from collections.abc import Mapping

from bot.error_words.anywhere import Words
from bot.i18n import N_

FEATURES: Mapping[str, Words] = {
    # Reading threads, and writing in them.
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
        N_("The comment you are replying to isn't there"),
        N_(
            "It isn't in this thread, or no longer, so nothing can be posted below it. Your text is"
            " kept."
        ),
        N_("Post it in the thread instead, as a comment of its own."),
    ),
    "NotYours": Words(
        N_("This comment isn't yours"),
        N_("Only its author can edit or delete it."),
        N_("Open it to reply to it or to share it."),
    ),
    "NoCommentShown": Words(
        N_("There is no comment to reply to"),
        N_("This message shows no comment of the game."),
        N_("Use the menu on a message of mine that shows one, or use `/forum reply`."),
    ),
    "NotHeard": Words(
        N_("This wasn't sent"),
        N_("Discord didn't hear from Kiosk in time, so the game was not asked."),
        N_("It is kept: send it from here, or discard it."),
    ),
    "NotArrived": Words(
        N_("Your comment isn't posted yet"),
        N_("Kiosk has looked in the thread: your text is not there."),
        N_("Your text is kept here for 24 hours. Try again when the game is back."),
    ),
    "ArrivalUnknown": Words(
        N_("Nobody can say whether it arrived"),
        N_("The game didn't answer, and Kiosk couldn't find out whether it has your text."),
        N_("Here is your text. Look in the game before you write it again."),
    ),
    "IsItYours": Words(
        N_("Is this yours?"),
        N_("The game's answer didn't come, and this comment may be your text."),
        N_("Have a look and tell me: until then, nothing is sent."),
    ),
    "MayStillArrive": Words(
        N_("It may still arrive"),
        N_("The game didn't answer, and may still take what it was sent."),
        N_("Half a minute after it was sent, it can be sent again."),
    ),
    "Interrupted": Words(
        N_("Your comment isn't posted yet"),
        N_("Kiosk was interrupted before it asked the game."),
        N_("Your text is kept here for 24 hours: send it from here, or discard it."),
    ),
    "Restarting": Words(
        N_("Your comment isn't posted yet"),
        N_("Kiosk is restarting, so the game was not asked."),
        N_("Your text is kept here for 24 hours: send it from here, or discard it."),
    ),
    "AccountChanged": Words(
        N_("Your comment isn't posted yet"),
        N_("You have linked another game account since you wrote it."),
        N_("Press “Try again” to post it with the account that is linked now."),
    ),
    "TextUnreadable": Words(
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
    "TextGone": Words(
        N_("This text is no longer kept"),
        N_("It was sent or discarded already, or is older than a day."),
        N_("Look at the thread with `/forum read`."),
    ),
    "WriteBusy": Words(
        N_("Your text is still on its way"),
        N_("It is being sent just now, or the game is still busy with it."),
        N_("Wait half a minute, then look at it again with `/forum drafts`."),
    ),
    "TextInDoubt": Words(
        N_("This text can't be changed now"),
        N_("The game may have it already, as it was."),
        N_("Press “Look now”, or copy it and discard it."),
    ),
    "TextMissing": Words(
        N_("There is nothing to post"),
        N_("There is nothing in your text that anybody could see."),
        N_("Write at least one character."),
    ),
    "TokenInText": Words(
        N_("That would have shown your access token"),
        N_(
            "It was in your text, so nothing was posted or kept: with it, anybody could act as you."
        ),
        N_("Write it again without the token. The only place for a token is `/account link`."),
    ),
    "TextTooLong": Words(
        N_("The text is too long"),
        N_("It has %(count)s characters, the game takes at most %(limit)s."),
        N_("Shorten it and send it again."),
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
    "AnswerNotTaken": Words(
        N_("Nothing was bought or redeemed"),
        N_(
            "Discord did not take Kiosk's first answer, or had another bot's before it. So the game"
            " was not asked."
        ),
        N_("Press **Try again**."),
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
        N_("It is not on the list of what you watch, or no longer."),
        N_("See what you watch with `/shop watching`."),
    ),
    "SeveralWatches": Words(
        N_("Which one?"),
        N_("Several things that you watch fit “%(name)s”."),
        N_("Pick the one you mean, or type more of it."),
    ),
    "WhichCatalog": Words(
        N_("In which catalog?"),
        N_("Several catalogs have a name here."),
        N_("Choose one, or use the command again and fill in `catalog`."),
    ),
    # What moderators do, reports, and what a server watches for.
    "NotAModerator": Words(
        N_("That is for moderators"),
        N_("You need the permission Manage Messages in this channel, or this server's role."),
        N_("Ask a manager for the role; `/setup moderators` sets which it is."),
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
    "SeveralPlayers": Words(
        N_("Which one?"),
        N_("Several players are called “%(name)s”: %(known)s."),
        N_("Give the player's number."),
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
    "TooManyReports": Words(
        N_("That is a lot to report"),
        N_("You have reported %(number)s comments within an hour, and this one was left out."),
        N_("Tell a moderator directly, or report it later."),
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
    # What is announced in channels, and threads that are followed there.
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
    "TooManyFollows": Words(
        N_("That is too many threads"),
        N_("A server can follow %(number)s of them, so that Kiosk can look at each often enough."),
        N_("See them with `/announce list`, and let one go with `/forum unfollow`."),
    ),
    "TooManyAnnouncements": Words(
        N_("That is too many announcements"),
        N_("A server can have %(number)s of them."),
        N_("See them with `/announce list`, and let one go with `/announce remove`."),
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
