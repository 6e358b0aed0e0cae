"""What can keep a database from being used; the text says why in one line."""


class DatabaseError(Exception):
    """The database can't be used."""


class BadDatabaseUrl(DatabaseError):
    """DATABASE_URL is not `sqlite:///path`."""


class DatabaseUnusable(DatabaseError):
    """The file can't be opened, can't be written, or is not a database."""


class DatabaseUnavailable(DatabaseUnusable):
    """It can't be used now: no server lets anybody in, or the file is locked or its disk full."""


class DatabaseMissing(DatabaseError):
    """There is no file yet, or nothing in it."""


class DatabaseForeign(DatabaseError):
    """The database is another program's, or the game's; nothing was changed in it."""


class DatabaseOutdated(DatabaseError):
    """Another schema than this version's has made the tables."""


class CannotMove(DatabaseError):
    """A database can't be copied into another; nothing was changed."""


class DatabaseInUse(CannotMove):
    """Somebody else has the database open."""

    def __init__(self) -> None:
        super().__init__("the database is in use: stop Kiosk first")


class StatementFailed(DatabaseError):
    """A statement can't be carried out, as where the file is full, locked or broken."""


class NotUnique(StatementFailed):
    """A row contradicts one that is there, such as by its key."""


class CommitUnknown(StatementFailed):
    """The connection was lost during a commit: what was written lasts, or it does not."""
