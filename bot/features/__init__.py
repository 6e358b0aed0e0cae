"""The features of Kiosk, free of Discord."""

from collections import abc

from msgspec import Struct, field

from bot.features.accounts import Accounts
from bot.features.directory import Directory
from bot.features.following.announcing import Announcing
from bot.features.following.followed_threads import FollowedThreads
from bot.features.following.own_account import OwnAccount
from bot.features.following.poller import Poller
from bot.features.following.watching import Watching
from bot.features.moderation import ModerationService
from bot.features.reading.shop import Shop
from bot.features.reading.threads import ThreadService
from bot.features.server_setup import ServerSetup
from bot.features.writing.ledger import Ledger
from bot.features.writing.orders import Orders
from bot.features.writing.texts import Texts
from bot.i18n import spoken
from storage.installation import Installation
from storage.purging import MemberData
from storage.shown import ShownMessages
from storage.writes import Writes


class Contact(Struct, frozen=True):
    """Links and texts that the operator set, or "" for each that isn't set.

    `number_help` says how managers find the number of a thread or catalog. `number_help_in` has the
    same text in other languages, by the names of their catalogs.
    """

    support_url: str = ""
    privacy_url: str = ""
    number_help: str = ""
    number_help_in: abc.Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def number_words(self) -> str:
        """How to find a number, in the reader's language."""
        return spoken(self.number_help_in) or self.number_help


class Features(Struct, frozen=True):
    """Everything a cog may call."""

    accounts: Accounts
    directory: Directory
    server_setup: ServerSetup
    threads: ThreadService
    shown: ShownMessages
    shop: Shop
    orders: Orders
    writes: Writes
    ledger: Ledger
    texts: Texts
    moderation: ModerationService
    records: MemberData
    announcing: Announcing
    followed_threads: FollowedThreads
    watching: Watching
    poller: Poller
    own_account: OwnAccount
    installation: Installation
    contact: Contact

    async def erase(self, member_id: int) -> tuple[abc.Mapping[str, int], abc.Mapping[str, int]]:
        """Erase a member's records, and what this process remembers of them. See `MemberData`."""
        erased = await self.records.erase(member_id)
        await self.accounts.unlink(member_id)
        self.directory.forget(member_id)
        return erased
