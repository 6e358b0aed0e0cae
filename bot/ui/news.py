"""What is new about an item, in words."""

from bot.domain.announcing import Event, News
from bot.game.models import Item
from bot.i18n import t
from bot.ui.items import price


def what_is_new(event: Event) -> str:
    """Return what is new about an item, in the order in which it is told."""
    item = Item.model_validate_json(event.item)
    old = (
        ""
        if event.old_cost is None
        else price(event.old_cost, item.currency.singular_name, item.currency.name)
    )
    members = t("⭐ Now for members only") if item.is_member_item else t("Now for everyone")
    words = {
        News.NEW: t("🆕 New"),
        News.BACK: t("↩️ Back again"),
        News.CLEARANCE: t("🏷️ On clearance"),
        News.CHEAPER: t("⬇️ Cheaper: was %(price)s", price=old),
        News.MEMBERS: members,
    }
    return " · ".join(words[each] for each in News if each in event.news)
