"""Notify members of moderators' decisions about their comments, if they want it."""

from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import drawing
from bot.ui.here import Here
from cogs.decisions import actions
from cogs.decisions.decision_messages import Decision
from cogs.decisions.service import DecisionService
from storage.decisions import Decisions
from storage.links import Link


async def add_account_switch(_here: Here, card: drawing.Card, link: Link | None) -> None:
    """Add the switch for notices about moderators' decisions to the account card."""
    if link is None or link.is_refused:
        return
    name = t("Tell me when moderators remove my comments")
    hint = t("You get a direct message with the reason, from servers that have this turned on.")
    if link.player_id is None:
        unknown = t(
            "Kiosk doesn't know yet which player you are. It learns this from your first comment"
            " through Kiosk."
        )
        hint = f"{hint} {unknown}"
    switch = actions.HearDecisions(is_on=not link.hears_decisions)
    drawing.say_switch(card, name, hint, switch, is_on=link.hears_decisions)


async def setup(bot: Kiosk) -> None:
    core = bot.core
    decisions = Decisions(core.database, core.messages, core.now)
    service = DecisionService(decisions, core.features.moderation.settings)
    bot.services[DecisionService] = service
    bot.router.add(actions)
    bot.dispatcher.add(Decision(bot))
    bot.hooks.account_shown.add(add_account_switch)
    bot.hooks.decided.add(service.on_decided)
