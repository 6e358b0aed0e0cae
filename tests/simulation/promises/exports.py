"""What a member's export lists: whatever is kept of them, and nothing else."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZipFile

from tests.simulation.faults import Fault
from tests.simulation.promises.accounts import TOKEN, Accounts
from tests.simulation.promises.looks import Looks
from tests.simulation.promises.orders import Orders, card_of
from tests.simulation.promises.roles import Roles
from tests.simulation.promises.subscriptions import Subscriptions
from tests.simulation.promises.texts import Texts
from tests.simulation.promises.told import Told
from tests.simulation.promises.watches import Watches
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

_TYPED = re.compile(r"qt\d+z")
# What is left although all was erased: what is under way, and that someone was here.
_LEFT = {"writes", "messages", "member_servers", "direct_channels"}
_ORDERS = ("purchase", "redeem")
_POSTS = ("post", "reply")
_NUMBER = "number "

Row = Mapping[str, Any]


class Listed(NamedTuple):
    """What an export has of one kind, what it has to have, and what it may have at most."""

    what: str
    found: Set[Any]
    least: Set[Any]
    most: Set[Any]


class Exports:
    def __init__(
        self,
        town: Town,
        accounts: Accounts,
        texts: Texts,
        orders: Orders,
        looks: Looks,
        subscriptions: Subscriptions,
        watches: Watches,
        told: Told,
        roles: Roles,
    ) -> None:
        self._town = town
        self._accounts = accounts
        self._texts = texts
        self._orders = orders
        self._looks = looks
        self._subscriptions = subscriptions
        self._watches = watches
        self._told = told
        self._roles = roles
        # Who had all erased, and has done nothing else since.
        self._erased: set[Person] = set()
        # Members whose press had no answer: no one can say what happened.
        self._unsure: set[Person] = set()
        self._confirmed: defaultdict[Person, set[str]] = defaultdict(set)
        # Of which comment of which server.
        self._reported: defaultdict[Person, set[tuple[int, int]]] = defaultdict(set)
        # By the number of an announcement or of a rule, who has set it up.
        self._announcers: dict[int, Person | None] = {}
        self._rulers: dict[int, Person | None] = {}
        self._faults: list[Fault] = []

    # What people do

    def note(self, deed: Deed) -> None:
        """Note what someone has now, once the other parts know what they did."""
        if deed.kind not in ("erase", "export"):
            self._erased.discard(deed.who)
        if not deed.answers and deed.form is None:
            self._unsure.add(deed.who)
        if card_id := card_of(deed):
            self._confirmed[deed.who].add(card_id)
        is_report = deed.kind == "moderate.report_form" and deed.form is None
        if is_report and not deed.is_refused:
            self._reported[deed.who].add((deed.guild_id or 0, int(deed.fields[1])))
        self._note_numbers(deed)

    def _note_numbers(self, deed: Deed) -> None:
        new = self._subscriptions.by_number.keys() - self._announcers.keys()
        self._announcers |= dict.fromkeys(new, deed.who)
        rules = {number for each in self._roles.rules.values() for number in each}
        self._rulers |= dict.fromkeys(rules - self._rulers.keys(), deed.who)

    def erase(self, deed: Deed) -> None:
        if deed.is_refused:
            return
        self._erased.add(deed.who)
        self._unsure.discard(deed.who)
        self._reported.pop(deed.who, None)
        for done_by in (self._announcers, self._rulers):
            for number, who in done_by.items():
                if who is deed.who:
                    done_by[number] = None

    def compare(self, deed: Deed) -> None:
        """Compare the file that someone is given with what they did."""
        for card in deed.answers:
            for name, content in _files(self._town, card):
                if name == "kiosk.zip":
                    with ZipFile(BytesIO(content)) as archive:
                        content = archive.read("kiosk.json")
                self._faults += self._wrong(deed.who, content.decode())

    def faults_after_step(self) -> Iterator[Fault]:
        yield from self._faults
        self._faults.clear()

    # What it says

    def _wrong(self, who: Person, text: str) -> Iterator[Fault]:
        kept: Mapping[str, Sequence[Row]] = json.loads(text)["kept"]
        yield from self._secrets(who, text, kept)
        if who in self._erased and (left := kept.keys() - _LEFT):
            yield Fault("what was erased is gone", str(who), ", ".join(sorted(left)))
        is_linked = bool(kept.get("links"))
        if who not in self._accounts.unsure and is_linked != (who in self._accounts.tokens):
            yield Fault("an export says who is linked", str(who), str(kept.get("links")))
        for listed in self._lists(who, kept) if who not in self._unsure else ():
            missing, other = listed.least - listed.found, listed.found - listed.most
            if missing or other:
                how = f"{who} lacks {sorted(missing)}, has {sorted(other)}"
                yield Fault("an export lists what is kept", listed.what, how)

    def _secrets(
        self, who: Person, text: str, kept: Mapping[str, Sequence[Row]]
    ) -> Iterator[Fault]:
        if found := TOKEN.search(text):
            yield Fault("an export holds no token", str(who), found[0])
        for table, rows in kept.items():
            # Moderators read each other's reasons in the log.
            if table == "removals":
                continue
            for mark in sorted(set(_TYPED.findall(str(rows)))):
                typed_by = self._accounts.typed.get(mark, ())
                others = [each for each in typed_by if not self._accounts.share(each, who)]
                if others and who not in typed_by:
                    how = next(str(row) for row in rows if mark in str(row))
                    yield Fault("an export holds nothing of others", table, how)

    def _lists(self, who: Person, kept: Mapping[str, Sequence[Row]]) -> Iterator[Listed]:
        writes = kept.get("writes", ())
        # Some may have arrived: their writers can send them again, too.
        unsent = {mark for row in writes if row["state"] != "done" for mark in _marks(row)}
        yield Listed("texts", unsent, self._texts.unsent(who), unsent)
        posts = {
            mark
            for row in writes
            if row["state"] == "kept" and row["kind"] in _POSTS
            for mark in _marks(row)
        }
        may_be_unsent = {mark for mark in posts if self._texts.may_be_unsent(mark)}
        yield Listed("texts that are not sent", posts, set(), may_be_unsent)
        cards = {row["card_id"] for row in writes if row["kind"] in _ORDERS}
        done = {card_id for card_id, _ in self._orders.done_by(who)}
        yield Listed("orders", cards, done, self._confirmed[who])
        yield from self._subscribed(who, kept.get("subscriptions", ()))
        reported = set(range(len(self._reported[who])))
        yield Listed("reports", set(range(len(kept.get("reports", ())))), reported, reported)
        rules = {int(row["id"]) for row in kept.get("role_rules", ())}
        there = {number for each in self._roles.rules.values() for number in each}
        theirs = {number for number in there if self._rulers.get(number) is who}
        unknown = rules - self._rulers.keys()
        yield Listed("rules", rules, theirs - self._roles.doubtful, theirs | unknown)

    def _subscribed(self, who: Person, rows: Sequence[Row]) -> Iterator[Listed]:
        own = [row for row in rows if row["member_id"] == str(who.id)]
        watches = {_thing(row) for row in own if row["kind"] == "catalog"}
        wishes = {_thing(row) for row in own if row["kind"] == "thread"}
        yield _listed("watches", watches, self._watches.things(who))
        waits = _listed("waits for comments", wishes, self._told.things(who))
        yield waits._replace(most=wishes) if who in self._told.have_heard else waits
        announced = {
            int(row["id"])
            for row in rows
            if row["member_id"] is None and row["created_by"] == str(who.id)
        }
        standing, sure = set[int](), set[int]()
        for number, subscription in self._subscriptions.by_number.items():
            if self._announcers.get(number) is who and not subscription.is_removed:
                standing.add(number)
                if not subscription.channels & self._looks.doubtful:
                    sure.add(number)
        unknown = announced - self._announcers.keys()
        yield Listed("announcements", announced, sure, standing | unknown)


def _marks(row: Row) -> list[str]:
    return _TYPED.findall(row["body"] or "")


def _listed(what: str, found: set[str], things: Iterator[tuple[str, bool]]) -> Listed:
    known = dict(things)
    least = {thing for thing, is_sure in known.items() if is_sure}
    # A wish has a number for each catalog or thread, of which it shows one.
    has_numbers = any(thing.startswith(_NUMBER) for thing in known)
    most = {
        thing for thing in found if thing in known or (thing.startswith(_NUMBER) and has_numbers)
    }
    return Listed(what, found, least, most)


def _thing(row: Row) -> str:
    """Return what a wish is for, or its number, if it is for anything that fits."""
    subject_id = row["subject_id"]
    return f"{_NUMBER}{row['id']}" if subject_id is None else f"of {subject_id}"


def _files(town: Town, card: Card) -> Iterator[tuple[str, bytes]]:
    backend = town.env.backend
    message = backend.messages[card.channel_id].get(card.message_id)
    for attached in message.attachments if message else ():
        yield attached["filename"], backend.cdn.get(attached["url"]) or b""
