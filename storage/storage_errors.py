"""Errors of the database. The text says why in one line."""


class DatabaseError(Exception):
    """The database can't be used."""


class BadDatabaseUrl(DatabaseError, ValueError):
    """The address names neither a SQLite file nor a PostgreSQL database."""


class DatabaseUnusable(DatabaseError):
    """It can't be opened or written, or another program or version made its tables."""


class DatabaseUnavailable(DatabaseUnusable):
    """It can't be used now: no server lets anyone in, it is in use, locked, or its disk is full."""


class DatabaseMissing(DatabaseError):
    """The database has no file yet, or nothing in it."""


class DatabaseOlder(DatabaseError):
    """The database is from an older version. The next start brings its tables up to date."""


class CannotMove(DatabaseError):
    """A database can't be copied into another. Nothing was changed."""


class StatementFailed(DatabaseError):
    """A statement can't be carried out, for example because the file is full, locked or broken."""


class NotUnique(StatementFailed):
    """A row conflicts with one that is there, such as by its key."""


class CommitUnknown(StatementFailed):
    """The connection was lost during a commit: what was written may last or not."""
