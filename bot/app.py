"""Wire Kiosk together: open every resource, hand each to what needs it, close them all."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp

from bot.background import BackgroundTasks
from bot.clock import SteadyClock
from bot.features import Features
from bot.features.accounts import Accounts
from bot.features.forum import open_forum
from bot.features.names import Directory
from bot.features.orders.service import OrderService
from bot.features.sharing import Sharing
from bot.features.shop import Shop
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.transport import open_write_session
from bot.kiosk import Kiosk
from bot.settings import Settings, SettingsError
from storage import MIGRATIONS
from storage.authored import AuthoredComments
from storage.database import open_database
from storage.drafts import Drafts
from storage.facts import Facts
from storage.inbox import Inbox
from storage.links import Links
from storage.names import Names
from storage.orders import Orders
from storage.outcomes import Outcomes
from storage.shares import Shares
from storage.shown import ShownMessages
from storage.vault import Vault


@asynccontextmanager
async def open_bot(
    settings: Settings, session: aiohttp.ClientSession | None = None
) -> AsyncGenerator[Kiosk]:
    """Open every resource and yield a Kiosk that has not logged in; close them all at the end.

    An aiohttp session may be handed in; it is then left open. Raises SettingsError, DatabaseError.
    """
    if not settings.kiosk_keys:
        raise SettingsError(["KIOSK_KEYS: missing; make a key with `python -m bot keys new`"])
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_url, MIGRATIONS))
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
        tasks = await stack.enter_async_context(BackgroundTasks())
        client = _client(settings, session, write_session, tasks)
        accounts = Accounts(links, client, tasks)
        shown = ShownMessages(database)
        forum = open_forum(
            client,
            accounts,
            Drafts(database, vault),
            AuthoredComments(database),
            Outcomes(database),
            shown,
            tasks,
            clock,
        )
        ledger = Orders(database)
        shop = Shop(client, accounts, ledger, tasks)
        orders = OrderService(ledger, shop, accounts, client, tasks, clock=clock)
        features = Features(
            accounts=accounts,
            directory=Directory(Names(database), tasks),
            forum=forum,
            shop=shop,
            orders=orders,
            inbox=Inbox(database),
            sharing=Sharing(Shares(database), shown, clock),
        )
        yield await stack.enter_async_context(Kiosk(features, Facts(database), tasks))


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
            write_session=write_session,
        )
    except GameError as error:
        raise SettingsError([f"GAME_BASE_URL: {error}"]) from None
