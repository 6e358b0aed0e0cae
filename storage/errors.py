"""Errors of the database; the text says why in one line."""

from bot.errors import ExplainedError, Step
from bot.i18n import N_


class DatabaseError(ExplainedError):
    """The database can't be used."""

    title = N_("Kiosk can't get at its records")
    body = N_("Its database doesn't answer just now, or takes nothing in.")
    next_step = N_(
        "Try again in a minute. What was on its way already is looked after, and Kiosk tells"
        " you what became of it."
    )


class BadDatabaseUrl(DatabaseError):
    """The address names neither a SQLite file nor a PostgreSQL database."""


class DatabaseUnusable(DatabaseError):
    """It can't be opened or written, or is not ours: another program or version made its tables."""


class DatabaseUnavailable(DatabaseUnusable):
    """It can't be used now: no server lets anybody in, or the file is locked or its disk full."""


class DatabaseMissing(DatabaseError):
    """There is no file yet, or nothing in it."""


class DatabaseOlder(DatabaseError):
    """An older version has left it: the next start brings its tables up to date."""


class CannotMove(DatabaseError):
    """A database can't be copied into another; nothing was changed."""


class StatementFailed(DatabaseError):
    """A statement can't be carried out, as where the file is full, locked or broken."""


class NotUnique(StatementFailed):
    """A row contradicts one that is there, such as by its key."""


class CommitUnknown(StatementFailed, step=Step.HELP):
    """The connection was lost during a commit: what was written lasts, or it does not."""

    title = N_("That may be saved, or not")
    body = N_("Kiosk lost its database at the very moment of saving.")
    next_step = N_("Look whether it was saved before you try again.")
