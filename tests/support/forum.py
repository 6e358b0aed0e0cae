"""A member's view of the forum, with a proxy in front of the game that can fail and counts."""

import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simcord

from game_service.app import Service
from storage import MIGRATIONS
from storage.database import open_database
from storage.writes import Text, WriteKind
from tests.support.cards import (
    answer_of,
    buttons_of,
    components,
    opens,
    replies_to,
    selects_of,
    text_of,
)
from tests.support.clock import RunningClock
from tests.support.faulty_proxy import FaultyProxy, Passing, is_write, open_proxy
from tests.support.game import open_game_copy
from tests.support.owed import let_leases_end
from tests.support.world import EMPTY, World, open_world, past_of

BIG, SMALL = "1", "2"


@dataclass
class ForumTown:
    """The world, the game behind it, and the proxy between them."""

    world: World
    proxy: FaultyProxy

    @property
    def game(self) -> Service:
        assert self.world.game is not None
        return self.world.game

    @property
    def reads(self) -> int:
        return sum(passing.path.endswith("/comments") for passing in self._asked("GET"))

    @property
    def writes(self) -> int:
        return sum(map(is_write, self.proxy.forwarded.past))

    def _asked(self, method: str) -> list[Passing]:
        return [passing for passing in self.proxy.forwarded.past if passing.method == method]

    async def read(
        self, thread: str = BIG, actor: simcord.MemberActor | None = None, **options: Any
    ) -> simcord.InteractionResult:
        return await self.world.slash("forum read", actor, thread=thread, **options)

    async def post(
        self, content: str, thread: str = EMPTY, actor: simcord.MemberActor | None = None
    ) -> simcord.InteractionResult:
        return await self.world.slash("forum post", actor, thread=thread, content=content)

    async def press(
        self, shown: Any, label: str, actor: simcord.MemberActor | None = None
    ) -> simcord.InteractionResult:
        actor = actor or self.world.member
        for part in components(shown):
            if part.get("label") == label and not part.get("disabled"):
                return await actor.click(answer_of(shown), custom_id=part["custom_id"])
        raise AssertionError(f"no button says {label!r} on this card:\n{text_of(shown)}")

    async def form_of(self, opened: simcord.InteractionResult) -> simcord.InteractionResult:
        """Return the form to edit in, after one more press if the game was too slow for it."""
        return opened if opened.modal is not None else await self.press(opened, "Edit")

    async def open_comment(
        self, shown: Any, comment_id: int, actor: simcord.MemberActor | None = None
    ) -> simcord.InteractionResult:
        return await self._choose(shown, opens(shown, comment_id)[0], actor)

    async def reply_to(
        self, shown: Any, comment_id: int, actor: simcord.MemberActor | None = None
    ) -> simcord.InteractionResult:
        return await self._choose(shown, replies_to(shown, comment_id)[0], actor)

    async def choose(self, shown: Any, label: str) -> simcord.InteractionResult:
        """Choose the entry of a card's only list that says this."""
        labels = {value: entry["label"] for value, entry in entries_of(shown).items()}
        (value,) = (value for value, each in labels.items() if each == label)
        return await self._choose(shown, value, None)

    async def open_text(self, listed: Any, nth: int = 0) -> simcord.InteractionResult:
        """Open a text of the list of unsent ones."""
        return await self._choose(listed, list(entries_of(listed))[nth], None)

    async def _choose(
        self, shown: Any, value: str, actor: simcord.MemberActor | None
    ) -> simcord.InteractionResult:
        (listed,) = selects_of(shown)
        actor = actor or self.world.member
        return await actor.select(answer_of(shown), [value], custom_id=listed["custom_id"])

    async def texts_in(self, thread: str = EMPTY) -> list[str]:
        rows = await self.game.database.fetch(
            "SELECT content FROM comments WHERE thread_id = :id ORDER BY id", id=int(thread)
        )
        return [row["content"] for row in rows]

    async def change(self, sql: str) -> None:
        """Change the bot's database as another process may."""
        async with open_database(self.world.settings.database_url, MIGRATIONS) as database:
            await database.execute(sql)

    async def let_arrive(self) -> None:
        """Let the time pass in which what was sent may still arrive."""
        await self.world.pass_time(36)

    async def send_again(self, shown: Any) -> None:
        await self.press(shown, "Send again…")
        await self.press(shown, "Send again")

    async def cut_off(self, text: str, locale: str = "en-US", *, number: int = 1) -> None:
        """Leave a text behind whose process ended before the game was asked."""
        bot, member = self.world.bot, self.world.member
        new = Text(number, member.id, WriteKind.POST, int(EMPTY), body=text, locale=locale)
        await bot.features.writes.keep_text(new, now=bot.now())
        await let_leases_end(self.world)

    async def expire_tokens(self) -> None:
        await self.game.database.execute("DELETE FROM tokens")


async def turn_text(town: ForumTown, shown: Any) -> bool:
    """Press on to the next page of a long text; tells whether there was one."""
    for button in components(shown):
        if button.get("label") == "Next part" and not button.get("disabled"):
            await town.world.member.click(answer_of(shown), custom_id=button["custom_id"])
            return True
    return False


def entries_of(shown: Any) -> dict[str, dict[str, Any]]:
    return {entry["value"]: entry for listed in selects_of(shown) for entry in listed["options"]}


def number_of(shown: Any) -> int:
    match = re.search(r"· #(\d+)", text_of(shown))
    assert match is not None, text_of(shown)
    return int(match.group(1))


def numbers_of(shown: Any) -> list[int]:
    return [int(number) for number in re.findall(r"· #(\d+)", text_of(shown))]


def can_press(shown: Any, label: str) -> bool:
    button = buttons_of(shown).get(label)
    return button is not None and not button.get("disabled")


@asynccontextmanager
async def open_forum_town(filled: str, folder: Path, *tokens: str) -> AsyncGenerator[ForumTown]:
    """Open a world whose bot reaches a copy of a filled demo game through a proxy.

    Its places have names, and the member and the friend are linked with these tokens.
    """
    past, clock = past_of(os.environ.get("DATABASE"), filled, tokens), RunningClock()
    async with (
        open_game_copy(filled, folder, clock=clock) as game,
        open_proxy(game.base_url) as proxy,
        open_world(folder, proxy.base_url, past=past, clock=clock) as world,
    ):
        world.game = game
        yield ForumTown(world, proxy)
