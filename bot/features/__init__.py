"""What Kiosk does, free of Discord."""

from msgspec import Struct

from bot.features.accounts import Accounts, Records
from bot.features.following.announcing import Announcing, Watching
from bot.features.following.poller import Poller
from bot.features.forum import Forum
from bot.features.moderation import ModerationService
from bot.features.names import Directory
from bot.features.operating import Operating
from bot.features.panels import PanelService, Proofs
from bot.features.pictures import Pictures
from bot.features.shop import Shop
from bot.features.writing.ledger import Ledger
from bot.features.writing.orders import OrderService
from bot.features.writing.texts import TextService
from storage.writes import Writes


class Features(Struct, frozen=True):
    """Everything a cog may call."""

    accounts: Accounts
    directory: Directory
    panels: PanelService
    proofs: Proofs
    forum: Forum
    shop: Shop
    orders: OrderService
    writes: Writes
    ledger: Ledger
    texts: TextService
    moderation: ModerationService
    records: Records
    announcing: Announcing
    poller: Poller
    watching: Watching
    pictures: Pictures
    operating: Operating
