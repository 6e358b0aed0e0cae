"""Wire the features together: one of each, handed what it stands on."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

from msgspec import Struct

from bot.background import BackgroundTasks
from bot.errors import TokenSource
from bot.features import Features
from bot.features.accounts import Accounts, Records
from bot.features.following.announcing import Announcing
from bot.features.following.looks import Callers, CatalogLook, ThreadLook
from bot.features.following.owing import Owing
from bot.features.following.poller import Poller
from bot.features.following.watching import Watching
from bot.features.forum import Forum
from bot.features.forum.threads import ThreadService
from bot.features.moderation import ModerationService
from bot.features.moderation.policy import Policy
from bot.features.moderation.words import WordLists
from bot.features.names import Directory
from bot.features.operating import Operating, RecentErrors
from bot.features.panels import PanelService, Proofs
from bot.features.pictures import Pictures
from bot.features.sharing import Sharing
from bot.features.shop import Shop
from bot.features.writing.ledger import Ledger, by_kind
from bot.features.writing.orders import OrderDoing, OrderService
from bot.features.writing.texts import TextDoing, TextService
from bot.game.client import GameClient
from bot.settings import Settings
from storage.claims import Claims
from storage.database import Database
from storage.following import FollowedPlaces, MessageEvents, Subscriptions
from storage.inbox import Inbox
from storage.installation import Emojis, Installation
from storage.links import Links
from storage.messages import Messages
from storage.moderation import Moderation
from storage.names import MemberServers, Names, PlaceKind
from storage.removals import Removals
from storage.retention import MemberData
from storage.shown import ShownMessages
from storage.vault import Vault
from storage.vetting import VetLists
from storage.writes import ORDERS, TEXTS, Writes


class Base(Struct, frozen=True, dict=True):
    """What the features stand on, all of it open."""

    settings: Settings
    database: Database
    vault: Vault
    links: Links
    now: Callable[[], datetime]
    tasks: BackgroundTasks
    client: GameClient
    errors: RecentErrors
    claims: Claims

    @cached_property
    def outbox(self) -> Messages:
        """What Kiosk owes to Discord."""
        return Messages(self.database, self.now)

    @cached_property
    def emojis(self) -> Emojis:
        """Which of the game's pictures are emojis."""
        return Emojis(self.database)


def wire_features(base: Base) -> Features:
    """Return everything a cog may call."""
    database, now, client, tasks = base.database, base.now, base.client, base.tasks
    source = TokenSource(base.settings.token_help, base.settings.token_url)
    accounts = Accounts(base.links, client, tasks, source)
    shown = ShownMessages(database, base.outbox, now)
    moderation = _moderation(base, accounts, shown)
    forum = Forum(ThreadService(client, moderation.policy, tasks), shown)
    writes = Writes(database, base.vault, base.outbox)
    names = Names(database, base.outbox)
    pictures = Pictures(base.emojis, tasks, now)
    shop = Shop(client, accounts, writes, tasks, now, pictures.note)
    texts = TextDoing(client, accounts, writes, now)
    orders = OrderDoing(client, accounts, shop.catalogs, now)
    ledger = Ledger(writes, by_kind((texts, TEXTS), (orders, ORDERS)), tasks, now)
    places, subscriptions = FollowedPlaces(database), Subscriptions(database)
    events = MessageEvents(database)
    owing = Owing(subscriptions, events, base.outbox, now)
    callers = Callers(accounts, subscriptions, base.settings.game_token)
    looks = {
        PlaceKind.CATALOG: CatalogLook(client, callers, places, owing, now, pictures.note),
        PlaceKind.THREAD: ThreadLook(client, places, owing, now),
    }
    poller = Poller(places, looks, now, base.settings.poll_interval)
    announcing = Announcing(
        client, callers, places, subscriptions, events, owing, base.outbox, poller, now
    )
    return Features(
        accounts=accounts,
        directory=Directory(names, MemberServers(database, now), tasks),
        panels=PanelService(base.outbox, names),
        forum=forum,
        shop=shop,
        writes=writes,
        ledger=ledger,
        texts=TextService(ledger, texts, accounts),
        orders=OrderService(ledger, shop.catalogs, accounts, tasks),
        moderation=moderation,
        inbox=Inbox(database, base.vault, now),
        records=Records(MemberData(database, base.vault, now), accounts),
        sharing=Sharing(shown),
        announcing=announcing,
        poller=poller,
        proofs=Proofs(forum.threads, announcing, tasks),
        pictures=pictures,
        watching=Watching(subscriptions, events, shop, accounts, poller, now),
        operating=Operating(Installation(database), client.health, base.errors),
    )


def _moderation(base: Base, accounts: Accounts, shown: ShownMessages) -> ModerationService:
    moderation = Moderation(base.database, base.outbox, base.now)
    removals = Removals(base.database, base.vault, shown, moderation, base.now)
    lists = VetLists(base.database)
    policy = Policy(removals, lists, base.tasks)
    return ModerationService(
        base.client,
        accounts,
        removals,
        policy,
        WordLists(lists, policy, base.tasks, base.now),
        base.tasks,
        base.now,
    )
