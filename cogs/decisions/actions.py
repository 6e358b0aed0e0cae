"""Turn a member's notices about decisions on or off."""

from bot.ui import custom_ids, shared_actions
from bot.ui.here import Here
from bot.ui.router import route
from cogs.decisions.service import DecisionService


class HearDecisions(custom_ids.Action, kind="account.decisions"):
    """Start or stop telling the member why their comments are removed."""

    is_on: bool


@route(HearDecisions)
async def on_hear(here: Here, action: HearDecisions) -> None:
    await here.service(DecisionService).hear(here.member_id, is_on=action.is_on)
    account = shared_actions.ShowAccount()
    await here.interaction.client.router.press(here, account.custom_id())
