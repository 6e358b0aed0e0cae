"""The list of muted players, with Unmute beside each."""

import contextlib
from collections import abc

from bot.features import feature_errors
from bot.i18n import nt, t
from bot.ui import custom_ids, drawing, theme
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route
from cogs.moderate import cards
from storage.removals import Removal

_PER_PAGE = 10
_REASON_ROOM = 100


class ShowMutes(custom_ids.Action, kind="moderate.mutes"):
    """Show a page of muted players, counted from 0."""

    page: int


class Unmute(cards.OfRemoval, kind="moderate.unmute"):
    """End a mute, and show the page of the list again."""

    page: int


@route(Unmute, needs=MODERATOR)
async def on_unmute(here: Here, action: Unmute) -> None:
    mute = await here.features.moderation.find(here.guild_id, action.removal_id)
    told = t("%(name)s is no longer muted.", name=f"**{cards.subject_name(mute.subject)}**")
    if mute.ended_at is None:
        with contextlib.suppress(feature_errors.NothingToUndo):
            await here.features.moderation.restore(here.guild_id, mute.subject, here.member_id)
    else:
        # The player may have been muted again since.
        told = cards.end_words(mute, mute.ended_at)
    await show(here, ShowMutes(action.page), told)


@route(ShowMutes, needs=MODERATOR)
async def show(here: Here, action: ShowMutes, told: str = "") -> None:
    removals = here.features.moderation.removals
    count = await removals.count_mutes(here.guild_id)
    last = max(count - 1, 0) // _PER_PAGE
    page = min(max(action.page, 0), last)
    mutes = await removals.mutes(here.guild_id, _PER_PAGE, page * _PER_PAGE)
    await here.answer(mutes_card(mutes, count, page, last, told))


def mutes_card(
    mutes: abc.Sequence[Removal], count: int, page: int, last: int, told: str = ""
) -> drawing.Card:
    title = nt("%(count)s player is muted here", "%(count)s players are muted here", count)
    if not count:
        title = t("No one is muted here")
    card = drawing.Card(theme.GOOD if told else theme.CALM)
    card.say("\n".join(filter(None, [f"## {title}", told])))
    for mute in mutes:
        unmute = drawing.button(Unmute(mute.id, page), t("Unmute"))
        facts = cards.facts_words(mute, _REASON_ROOM)
        card.say(f"{cards.muted_words(mute)}\n{facts}", unmute)
    if last:
        before = ShowMutes(page - 1) if page else None
        after = ShowMutes(page + 1) if page < last else None
        card.buttons(*drawing.step_buttons(before, after))
    return card
