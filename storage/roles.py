"""Rules by which servers give roles to members, and the roles that members have by them."""

import datetime as dt
from collections import abc
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import asdict, replace

from storage import moderation
from storage.database import Database, Transaction, queries_beside
from storage.messages import Message, Messages, NewMessage, Priority, read_message
from storage.rows import read

QUERIES = queries_beside(__file__)
# The kind of message that a member is to have a role.
ROLE = "role"
# The code, beside Discord's own, of a role that Kiosk itself doesn't give.
HELD_UP = 1
# How long a member is checked after they last used Kiosk in a server.
_USED_FOR = dt.timedelta(days=90)

# Since when a member is in a server, and their roles there.
Presence = tuple[dt.datetime, frozenset[int]]
# A role that a member has from Kiosk, or is to have.
Given = Message


class RuleKind(StrEnum):
    LINKED = "linked"
    OWNS = "owns"


class NewRule(Struct, frozen=True):
    """A rule that gives a role to members who linked an account, or who own an item.

    If the rule `takes_away`, they lose the role once that is no longer so.
    """

    guild_id: int
    kind: RuleKind
    role_id: int
    created_by: int
    takes_away: bool = True
    catalog_id: int = 0
    item_id: int = 0
    item_name: str = ""


class RoleRule(NewRule, frozen=True, kw_only=True):
    """A stored rule. `refusal` is the code for why its role is refused."""

    id: int
    refusal: int | None


class RoleRules(Struct, frozen=True):
    database: Database
    messages: Messages
    now: abc.Callable[[], dt.datetime]

    async def add(
        self, new: NewRule, line_of: moderation.LineOf[RoleRule] | None = None
    ) -> RoleRule | None:
        """Store a rule, and check the server's members by it. Return None if it exists already."""
        async with self.database.transaction() as transaction:
            rows = await transaction.fetch(QUERIES["add"], **asdict(new))
            await transaction.execute(QUERIES["look_anew"], guild_id=new.guild_id)
            added = read(RoleRule, rows[0]) if rows else None
            if added is not None:
                await moderation.note(transaction, line_of, None, added)
        return added

    async def find(self, rule_id: int) -> RoleRule | None:
        return read(RoleRule, await self.database.fetch_one(QUERIES["find"], id=rule_id))

    async def of_guild(self, guild_id: int) -> abc.Sequence[RoleRule]:
        return await self.database.read(RoleRule, QUERIES["of_guild"], guild_id=guild_id)

    async def of_role(self, rule: RoleRule) -> abc.Sequence[RoleRule]:
        """Return the rules of a server that give the same role as this one."""
        rules = await self.of_guild(rule.guild_id)
        return [other for other in rules if other.role_id == rule.role_id]

    async def for_member(self, member_id: int, here: int | None = None) -> abc.Sequence[RoleRule]:
        """Return the rules of servers that a member uses or has roles in, and of the one `here`."""
        used = {"member_id": member_id, "used_since": self.now() - _USED_FOR}
        return await self.database.read(RoleRule, QUERIES["for_member"], here=here, **used)

    async def switch(
        self, rule: RoleRule, *, takes_away: bool, line_of: moderation.LineOf[RoleRule]
    ) -> None:
        async with self.database.transaction() as transaction:
            if await transaction.execute(QUERIES["switch"], id=rule.id, takes_away=takes_away):
                await moderation.note(
                    transaction, line_of, rule, replace(rule, takes_away=takes_away)
                )

    async def remove(self, rule: RoleRule, line_of: moderation.LineOf[RoleRule]) -> None:
        """Remove a rule. Those whom it gave the role lose it, unless another rule may give it."""
        is_shared = len(await self.of_role(rule)) > 1
        of = {"guild_id": rule.guild_id, "role_id": rule.role_id}
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, rule.guild_id)
            if await transaction.execute(QUERIES["remove"], id=rule.id):
                await moderation.note(transaction, line_of, rule, None)
            if is_shared:
                await transaction.execute(QUERIES["look_anew"], guild_id=rule.guild_id)
            elif rule.takes_away:
                for row in await transaction.fetch(QUERIES["had"], **of):
                    await self.messages.unwant(transaction, row["key"], frees_key=False)

    async def had_by(self, member_id: int) -> abc.Sequence[Given]:
        """Return the roles that a member has, from Kiosk or from before, or is to be given.

        Roles from Kiosk have a `message_id`. Roles that the member had before have none.
        """
        rows = await self.database.fetch(QUERIES["had_by"], member_id=member_id)
        return [entry for row in rows if (entry := read_message(row))]

    async def given_before(
        self, guild_id: int, member_id: int, joined_at: dt.datetime
    ) -> abc.Set[int]:
        """Return the roles that rules gave a member in a server before they joined it."""
        of = {"guild_id": guild_id, "member_id": member_id}
        rows = await self.database.fetch(QUERIES["given_before"], **of, joined_at=joined_at)
        return {row["role_id"] for row in rows}

    async def give(self, member_id: int, token_key: str | None, rule: RoleRule) -> None:
        """Give a rule's role, if the rule is still there and the link is as when it was checked."""
        async with self.database.transaction() as transaction:
            # A removal at the same moment takes this role, or is seen here.
            await moderation.lock(transaction, rule.guild_id)
            found = read(RoleRule, await transaction.fetch_one(QUERIES["find"], id=rule.id))
            if found is None or not await _is_linked(transaction, member_id, token_key):
                return
            await self.messages.want(transaction, _wanted(member_id, found))
            if found.refusal is not None:
                of = {"guild_id": found.guild_id, "role_id": found.role_id}
                takes = found.refusal == HELD_UP
                await self.messages.hold_up_role(transaction, **of, takes=takes)

    async def take(self, role: Message, token_key: str | None) -> None:
        """Take a role away, if its member's link is as when it was checked."""
        async with self.database.transaction() as transaction:
            if await _is_linked(transaction, role.about_member, token_key):
                await self.messages.unwant(transaction, role.key, frees_key=False)

    async def take_unlinked(self) -> None:
        """Take away the roles of members whose link is gone, in whatever way."""
        async with self.database.transaction() as transaction:
            await take_lost(transaction, self.messages)

    async def refuse(self, transaction: Transaction, role: Message, code: int) -> bool:
        """Note that a role is refused, and stop asking for it until it is tried again.

        Returns whether the refusal is new.
        """
        of = {"guild_id": role.guild_id, "role_id": role.role_id}
        known = await transaction.fetch_one(QUERIES["refusal"], **of)
        now = self.now()
        await transaction.execute(QUERIES["refuse"], **of, refusal=code, refused_at=now)
        # Kiosk still takes away a role that it doesn't give.
        await self.messages.hold_up_role(transaction, **of, takes=code == HELD_UP)
        return known is None

    async def accept(self, transaction: Transaction, role: Message) -> None:
        """Note that Discord has given a role: it is no longer refused."""
        await transaction.execute(QUERIES["accept"], guild_id=role.guild_id, role_id=role.role_id)

    async def refused(self, before: dt.datetime) -> abc.Sequence[RoleRule]:
        """Return the rules whose roles were last refused before then."""
        return await self.database.read(RoleRule, QUERIES["refused"], refused_before=before)

    async def clear_refusal(self, rule: RoleRule, *, refusal: int | None = None) -> None:
        """Try a refused role again. `refusal` stays until Discord gives the role."""
        of = {"guild_id": rule.guild_id, "role_id": rule.role_id}
        async with self.database.transaction() as transaction:
            refused_at = None if refusal is None else self.now()
            await transaction.execute(
                QUERIES["refuse"], **of, refusal=refusal, refused_at=refused_at
            )
            await self.messages.resume_role(transaction, **of)

    async def due_members(self, looked_before: dt.datetime, most: int) -> abc.Sequence[int]:
        """Return members who use a server with rules, and weren't checked since then."""
        since = self.now() - _USED_FOR
        rows = await self.database.fetch(
            QUERIES["due_members"], looked_before=looked_before, used_since=since, most=most
        )
        return [row["member_id"] for row in rows]

    async def note_look(self, member_id: int) -> None:
        looked = {"member_id": member_id, "looked_at": self.now()}
        await self.database.execute(QUERIES["note_look"], **looked)


def are_taken(rules: abc.Iterable[RoleRule]) -> bool:
    """Return whether rules for one role take it away: not if any of them leaves it."""
    return all(rule.takes_away for rule in rules)


async def _is_linked(
    transaction: Transaction, member_id: int | None, token_key: str | None
) -> bool:
    """Return whether a member's account is still this one. None means that none is linked."""
    row = await transaction.fetch_one(QUERIES["token_key"], member_id=member_id)
    return (row and row["token_key"]) == token_key


async def take_lost(
    transaction: Transaction, outbox: Messages, member_id: int | None = None
) -> None:
    """Take the roles that rules take away from a member or, if None, everyone without a link."""
    for row in await transaction.fetch(QUERIES["lost"], member_id=member_id):
        await outbox.unwant(transaction, row["key"], frees_key=False)


def _wanted(member_id: int, rule: RoleRule) -> NewMessage:
    return NewMessage(
        ROLE,
        f"{ROLE} {rule.guild_id} {rule.role_id} {member_id}",
        Priority.ANNOUNCEMENT,
        guild_id=rule.guild_id,
        about_member=member_id,
        role_id=rule.role_id,
        payload={"rule": rule.id},
        stays=True,
    )
