"""A pause that the game asks for holds for the token it was asked of."""

from pathlib import Path

from pydantic import SecretStr

from bot.app import open_bot
from bot.background import utc_now
from storage.following import News, NewSubscription
from storage.names import PlaceKind
from tests.support.announcing import thread_in
from tests.support.game_samples import page
from tests.support.rogue_game import open_rogue_game, reply
from tests.support.world import settings_for

CATALOG, THREAD = 1, 3


async def test_a_pause_of_the_operators_token_stops_no_reading_of_threads(tmp_path: Path) -> None:
    async with open_rogue_game() as game:
        settings = settings_for(tmp_path, game.base_url)
        settings = settings.model_copy(update={"game_token": SecretStr("the-operators")})
        async with open_bot(settings) as one, open_bot(settings) as two:
            subscriptions = one.features.announcing.following
            new = NewSubscription(
                guild_id=1,
                channel_id=20,
                channel_kind=0,
                game_id=CATALOG,
                news=frozenset(News),
                locale="en-US",
                created_by=7,
            )
            await subscriptions.add(new, now=utc_now())
            await subscriptions.add(
                thread_in(1, 30, 0, THREAD),
                now=utc_now(),
            )
            game.answers(reply(status=429, headers={"Retry-After": "300"}), reply(page()))

            assert not await one.features.poller.poll(PlaceKind.CATALOG, CATALOG)

            for bot in (one, two):
                assert await bot.features.poller.poll(PlaceKind.THREAD, THREAD)
