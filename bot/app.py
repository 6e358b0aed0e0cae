"""Wire Kiosk together: open every resource, hand each to what needs it, close them all."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import aiohttp

from bot.background import BackgroundTasks, utc_now
from bot.errors import TokenSource
from bot.features import Features
from bot.features.accounts import Accounts
from bot.features.following.announcing import Announcing
from bot.features.following.owing import Owing
from bot.features.following.poller import Poller
from bot.features.moderation import ModerationService
from bot.features.moderation.policy import Policy
from bot.features.names import Directory
from bot.features.operating import Contact, RecentErrors
from bot.features.panels import PanelService
from bot.features.reading.shop import Shop
from bot.features.reading.threads import ThreadService
from bot.features.writing.ledger import Ledger
from bot.features.writing.orders import Orders
from bot.features.writing.texts import Texts
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.transport import open_write_session
from bot.program.housekeeping import keep_backups
from bot.program.kiosk import Kiosk
from bot.program.proxies import proxy_for
from bot.settings import Settings, SettingsError
from bot.ui.messages.outbox import Dispatcher
from bot.ui.messages.pacing import OPENING_INTERVAL, Openings
from storage import MIGRATIONS
from storage.claims import TERM, Claims
from storage.database import open_database
from storage.database.sqlite import PREFIX
from storage.following import Following
from storage.installation import Installation
from storage.links import Links
from storage.messages import Messages
from storage.moderation import Moderation, WordLists
from storage.names import MemberServers, Names, ThreadsRead
from storage.removals import Removals
from storage.retention import MemberData, Purge
from storage.shown import ShownMessages
from storage.writes import ORDERS, TEXTS, Writes

log = logging.getLogger(__name__)

# What members wait for is answered by then, or they were told that it is not.
_SECONDS_TO_FINISH = 0.5


@asynccontextmanager
async def open_bot(
    settings: Settings,
    *,
    now: Callable[[], datetime] = utc_now,
    claim_term: float = TERM,
    opening_interval: float = OPENING_INTERVAL,
) -> AsyncGenerator[Kiosk]:
    """Open every resource and yield a Kiosk that has not logged in; close them all at the end.

    `now` tells all of it the time, in UTC; the other two are in seconds. Raises SettingsError,
    DatabaseError.
    """
    vault = settings.vault()
    if settings.game_base_url is None:
        raise SettingsError(["GAME_BASE_URL: missing"])
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_url, MIGRATIONS))
        links = Links(database, vault, now)
        count, lost = await links.count()
        if lost and lost == count:
            raise SettingsError(["KIOSK_KEYS: no key opens any token: add the one back that did"])
        if lost:
            log.warning(
                "%s of %s members' tokens can't be opened with KIOSK_KEYS: add the missing key"
                " back, or those members are asked to link again",
                lost,
                count,
            )
        proxy = proxy_for(settings.game_base_url)
        session = await stack.enter_async_context(aiohttp.ClientSession(proxy=proxy))
        write_session = await stack.enter_async_context(open_write_session(proxy))
        # Left after the tasks: what still works in the background holds what it needs.
        claims = await stack.enter_async_context(Claims(database, term=claim_term))
        tasks = await stack.enter_async_context(BackgroundTasks(_SECONDS_TO_FINISH))
        tasks.start(claims.keep())
        try:
            client = GameClient(
                session,
                settings.game_base_url,
                tasks,
                now=now,
                body_format=settings.game_body_format,
                plain_http=settings.game_plain_http,
                write_session=write_session,
            )
        except GameError as error:
            raise SettingsError([f"GAME_BASE_URL: {error}"]) from None
        errors = stack.enter_context(RecentErrors().listening())
        openings = Openings(opening_interval)
        bot = _wire(settings, links, claims, tasks, client, errors, openings)
        if settings.monitoring_port is not None:
            # A web server and Prometheus' client, for those alone who use them.
            from bot.program.monitoring import serve

            await stack.enter_async_context(serve(settings.monitoring_port, bot, client, database))
        yield await stack.enter_async_context(bot)


def _wire(
    settings: Settings,
    links: Links,
    claims: Claims,
    tasks: BackgroundTasks,
    client: GameClient,
    errors: RecentErrors,
    openings: Openings,
) -> Kiosk:
    database = links.database
    vault = links.vault
    now = links.now
    outbox = Messages(database, now)
    source = TokenSource(settings.token_help, settings.token_url)
    accounts = Accounts(links, client, tasks, source)
    shown = ShownMessages(database, outbox, now)
    removals = Removals(database, vault, shown, Moderation(database, outbox, now), now)
    policy = Policy(removals, WordLists(database), tasks)
    writes = Writes(database, vault, outbox)
    threads = ThreadService(client, policy, tasks, ThreadsRead(database, now), writes)
    names = Names(database, outbox)
    shop = Shop(client, accounts, writes, tasks, now)
    texts = Texts(client, accounts, writes, now)
    orders = Orders(client, accounts, shop.catalogs, writes, now)
    ledger = Ledger(writes, dict.fromkeys(TEXTS, texts) | dict.fromkeys(ORDERS, orders), tasks, now)
    following = Following(database)
    owing = Owing(following, outbox, now)
    interval = settings.poll_interval
    token = settings.game_token
    poller = Poller(client, accounts, following, owing, now, interval, token)
    announcing = Announcing(following, owing, outbox, poller, shop, now)
    moderation = ModerationService(removals, policy, tasks, now)
    features = Features(
        accounts=accounts,
        directory=Directory(names, MemberServers(database, now), tasks),
        panels=PanelService(outbox, names, threads, announcing, moderation, client.health, tasks),
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
        poller=poller,
        installation=Installation(database),
        recent_errors=errors,
        contact=Contact(settings.support_url, settings.privacy_url),
    )
    dispatcher = Dispatcher(outbox, now, openings=openings)
    bot = Kiosk(features, tasks, claims, Purge(database), now, dispatcher)
    features.directory.title_of = bot.title_of
    if settings.backup_dir and settings.database_url.startswith(PREFIX):
        url = settings.database_url
        folder = Path(settings.backup_dir)
        bot.worker.add("backups", partial(keep_backups, url, folder, now))
    return bot
