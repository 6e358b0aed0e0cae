"""Wire the core together, each part with what it needs."""

import datetime as dt
from collections import abc

from msgspec import Struct

from bot.background import BackgroundTasks
from bot.errors import TokenSource
from bot.features import Contact, Features
from bot.features.accounts import Accounts
from bot.features.directory import Directory
from bot.features.following.announcing import Announcing
from bot.features.following.followed_threads import FollowedThreads
from bot.features.following.owing import NewsQueue
from bot.features.following.own_account import OwnAccount
from bot.features.following.poller import Poller
from bot.features.following.watching import Watching
from bot.features.moderation import ModerationService
from bot.features.moderation.policy import Policy
from bot.features.reading.shop import Shop
from bot.features.reading.threads import ThreadService
from bot.features.server_setup import ServerSetup
from bot.features.writing.ledger import Ledger
from bot.features.writing.orders import Orders
from bot.features.writing.texts import Texts
from bot.game.game_client import GameClient
from bot.settings import Settings
from bot.ui.hooks import Hooks
from storage.cases import Cases
from storage.database import Database
from storage.deliveries import Deliveries
from storage.following import Following
from storage.held_back import HeldBack
from storage.installation import Installation
from storage.links import Links
from storage.member_reports import Reports
from storage.member_watches import MemberWatches
from storage.messages import Messages
from storage.moderation import ModerationSettings, WordLists
from storage.names import MemberServers, Names
from storage.purging import MemberData
from storage.removals import Removals
from storage.shown import ShownMessages
from storage.subscriptions import Subscriptions
from storage.writes import ORDERS, TEXTS, Writes


class Core(Struct, frozen=True):
    """What a feature is built from: the core's services, its hooks, and what they all use."""

    features: Features
    database: Database
    messages: Messages
    client: GameClient
    tasks: BackgroundTasks
    hooks: Hooks
    now: abc.Callable[[], dt.datetime]


def wire_core(
    settings: Settings, links: Links, outbox: Messages, client: GameClient, tasks: BackgroundTasks
) -> Core:
    database = links.database
    vault = links.vault
    now = links.now
    hooks = Hooks()
    source = TokenSource(settings.token_help, settings.token_url, settings.token_help_in)
    accounts = Accounts(links, client, tasks, source)
    shown = ShownMessages(database, outbox, now)
    cases = Cases(database, vault, outbox, now)
    server_settings = ModerationSettings(database, outbox, now)
    removals = Removals(database, cases, shown, hooks.decided, now)
    held_back = HeldBack(database, cases, removals, server_settings, now)
    policy = Policy(held_back, WordLists(database, now), tasks)
    writes = Writes(database, vault, outbox)
    threads = ThreadService(client, policy, tasks, writes)
    names = Names(database, outbox)
    shop = Shop(client, accounts, writes, tasks, now)
    following = Following(database)
    subscribed = Subscriptions(database)
    deliveries = Deliveries(database)
    owing = NewsQueue(following, subscribed, deliveries, outbox, now)
    own_account = OwnAccount(client, tasks.clock, settings.game_token)
    poller = Poller(
        client, own_account, following, subscribed, owing, tasks.clock, settings.poll_interval
    )
    announcing = Announcing(
        following, subscribed, deliveries, owing, outbox, poller, own_account, now
    )
    followed_threads = FollowedThreads(following, subscribed, deliveries, outbox, poller, now)
    watching = Watching(accounts, MemberWatches(database), outbox, poller, shop, now)
    texts = Texts(client, accounts, writes, hooks.written, tasks.clock)
    orders = Orders(client, accounts, shop.catalogs, writes, now)
    ledger = Ledger(writes, dict.fromkeys(TEXTS, texts) | dict.fromkeys(ORDERS, orders), tasks, now)
    moderation = ModerationService(
        removals,
        held_back,
        Reports(database, cases, now),
        server_settings,
        policy,
        threads.is_gone,
        tasks,
        now,
    )
    features = Features(
        accounts=accounts,
        directory=Directory(names, MemberServers(database, now), tasks),
        server_setup=ServerSetup(
            names, threads, shop, announcing, own_account, moderation, client.health, tasks
        ),
        threads=threads,
        shown=shown,
        shop=shop,
        writes=writes,
        ledger=ledger,
        texts=texts,
        orders=orders,
        moderation=moderation,
        records=MemberData(database, vault, now),
        announcing=announcing,
        followed_threads=followed_threads,
        watching=watching,
        poller=poller,
        own_account=own_account,
        installation=Installation(database),
        contact=Contact(
            settings.support_url,
            settings.privacy_url,
            settings.number_help,
            settings.number_help_in,
        ),
    )
    return Core(features, database, outbox, client, tasks, hooks, now)
