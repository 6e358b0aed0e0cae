"""Errors of the database; the text says why in one line."""


class DatabaseError(Exception):
    """The database can't be used."""


class BadDatabaseUrl(DatabaseError, ValueError):
    """The address names neither a SQLite file nor a PostgreSQL database."""


class DatabaseUnusable(DatabaseError):
    """It can't be opened or written, or is not ours: another program or version made its tables."""


class DatabaseUnavailable(DatabaseUnusable):
    """It can't be used now: no server lets anybody in, it is in use, locked, or its disk full."""


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


class CommitUnknown(StatementFailed):
    """The connection was lost during a commit: what was written lasts, or it does not."""
