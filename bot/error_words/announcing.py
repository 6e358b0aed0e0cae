"""What is announced in channels, and threads that are followed there."""

from collections.abc import Mapping

from bot.error_words.words import Words
from bot.i18n import N_

ANNOUNCING: Mapping[str, Words] = {
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
