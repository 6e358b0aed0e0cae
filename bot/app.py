"""Wire Kiosk together: open every resource, hand each to what needs it, close them all."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp

from bot.background import BackgroundTasks
from bot.clock import SteadyClock
from bot.domain.links import TokenSource
from bot.features import Features
from bot.features.accounts import Accounts
from bot.features.announcing.callers import Callers
from bot.features.announcing.service import Announcing
from bot.features.following.service import Following
from bot.features.forum import open_forum
from bot.features.moderation import ModerationService
from bot.features.moderation.vetting import Vetting
from bot.features.names import Directory
from bot.features.operating import Operating, RecentErrors
from bot.features.orders.service import OrderService
from bot.features.panels import PanelService
from bot.features.pictures import Pictures
from bot.features.proofs import Proofs
from bot.features.records import Records
from bot.features.shared_limit import SharedLimit
from bot.features.sharing import Sharing
from bot.features.shop import Shop
from bot.features.watching.service import Watching
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.wire import open_write_session
from bot.kiosk import Kiosk
from bot.roles import Role
from bot.settings import Settings, SettingsError
from bot.worker.emojis import EmojiUploads
from bot.worker.outbox import Dispatcher
from bot.worker.pacing import Openings
from storage import MIGRATIONS
from storage.announcements import Announcements
from storage.authored import AuthoredComments
from storage.catalog_snapshots import CatalogSnapshots
from storage.changes import Changes
from storage.claims import PROCESSES, Claims
from storage.database import Database, open_database
from storage.drafts import Drafts
from storage.emojis import Emojis
from storage.facts import Facts
from storage.figures import Figures
from storage.follows import Follows
from storage.identifies import Identifies
from storage.inbox import Inbox
from storage.links import Links
from storage.log_cards import LogCards
from storage.member_servers import MemberServers
from storage.members import MemberData
from storage.moderation import Moderation
from storage.names import Names
from storage.orders import Orders
from storage.outbox import DirectChannels, Outbox
from storage.outcomes import Outcomes
from storage.panels import Panels
from storage.pauses import Pauses
from storage.purging import Purge
from storage.removals import Removals
from storage.removed_messages import RemovedMessages
from storage.reports import Reports
from storage.resealing import Seals
from storage.servers import GoneServers
from storage.shares import Shares
from storage.shown import ShownMessages
from storage.subscriptions import Subscriptions
from storage.untold import Untold
from storage.vault import Vault
from storage.vetting import VetLists
from storage.watches import Watches

if TYPE_CHECKING:
    from bot.monitoring.server import Monitoring

# What members wait for is answered by then, or they were told that it is not.
_SECONDS_TO_FINISH = 0.5


@asynccontextmanager
async def open_bot(
    settings: Settings, session: aiohttp.ClientSession | None = None, role: Role = Role.RUN
) -> AsyncGenerator[Kiosk]:
    """Open every resource and yield a Kiosk that has not logged in; close them all at the end.

    An aiohttp session may be handed in; it is then left open. Raises SettingsError, DatabaseError.
    """
    if not settings.kiosk_keys:
        raise SettingsError(["KIOSK_KEYS: missing; make a key with `python -m bot keys new`"])
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_url, MIGRATIONS))
        monitoring = _monitoring(settings)
        if monitoring:
            database = monitoring.timed(database)
        vault = Vault(settings.kiosk_keys)
        clock = SteadyClock()
        links = Links(database, vault)
        if await links.unknown_keys():
            raise SettingsError(
                ["KIOSK_KEYS: a key that sealed tokens in this database is missing; add it back"]
            )
        write_session = session
        if session is None:
            session = await stack.enter_async_context(aiohttp.ClientSession())
            write_session = await stack.enter_async_context(open_write_session())
        # Left after the tasks: what still works in the background holds what it needs.
        claims = await stack.enter_async_context(Claims(database, term=settings.lease_seconds))
        tasks = await stack.enter_async_context(BackgroundTasks(_SECONDS_TO_FINISH))
        tasks.start(claims.keep())
        client = _client(settings, session, write_session, tasks)
        changes = _share(database, claims, client, tasks, clock)
        source = TokenSource(settings.token_help, settings.token_url)
        accounts = Accounts(links, client, tasks, changes, source)
        outbox = Outbox(database, clock)
        removed_messages = RemovedMessages(database, outbox, clock)
        shown = ShownMessages(database, removed_messages, clock)
        forum = open_forum(
            client,
            accounts,
            Drafts(database, vault),
            AuthoredComments(database, vault),
            Outcomes(database),
            Untold(database, outbox),
            shown,
            tasks,
            clock,
        )
        cards = LogCards(database, outbox)
        panels = Panels(database, outbox)
        names = Names(database, panels)
        removals = Removals(database, vault, removed_messages, cards, clock)
        ledger = Orders(database, outbox)
        emojis = Emojis(database)
        pictures = Pictures(emojis, tasks, changes, clock)
        shop = Shop(client, accounts, ledger, tasks, pictures.note)
        orders = OrderService(ledger, shop, accounts, client, tasks, clock=clock)
        watches = Watches(database, outbox)
        announcing = _announcing(
            settings, database, client, accounts, watches, outbox, clock, pictures
        )
        features = Features(
            accounts=accounts,
            directory=Directory(names, MemberServers(database, clock), tasks, changes),
            panels=PanelService(panels, names),
            forum=forum,
            shop=shop,
            orders=orders,
            moderation=ModerationService(
                client,
                accounts,
                Moderation(database, clock),
                removals,
                Reports(database, vault, removals, clock),
                Vetting(VetLists(database, removals, clock), tasks, changes),
                tasks,
                changes,
                clock,
            ),
            inbox=Inbox(database, vault),
            records=Records(MemberData(database, vault), accounts),
            sharing=Sharing(Shares(database), shown, clock),
            announcing=announcing,
            following=Following(
                client, Follows(database), outbox, clock=clock, interval=settings.poll_interval
            ),
            proofs=Proofs(forum.threads, announcing, tasks),
            pictures=pictures,
            watching=Watching(watches, shop, accounts, announcing.poller.hurry, clock),
            operating=Operating(
                Figures(database, outbox),
                client.health,
                stack.enter_context(RecentErrors().listening()),
            ),
        )
        bot = Kiosk(
            features,
            tasks,
            Facts(database),
            claims,
            Identifies(database),
            GoneServers(database),
            Purge(database),
            Seals(database, vault),
            Dispatcher(
                outbox,
                DirectChannels(database),
                clock,
                openings=Openings(settings.direct_channel_interval),
            ),
            uploads=EmojiUploads(emojis, clock) if settings.emojis else None,
            role=role,
            shard_ids=settings.shard_ids,
            shard_count=settings.shard_count,
        )
        if monitoring:
            await stack.enter_async_context(monitoring.serve(bot, client))
        yield await stack.enter_async_context(bot)


def _monitoring(settings: Settings) -> "Monitoring | None":
    if settings.monitoring_port is None:
        return None
    # A web server and Prometheus' client, for those alone who use them.
    from bot.monitoring.server import Monitoring

    return Monitoring(settings.monitoring_port)


def _announcing(
    settings: Settings,
    database: Database,
    client: GameClient,
    accounts: Accounts,
    watches: Watches,
    outbox: Outbox,
    clock: SteadyClock,
    pictures: Pictures,
) -> Announcing:
    subscriptions = Subscriptions(database)
    return Announcing(
        client,
        Callers(accounts, subscriptions, watches, settings.game_token),
        CatalogSnapshots(database),
        subscriptions,
        Announcements(database),
        watches,
        outbox,
        clock=clock,
        interval=settings.poll_interval,
        on_items=pictures.note,
    )


def _share(
    database: Database,
    claims: Claims,
    client: GameClient,
    tasks: BackgroundTasks,
    clock: SteadyClock,
) -> Changes:
    """Keep up, in the background, with what other processes change and what the game asks them."""

    async def count() -> int:
        return len(await claims.live(PROCESSES))

    changes = Changes(database)
    tasks.start(changes.run())
    limit = SharedLimit(client.limiter, count, Pauses(database), changes, clock)
    tasks.start(limit.run())
    return changes


def _client(
    settings: Settings,
    session: aiohttp.ClientSession,
    write_session: aiohttp.ClientSession | None,
    tasks: BackgroundTasks,
) -> GameClient:
    if settings.game_base_url is None:
        raise SettingsError(["GAME_BASE_URL: missing"])
    try:
        return GameClient(
            session,
            settings.game_base_url,
            tasks,
            body_format=settings.game_body_format,
            plain_http=settings.game_plain_http,
            write_session=write_session,
        )
    except GameError as error:
        raise SettingsError([f"GAME_BASE_URL: {error}"]) from None
