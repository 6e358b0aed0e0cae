"""What can go wrong with what servers set up: moderation, announcements, followed threads."""

from collections.abc import Mapping

from bot.error_words.anywhere import Words
from bot.i18n import N_

SERVERS: Mapping[str, Words] = {
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
