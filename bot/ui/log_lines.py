"""Lines of the log about what managers change, written with the change itself."""

import typing
from collections import abc

from bot.i18n import speaking, t
from bot.ui import markdown
from bot.ui.here import Here
from storage import moderation

T = typing.TypeVar("T")
# Of one value, in characters.
VALUE_ROOM = 60


async def line_of(
    here: Here,
    what: moderation.Deed,
    rows_of: abc.Callable[[T | None, T | None], abc.Sequence[str]],
) -> moderation.LineOf[T]:
    """Return what makes the line about a member's change, where `rows_of` the change are any.

    It is handed what was before the change and what is after it, and speaks the server's language.
    """
    service = here.features.moderation
    locale = await service.locale(here.guild_id, here.server_locale)

    def line(before: T | None, after: T | None) -> moderation.LogLine | None:
        with speaking(locale):
            detail = "\n".join(rows_of(before, after))
        if not detail:
            return None
        now = service.now()
        return moderation.LogLine(
            here.guild_id, here.member_id, what, detail=detail, created_at=now
        )

    return line


def added(what: str) -> str:
    return t("Added: %(what)s", what=what)


def removed(what: str) -> str:
    return t("Removed: %(what)s", what=what)


def changed(name: str, before: abc.Sequence[str], after: abc.Sequence[str]) -> abc.Iterator[str]:
    """Say what a setting was and is, each a list of values; nothing where they are the same."""
    if before != after:
        old, new = (
            markdown.some_of(markdown.fitting(values, VALUE_ROOM, gap=2), len(values)) or t("none")
            for values in (before, after)
        )
        yield t("**%(name)s** · %(before)s → %(after)s", name=name, before=old, after=new)
