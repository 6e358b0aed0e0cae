"""What Kiosk does, free of Discord."""

from msgspec import Struct

from bot.features.accounts import Accounts
from bot.features.announcing.service import Announcing
from bot.features.following.service import Following
from bot.features.forum import Forum
from bot.features.moderation import ModerationService
from bot.features.names import Directory
from bot.features.operating import Operating
from bot.features.orders.service import OrderService
from bot.features.panels import PanelService
from bot.features.pictures import Pictures
from bot.features.proofs import Proofs
from bot.features.records import Records
from bot.features.sharing import Sharing
from bot.features.shop import Shop
from bot.features.waiting import Waiting
from bot.features.watching.service import Watching
from storage.outcomes import Inbox


class Features(Struct, frozen=True):
    """Everything a cog may call."""

    accounts: Accounts
    directory: Directory
    panels: PanelService
    proofs: Proofs
    forum: Forum
    shop: Shop
    orders: OrderService
    inbox: Inbox
    waiting: Waiting
    moderation: ModerationService
    records: Records
    sharing: Sharing
    announcing: Announcing
    watching: Watching
    pictures: Pictures
    operating: Operating
    following: Following
