"""A member asks to be told of decisions about their comments, or to be told no more."""

from bot.ui import custom_ids, shared_actions
from bot.ui.here import Here
from bot.ui.router import route
from cogs.decisions.service import DecisionService


class HearDecisions(custom_ids.Action, kind="account.decisions"):
    """Tell the member why comments of theirs are removed, or no more."""

    is_on: bool


@route(HearDecisions)
async def on_hear(here: Here, action: HearDecisions) -> None:
    await here.service(DecisionService).hear(here.member_id, is_on=action.is_on)
    account = shared_actions.ShowAccount()
    await here.interaction.client.router.press(here, account.custom_id())
