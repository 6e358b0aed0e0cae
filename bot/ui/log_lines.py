"""Lines of the log about managers' changes, stored together with the change."""

import typing
from collections import abc

from bot.i18n import speaking, t
from bot.ui import markdown
from bot.ui.here import Here
from storage import moderation

T = typing.TypeVar("T")
# The length of one value, in characters.
VALUE_ROOM = 60


async def line_of(
    here: Here,
    what: moderation.ModerationAction,
    words_of: abc.Callable[[T], str],
    changes_of: abc.Callable[[T, T], abc.Iterable[str]],
) -> moderation.LineOf[T]:
    """Return a function that makes the log's line about a change, in the server's language.

    `words_of` describes an added or removed thing. `changes_of` describes a change in rows. If
    there is no row, there is no line.
    """
    service = here.features.moderation
    locale = await service.locale(here.guild_id, here.server_locale)

    def line(before: T | None, after: T | None) -> moderation.LogLine | None:
        with speaking(locale):
            if after is None:
                detail = "" if before is None else t("Removed: %(what)s", what=words_of(before))
            elif before is None:
                detail = t("Added: %(what)s", what=words_of(after))
            else:
                detail = "\n".join(changes_of(before, after))
        if not detail:
            return None
        now = service.now()
        return moderation.LogLine(
            here.guild_id, here.member_id, what, detail=detail, created_at=now
        )

    return line


def changed(name: str, before: abc.Sequence[str], after: abc.Sequence[str]) -> abc.Iterator[str]:
    """Yield a setting's old and new values, nothing if they are the same."""
    if before != after:
        old, new = (
            markdown.some_of(markdown.fitting(values, VALUE_ROOM, gap=2), len(values)) or t("none")
            for values in (before, after)
        )
        yield t("**%(name)s** · %(before)s → %(after)s", name=name, before=old, after=new)
