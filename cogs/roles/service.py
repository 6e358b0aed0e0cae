"""Give, check and take away servers' roles for what members have in the game."""

import asyncio
import datetime as dt
import logging
from collections import abc

import msgspec

from bot import cache, errors
from bot.background import BackgroundTasks
from bot.features import feature_errors, matching
from bot.features.accounts import Accounts
from bot.features.reading.catalogs import Catalogs
from bot.game.game_errors import GameError
from bot.rest import Rest
from bot.visible import is_visible
from storage import moderation, roles
from storage.links import Link
from storage.storage_errors import DatabaseError
from storage.writes import Order

log = logging.getLogger(__name__)

# As many as Discord takes in one list.
MAX_RULES = 25
_DAY = dt.timedelta(days=1)
# How long Kiosk waits before it tries a refused role again.
_BETWEEN_TRIES = dt.timedelta(hours=1)
# How long the game may not yet show a bought item.
_NEWLY_GIVEN = dt.timedelta(hours=1)
# A tenth of Kiosk's own limit of requests a second. 50,000 members with 8 pages each take 22 hours.
PAGES_PER_SECOND = 5
_MEMBERS_AT_ONCE = 8
# How many members are checked before Kiosk asks who is due next.
_MAX_DUE = 100
_SECONDS_WHILE_NONE = 60.0
# How long not to check again which roles a member who came back to a server lacks.
_MET = 24 * 3600.0


async def at_once() -> None:
    """Don't wait for a turn."""


class RoleService:
    def __init__(
        self,
        rules: roles.RoleRules,
        accounts: Accounts,
        catalogs: Catalogs,
        tasks: BackgroundTasks,
        presence_of: abc.Callable[[int, int], abc.Awaitable[roles.Presence | None]],
    ) -> None:
        """Take `presence_of`, which asks Discord about a server's member, None if not there."""
        self.rules = rules
        self.accounts = accounts
        self.catalogs = catalogs
        self._tasks = tasks
        self.presence_of = presence_of
        self._clock = tasks.clock
        self._next_turn_at = self._clock.monotonic()
        self._rest = Rest(self._clock)
        # One for each running task that checks members.
        self._looks = set[Rest]()
        # The time when a member joined, by server and member.
        self._met = cache.TtlCache[tuple[int, int], dt.datetime](tasks, lifetime=_MET)

    async def add(
        self, new: roles.NewRule, item: str, line_of: moderation.LineOf[roles.RoleRule]
    ) -> roles.RoleRule:
        """Save a rule for an `item`, by its name or number in the catalog as its creator sees it.

        Raises AlreadyARoleRule, TooManyRoleRules, ItemNeeded, ItemNotNeeded, UnknownItem,
        SeveralFit, CatalogNotInGame, AccountError, GameError.
        """
        owns = new.kind is roles.RuleKind.OWNS
        if is_visible(item) is not owns:
            wrong = feature_errors.ItemNeeded if owns else feature_errors.ItemNotNeeded
            raise wrong(name=item)
        if len(await self.rules.of_guild(new.guild_id)) >= MAX_RULES:
            raise feature_errors.TooManyRoleRules(most=str(MAX_RULES))
        if owns:
            link = await self.accounts.require(new.created_by, to_look=True)
            async with self.accounts.using(link) as caller:
                reading = await self.catalogs.read(caller, new.catalog_id, fresh=True)
            meant = matching.resolve(
                item,
                [entry.item for entry in reading.items],
                name_of=lambda item: item.name,
                number_of=lambda item: item.id,
                unknown=feature_errors.UnknownItem,
            )
            new = msgspec.structs.replace(new, item_id=meant.id, item_name=meant.name)
        added = await self.rules.add(new, line_of)
        if added is None:
            raise feature_errors.AlreadyARoleRule
        return added

    async def find(self, guild_id: int, rule_id: int) -> roles.RoleRule:
        """Return a server's rule. Raises OldButton."""
        rule = await self.rules.find(rule_id)
        if rule is None or rule.guild_id != guild_id:
            raise errors.OldButton
        return rule

    async def switch(
        self, rule: roles.RoleRule, line_of: moderation.LineOf[roles.RoleRule], *, takes_away: bool
    ) -> None:
        """Set whether members lose the role when they no longer qualify."""
        await self.rules.switch(rule, takes_away=takes_away, line_of=line_of)

    async def remove(
        self, rule: roles.RoleRule, line_of: moderation.LineOf[roles.RoleRule]
    ) -> None:
        await self.rules.remove(rule, line_of)

    async def resume(self, *refused: roles.RoleRule) -> None:
        """Try again to give roles that Discord has refused."""
        for rule in refused:
            await self.rules.clear_refusal(rule)

    async def give_bought(self, bought: Order) -> None:
        """Give a member the roles for an item that they bought."""
        for rule in await self.rules.for_member(bought.member_id):
            if rule.kind is roles.RuleKind.OWNS and rule.item_id == bought.item_id:
                await self.rules.give(bought.member_id, bought.token_key, rule)

    def meet(self, guild_id: int, member_id: int, presence: roles.Presence) -> None:
        """Check a member who came back to a server, when they use Kiosk there."""
        joined_at, role_ids = presence
        if self._met.known((guild_id, member_id)) != joined_at:
            self._met.put((guild_id, member_id), joined_at)
            looking = self._meet(guild_id, member_id, joined_at, role_ids)
            self._tasks.start(looking, finish=True)

    async def _meet(
        self, guild_id: int, member_id: int, joined_at: dt.datetime, role_ids: abc.Set[int]
    ) -> None:
        try:
            if await self.rules.given_before(guild_id, member_id, joined_at) - role_ids:
                await self.check(member_id)
        except DatabaseError as error:
            log.info("Can't check which roles member %s lacks: %s", member_id, error)
            self._met.forget((guild_id, member_id).__eq__)

    async def look_after(self, member_id: int, here: int | None) -> None:
        """Check a member who linked or unlinked. A failed check is repeated within a day."""
        try:
            await self.check(member_id, here, is_linked_anew=True)
        except DatabaseError as error:
            log.warning("Can't check the roles of member %s: %s", member_id, error)

    async def check(
        self,
        member_id: int,
        here: int | None = None,
        *,
        is_linked_anew: bool = False,
        turn: abc.Callable[[], abc.Awaitable[object]] = at_once,
    ) -> None:
        """Give a member the roles they qualify for, and take away those they no longer qualify for.

        A lost role is given again if the member left the server and came back, or linked again.
        While the game can't say, nothing changes. Each page is read in its `turn`.
        """
        had = await self.rules.had_by(member_id)
        try:
            link = await self.accounts.find(member_id)
        except errors.LinkUnreadable:
            return
        if link is not None and link.is_refused:
            return
        token_key = None if link is None else link.token_key
        all_rules = await self.rules.for_member(member_id, here)
        items = await self._items(link, all_rules, turn)
        roles_had = {(role.guild_id, role.role_id): role for role in had}
        by_role: dict[tuple[int, int], list[roles.RoleRule]] = {}
        for rule in all_rules:
            by_role.setdefault((rule.guild_id, rule.role_id), []).append(rule)
        presences: dict[int, roles.Presence | None] = {}
        for key, rules in by_role.items():
            role = roles_had.get(key)
            holds = [_holds(rule, link, items) for rule in rules]
            if True in holds and (
                role is None or await self._is_lost(role, presences, is_linked_anew=is_linked_anew)
            ):
                await self.rules.give(member_id, token_key, rules[holds.index(True)])
            elif role is not None and not {True, None}.intersection(holds):
                is_new = self.rules.now() - role.wanted_at < _NEWLY_GIVEN
                if roles.are_taken(rules) and not (link and is_new):
                    await self.rules.take(role, token_key)

    async def _is_lost(
        self,
        role: roles.Given,
        presences: dict[int, roles.Presence | None],
        *,
        is_linked_anew: bool,
    ) -> bool:
        """Return whether a member lost a role from Kiosk, and should get it again."""
        if role.settled_at is None or not (role.message_id or role.had_already):
            return False
        if is_linked_anew:
            # Giving a role that a member has changes nothing.
            return True
        guild_id = role.guild_id or 0
        if guild_id not in presences:
            presences[guild_id] = await self.presence_of(guild_id, role.about_member or 0)
        presence = presences[guild_id]
        if presence is None or role.role_id in presence[1]:
            return False
        return role.settled_at < presence[0]

    async def _items(
        self,
        link: Link | None,
        rules: abc.Iterable[roles.RoleRule],
        turn: abc.Callable[[], abc.Awaitable[object]],
    ) -> abc.Mapping[int, bool]:
        """Return the rules' items that catalogs show a member, and whether they own them."""
        items: dict[int, bool] = {}
        if link is None:
            return items
        wanted: dict[int, set[int]] = {}
        for rule in rules:
            if rule.kind is roles.RuleKind.OWNS:
                wanted.setdefault(rule.catalog_id, set()).add(rule.item_id)
        for catalog_id, item_ids in wanted.items():
            try:
                async with self.accounts.using(link, is_use=False) as caller:
                    items |= await self.catalogs.find_owned(caller, catalog_id, item_ids, turn)
            except (errors.KioskError, GameError) as error:
                log.info("Can't check who owns items in catalog %s: %s", catalog_id, error)
        return items

    def is_idle(self) -> bool:
        """Return whether only the clock can end the wait of `keep` and of each check."""
        looks = self._looks or {self._rest}
        return all(rest.is_idle() for rest in looks)

    async def keep(self, rest: Rest) -> None:
        """Check each member once a day, or later if there are too many, until canceled."""
        self._rest = rest
        while True:
            if not await self.look_at_due():
                await rest.sleep(_SECONDS_WHILE_NONE)

    async def look_at_due(self) -> bool:
        """Check some members who are due, several at once. Return whether anyone was due."""
        for rule in await self.rules.refused(self.rules.now() - _BETWEEN_TRIES):
            # A manager may have fixed the cause since.
            await self.rules.clear_refusal(rule, refusal=rule.refusal)
        due = await self.rules.due_members(self.rules.now() - _DAY, _MAX_DUE)
        if not due:
            await self.rules.take_unlinked()
            return False
        members = iter(due)
        async with asyncio.TaskGroup() as looking:
            for _ in range(_MEMBERS_AT_ONCE):
                looking.create_task(self._look_at(members))
        return True

    async def _look_at(self, members: abc.Iterator[int]) -> None:
        """Check one member after the other, until there are none left."""
        rest = Rest(self._clock)
        has_waited = False

        async def turn() -> None:
            nonlocal has_waited
            has_waited = True
            await self._take_turn(rest)

        self._looks.add(rest)
        try:
            for member_id in members:
                has_waited = False
                await self.check(member_id, turn=turn)
                await self.rules.note_look(member_id)
                if not has_waited:
                    # Members who need no request must not keep the database busy.
                    await self._take_turn(rest)
        finally:
            self._looks.discard(rest)

    async def _take_turn(self, rest: Rest) -> None:
        """Wait for the next turn: all checks together have PAGES_PER_SECOND."""
        now = self._clock.monotonic()
        turn_at = max(self._next_turn_at, now)
        self._next_turn_at = turn_at + 1 / PAGES_PER_SECOND
        await rest.sleep(turn_at - now)


def _holds(rule: roles.RoleRule, link: Link | None, items: abc.Mapping[int, bool]) -> bool | None:
    """Return whether a member qualifies for a rule's role, None if that isn't known."""
    if link is None or rule.kind is roles.RuleKind.LINKED:
        return link is not None
    return items.get(rule.item_id)
