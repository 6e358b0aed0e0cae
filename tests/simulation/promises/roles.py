"""Who has which role by Kiosk: what servers' rules promise, and what no one may be given."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import discord
from simcord.backend.permissions import compute

from tests.simulation.faults import Fault
from tests.simulation.promises.accounts import Accounts
from tests.simulation.promises.rules import MANAGE_ROLES, Claim, Key, Rule, State, trouble_with
from tests.simulation.town import Deed, Person, Town

_DAY = timedelta(days=1)
_GOES_ON = timedelta(hours=1)
# What Kiosk remembers of a server's roles is so old at most.
_AT_HAND = timedelta(seconds=90)
# A member who didn't use Kiosk in a server for longer than this is looked at no more.
_IN_USE = timedelta(days=80)
# One's own orders have no name of the server's.
_NOTED_AS_USE = (
    *("link_form", "/forum read", "places", "catalog", "thread"),
    *("/shop browse", "/shop item", "/shop buy", "/shop redeem", "/shop watch"),
)
_MEMBER_ROLES = int(discord.AuditLogAction.member_role_update.value)


class Roles:
    """Reads from each server's audit log what Kiosk gave and took; all else was done by hand."""

    def __init__(self, town: Town, accounts: Accounts) -> None:
        self._town = town
        self._accounts = accounts
        self.rules: defaultdict[int, dict[int, Rule]] = defaultdict(dict)
        # Roles that a rule of a server gave at any time.
        self._ruled: set[tuple[int, int]] = set()
        self._notifying: set[tuple[int, int]] = set()
        # Servers of which it isn't known what someone set, because Kiosk died then.
        self._unsure: set[int] = set()
        self._moderators: dict[int, int | None] = {}
        self._claims: dict[Key, Claim] = {}
        # What Kiosk gave and no one else has touched. Then what Kiosk ever gave.
        self._given: set[Key] = set()
        self._ever_given: set[Key] = set()
        # What was taken by hand: Kiosk doesn't give it, and need not.
        self._not_again: set[Key] = set()
        self._lost_by_hand: set[Key] = set()
        # Of which a rule was removed in this step, and gave it before.
        self._removed_now: set[tuple[int, int]] = set()
        # What a rule that was removed leaves to no one.
        self._removed: set[tuple[int, int]] = set()
        self._troubles: dict[tuple[int, int], tuple[str, datetime]] = {}
        # When each role could be given again: Kiosk goes on within an hour.
        self._mended: dict[tuple[int, int], datetime] = {}
        # When each used Kiosk in a server last, and first.
        self._used: dict[tuple[int, int], datetime] = {}
        self._first_used: dict[tuple[int, int], datetime] = {}
        self._looked: set[Person] = set()
        # In which servers each was looked at in this step.
        self._looked_in: set[tuple[int, int]] = set()
        # Who bought what in this step, by the servers where they are looked at for it.
        self._bought: set[tuple[int, int, int]] = set()
        # Who linked since the world was at rest last: it may still be looked what they lack.
        self._looked_lately: set[int] = set()
        self._notified: set[tuple[int, int]] = set()
        self._read: defaultdict[int, int] = defaultdict(int)
        self._had: dict[int, dict[int, frozenset[int]]] = {}
        self._since = town.clock.now()
        self._was_refusing = False
        self._met = 0
        self._faults: list[Fault] = []

    @property
    def doubtful(self) -> set[int]:
        """The numbers of rules of which the model can't say whether they exist."""
        return {number for guild_id in self._unsure for number in self.rules[guild_id]}

    # What people do

    def look(self, deed: Deed) -> None:
        """Note that a member who looks something up in a server uses it."""
        if deed.guild_id is not None:
            self._note_troubles(deed.guild_id)
        is_use = deed.kind.startswith(_NOTED_AS_USE) and deed.answers and not deed.is_refused
        if deed.guild_id is not None and is_use:
            self._used[deed.guild_id, deed.who.id] = self._town.clock.now()
            self._first_used.setdefault((deed.guild_id, deed.who.id), self._town.clock.now())

    def add(self, deed: Deed) -> None:
        """A manager sends a new rule; the card of all rules names it."""
        guild_id = self._guild(deed)
        rules = self.rules[guild_id]
        known = {int(each.fields[0]) for each in _controls(deed, "setup.role")}
        new = known - rules.keys()
        chosen: Sequence[Any] = deed.values.get("role") or ()
        if guild_id in self._unsure or len(new) != 1 or not chosen:
            return
        role_id = int(chosen[0].id)
        whose = str((deed.values.get("who") or ["linked"])[0])
        is_linked = not whose.isdecimal()
        item_id = None if is_linked else self._item(int(whose), str(deed.values.get("item") or ""))
        takes_away = bool(deed.values.get("takes"))
        catalog_id = 0 if is_linked else int(whose)
        rules[min(new)] = Rule(role_id, catalog_id, item_id, takes_away)
        self._ruled.add((guild_id, role_id))
        self._removed.discard((guild_id, role_id))
        self._require_allowed(deed, role_id)

    def _item(self, catalog_id: int, typed: str) -> int:
        """Return which item is meant, 0 if that takes more than a number to say."""
        digits = typed.strip().removeprefix("#")
        known = {item.id for item in self._town.game.items(catalog_id)}
        number = int(digits) if digits.isascii() and digits.isdecimal() else 0
        return number if number in known else 0

    def switch(self, deed: Deed) -> None:
        rule = self.rules[self._guild(deed)].get(int(deed.fields[0]))
        shown = _controls(deed, "setup.role_takes")
        if rule and any(control.fields[1] != deed.fields[1] for control in shown):
            rule.takes_away = deed.fields[1] == "1"
            self._require_allowed(deed, rule.role_id)

    def remove(self, deed: Deed) -> None:
        guild_id = self._guild(deed)
        rule_id = int(deed.fields[0])
        if rule_id not in self.rules[guild_id] or not _controls(deed, "setup.role_form"):
            return
        rule = self.rules[guild_id].pop(rule_id)
        self._removed_now.add((guild_id, rule.role_id))
        is_shared = any(each.role_id == rule.role_id for each in self.rules[guild_id].values())
        if not is_shared and rule.takes_away:
            self._removed.add((guild_id, rule.role_id))
        elif not is_shared:
            kept = {key for key in self._given if (key[0], key[2]) == (guild_id, rule.role_id)}
            self._given -= kept

    def set_notify(self, deed: Deed) -> None:
        """A manager chooses which role Notify me gives."""
        chosen: Sequence[Any] = deed.values.get("role") or ()
        if chosen and not deed.is_refused and deed.form is None:
            self._notifying.add((self._guild(deed), int(chosen[0].id)))
            self._require_allowed(deed, int(chosen[0].id))

    def notify(self, deed: Deed) -> None:
        self._notified.add((self._guild(deed), deed.who.id))

    def set_moderators(self, deed: Deed) -> None:
        """A manager names the moderators' role."""
        guild_id = self._guild(deed)
        chosen: Sequence[Any] = deed.values.get("moderator_role_id") or ()
        if deed.fields[:1] != ("Moderation",) or not chosen:
            return
        if _controls(deed, "setup.form") or _controls(deed, "setup.off"):
            role_id = int(chosen[0].id)
            is_new = self._moderators.get(guild_id) != role_id
            self._moderators[guild_id] = role_id
            given = {rule.role_id for rule in self.rules[guild_id].values()}
            if is_new and role_id in given and guild_id not in self._unsure:
                how = f"{deed.who} named {self._name(guild_id, role_id)} in {guild_id}"
                rule = "no role that Kiosk gives becomes the moderators'"
                self._faults.append(Fault(rule, "moderator role", how))

    def switch_off(self, deed: Deed) -> None:
        guild_id = self._guild(deed)
        if "moderator_role_id" in deed.fields[0]:
            self._moderators[guild_id] = None

    def look_anew(self, deed: Deed) -> None:
        """Note that Kiosk looks at a member who links, unlinks or erases everything."""
        if deed.form is not None or not deed.answers:
            return
        if not deed.is_refused:
            self._looked_in |= self._known_in(deed)
            self._looked.add(deed.who)
            self._looked_lately.add(deed.who.id)
            self._not_again = {key for key in self._not_again if key[1] != deed.who.id}
            if deed.kind == "link_form":
                self._lost_by_hand = {key for key in self._lost_by_hand if key[1] != deed.who.id}
        if deed.kind == "erase":
            for guild_id, user_id in list(self._used):
                if user_id == deed.who.id:
                    del self._used[guild_id, user_id]
                    del self._first_used[guild_id, user_id]
            # That Kiosk gave what rules leave to them is erased as well.
            self._given -= {
                key for key in self._given if key[1] == deed.who.id and self._is_left(key)
            }

    def _is_left(self, key: Key) -> bool:
        """Tell whether a rule leaves a role to members who had it."""
        guild_id, _, role_id = key
        rules = self.rules[guild_id].values()
        return any(rule.role_id == role_id and not rule.takes_away for rule in rules)

    def buy(self, deed: Deed) -> None:
        """Note that Kiosk checks an item's rules for a member who bought the item with Kiosk."""
        if any(card.control("share.order") for card in deed.answers):
            item_id = int(deed.fields[2])
            self._bought |= {(*key, item_id) for key in self._known_in(deed)}

    def _known_in(self, deed: Deed) -> set[tuple[int, int]]:
        """Return the servers in which someone has used Kiosk, each with them."""
        known = {key for key in self._first_used if key[1] == deed.who.id}
        return {*known, (deed.guild_id or 0, deed.who.id)}

    def _guild(self, deed: Deed) -> int:
        guild_id = deed.guild_id or 0
        if not deed.answers and deed.form is None:
            self._unsure.add(guild_id)
        return guild_id

    def _require_allowed(self, deed: Deed, role_id: int) -> None:
        """Check that the member who has a role given may give it themselves, and Kiosk may."""
        guild_id = deed.guild_id or 0
        guild = self._town.env.backend.guilds[guild_id]
        why = self._trouble(guild_id, role_id)
        if why is None and guild.owner_id != deed.who.id:
            if not compute(guild, deed.who.id, now=self._town.env.now()) & MANAGE_ROLES:
                why = "whoever set it may give no role"
            elif guild.roles[role_id].position >= guild.top_role_position(deed.who.id):
                why = "it is above whoever set it"
        if why is not None:
            how = f"{deed.who} set {self._name(guild_id, role_id)} by {deed.kind}: {why}"
            self._faults.append(Fault("nobody has a role given that nobody may give", why, how))

    # What holds

    def _trouble(self, guild_id: int, role_id: int) -> str | None:
        return trouble_with(self._town, guild_id, role_id, self._moderators.get(guild_id))

    def _state(self, guild_id: int, role_id: int, who: Person) -> State:
        rules = {
            rule_id: rule
            for rule_id, rule in self.rules[guild_id].items()
            if rule.role_id == role_id
        }
        return State(
            tuple(self._holds(rule, who) for rule in rules.values()),
            tuple(rules),
            all(rule.takes_away for rule in rules.values()),
            self._troubles.get((guild_id, role_id), (None,))[0],
        )

    def _holds(self, rule: Rule, who: Person) -> bool | None:
        """Tell whether someone fulfils a rule, None if the model can't say."""
        if who in self._accounts.unsure:
            return None
        token = self._accounts.tokens.get(who)
        if token is None:
            return False
        player = self._town.game.player_of(token)
        if player is None:
            return None
        if rule.item_id is None:
            return True
        shown = {item.id for item in self._town.game.items(rule.catalog_id, token)}
        if rule.item_id not in shown:
            return None
        return rule.item_id in self._town.game.owned(player.id)

    def _is_due(self, claim: Claim, *, at_once: bool = True, used: datetime | None = None) -> bool:
        """Tell whether Kiosk has surely looked at someone since all was as it is."""
        since = max(claim.since, self._since, used or self._since)
        if claim.is_looked_at and at_once:
            return True
        rests = sum(rest > since + _DAY for rest in self._town.rests)
        return rests > len(self._town.people)

    # After each step

    def faults_after_step(self) -> Iterator[Fault]:
        self._note_trouble()
        for guild in self._town.guilds:
            self._look(guild.id)
        self._looked.clear()
        self._bought.clear()
        self._looked_in.clear()
        self._removed_now.clear()
        self._notified.clear()
        yield from self._faults
        self._faults.clear()

    def _note_trouble(self) -> None:
        """Start again after something was wrong with the game, Discord or Kiosk."""
        town = self._town
        is_refusing = any("guilds" in str(fault) for fault in town.env.backend.faults)
        is_dying = town.life.is_dead or (town.trouble.get(None) or self._since) > self._since
        has_met = town.game.door.met != self._met or town.game.door.held > 0
        self._met = town.game.door.met
        if is_refusing or self._was_refusing or is_dying or has_met:
            self._since = town.clock.now()
            self._looked.clear()
            self._bought.clear()
            for claim in self._claims.values():
                claim.is_looked_at = False
        self._was_refusing = is_refusing

    def _look(self, guild_id: int) -> None:
        guild = self._town.env.backend.guilds[guild_id]
        has = {
            who.id: frozenset(guild.members[who.id].role_ids)
            for who in self._town.people
            if who.id in guild.members
        }
        had = self._had.get(guild_id, has)
        self._had[guild_id] = has
        self._note_troubles(guild_id)
        acts = list(self._acts(guild_id))
        for key, is_given, at in acts:
            if is_given:
                self._check_given(key, at)
            else:
                self._check_taken(key)
        gone = had.keys() - has.keys()
        stayed = {user_id: roles for user_id, roles in had.items() if user_id in has}
        before = _keys(guild_id, stayed) | {key for key, is_given, _ in acts if is_given}
        after = _keys(guild_id, has)
        taken = before - after - {key for key, is_given, _ in acts if not is_given}
        self._note_by_hand(after - before, {key for key in taken if key[2] in guild.roles})
        for keys in (self._lost_by_hand, self._not_again):
            keys -= {key for key in keys if key[0] == guild_id and key[1] in gone}
        self._claim(guild_id, has)

    def _note_troubles(self, guild_id: int) -> None:
        """Note since when no one may be given a role."""
        for role_id in sorted(role for of, role in self._ruled | self._notifying if of == guild_id):
            why = self._trouble(guild_id, role_id)
            before = self._troubles.pop((guild_id, role_id), None)
            if why is not None:
                since = before[1] if before else self._town.clock.now()
                self._troubles[guild_id, role_id] = why, since
            elif before:
                self._mended[guild_id, role_id] = self._town.clock.now()

    def _note_by_hand(self, added: set[Key], taken: set[Key]) -> None:
        """What others give is theirs; what others take away is not given again."""
        self._lost_by_hand |= taken
        taken_later = {key for key in taken if key[1] not in self._looked_lately}
        self._not_again |= taken_later & self._given
        self._given -= added | taken

    def _acts(self, guild_id: int) -> Iterator[tuple[Key, bool, datetime]]:
        """Yield what Kiosk has given and taken since the last step, and when."""
        backend = self._town.env.backend
        entries = backend.guilds[guild_id].audit_log_entries
        new = entries[self._read[guild_id] :]
        self._read[guild_id] = len(entries)
        for entry in new:
            if entry.action_type == _MEMBER_ROLES and entry.user_id == backend.bot_user.id:
                for name, is_given in (("$add", True), ("$remove", False)):
                    for role in entry.options.get(name, ()):
                        key = guild_id, entry.target_id or 0, int(role["id"])
                        yield key, is_given, discord.utils.snowflake_time(entry.id)

    def _check_given(self, key: Key, at: datetime) -> None:
        guild_id, user_id, role_id = key
        why, since = self._troubles.get((guild_id, role_id), (None, None))
        if why and since and at - since > _AT_HAND:
            self._fault("no role is given that nobody may give", key, why)
        if (guild_id, user_id) in self._notified:
            return
        self._given.add(key)
        self._ever_given.add(key)
        if guild_id in self._unsure:
            return
        if (guild_id, role_id) not in self._ruled:
            self._fault(
                "a role is given by a rule, or to whom it asks for", key, "no rule gives it"
            )
        items = [rule.item_id for rule in self.rules[guild_id].values() if rule.role_id == role_id]
        has_bought = any((guild_id, user_id, item) in self._bought for item in items)
        if key in self._not_again and not has_bought:
            self._fault("what was taken by hand is not given again", key, "")
        claim = None if (guild_id, role_id) in self._removed_now else self._claims.get(key)
        if claim and claim.state.is_lost and self._is_due(claim) and self._is_still_so(key):
            self._fault("only who fulfils a rule gets its role", key, str(claim.state))

    def _check_taken(self, key: Key) -> None:
        guild_id, user_id, _ = key
        if (guild_id, user_id) in self._notified:
            # Members who give a rule's role back themselves don't want it.
            self._lost_by_hand.add(key)
            self._given.discard(key)
            return
        if guild_id in self._unsure:
            return
        self._given.discard(key)
        if key not in self._ever_given:
            self._fault("Kiosk takes only roles that it gave", key, "")
        claim = self._claims.get(key)
        if claim is None or not self._is_still_so(key):
            return
        if True in claim.state.holds and self._is_due(claim):
            self._fault("no role is taken that a rule promises", key, str(claim.state))
        if claim.state.rules and not claim.state.is_taken:
            self._fault("what a rule leaves to its members is not taken", key, str(claim.state))

    def _is_still_so(self, key: Key) -> bool:
        """Tell whether nothing has changed what someone fulfils since the step before."""
        guild_id, user_id, role_id = key
        who = next(person for person in self._town.people if person.id == user_id)
        # One step may unlink and link.
        is_same_link = who not in self._looked
        return is_same_link and self._state(guild_id, role_id, who) == self._claims[key].state

    def _claim(self, guild_id: int, has: dict[int, frozenset[int]]) -> None:
        now = self._town.clock.now()
        ruled = sorted({rule.role_id for rule in self.rules[guild_id].values()})
        claims: dict[Key, Claim] = {}
        for who in self._town.people:
            for role_id in ruled if who.id in has else ():
                key = guild_id, who.id, role_id
                state = self._state(guild_id, role_id, who)
                claim = self._claims.get(key)
                came_and_went = (guild_id, role_id) in self._removed_now
                if claim is None or claim.state != state or came_and_went:
                    claim = Claim(state, now, is_looked_at=False)
                    self._not_again.discard(key)
                items = [self.rules[guild_id][rule_id].item_id for rule_id in state.rules]
                has_bought = any((guild_id, who.id, item) in self._bought for item in items)
                is_looked_at = (guild_id, who.id) in self._looked_in
                is_looked_at |= has_bought or (state.is_lost and who in self._looked)
                mended = self._mended.get((guild_id, role_id), now - _GOES_ON)
                is_settled = now - mended >= _GOES_ON and not self._town.game.lateness
                if is_looked_at and is_settled:
                    claim.is_looked_at = True
                claims[key] = claim
        others = {key: claim for key, claim in self._claims.items() if key[0] != guild_id}
        self._claims = others | claims

    # At rest

    async def faults(self) -> AsyncIterator[Fault]:
        self._looked_lately.clear()
        for key, claim in self._claims.items():
            if key[0] not in self._unsure:
                self._check_claim(key, claim)
        for key in sorted(self._given):
            guild_id, user_id, role_id = key
            if (guild_id, role_id) in self._removed and guild_id not in self._unsure:
                is_here = role_id in self._had[guild_id].get(user_id, ())
                if is_here and self._can_take(key) and self._is_calm():
                    self._fault("with a rule goes its role", key, "its rule was removed")
        for fault in self._faults:
            yield fault
        self._faults.clear()

    def _check_claim(self, key: Key, claim: Claim) -> None:
        guild_id, user_id, role_id = key
        state = claim.state
        used = self._used.get((guild_id, user_id))
        if role_id not in self._had[guild_id][user_id]:
            is_in_use = used is not None and self._town.clock.now() - used < _IN_USE
            is_promised = state.is_promised and key not in self._lost_by_hand
            first = self._first_used.get((guild_id, user_id))
            if is_promised and is_in_use and self._is_due(claim, used=first):
                self._fault("who fulfils a rule has its role", key, str(state))
        elif state.is_lost and key in self._given and self._can_take(key):
            # What a member who is linked was given less than an hour ago isn't taken.
            is_unlinked = all(who.id != user_id for who in self._accounts.tokens)
            if self._is_due(claim, at_once=is_unlinked):
                self._fault("who fulfils no rule any more lost its role", key, str(state))

    def _is_calm(self) -> bool:
        return sum(rest > self._since + _DAY for rest in self._town.rests) > 1

    def _can_take(self, key: Key) -> bool:
        return self._trouble(key[0], key[2]) is None

    def _fault(self, rule: str, key: Key, why: str) -> None:
        guild_id, user_id, role_id = key
        who = next(person for person in self._town.people if person.id == user_id)
        name = self._name(guild_id, role_id)
        server = next(guild.name for guild in self._town.guilds if guild.id == guild_id)
        self._faults.append(Fault(rule, f"{who} {name}", f"in {server}: {why}"))

    def _name(self, guild_id: int, role_id: int) -> str:
        role = self._town.env.backend.guilds[guild_id].roles.get(role_id)
        return role.name if role else f"role {role_id}"


def _controls(deed: Deed, kind: str) -> list[Any]:
    return [control for card in deed.answers for control in card.controls if control.kind == kind]


def _keys(guild_id: int, roles: dict[int, frozenset[int]]) -> set[Key]:
    return {(guild_id, user_id, role_id) for user_id, of in roles.items() for role_id in of}
