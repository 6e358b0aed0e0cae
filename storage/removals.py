"""Cases of moderation: removals, reports and comments held back.

What comments said, and why members reported them, is sealed. Why moderators removed them isn't: the
steps of the database are SQL, which can't seal the reasons that earlier versions wrote.
"""

import datetime as dt
from collections import abc

import msgspec

from storage import moderation
from storage import rows as storage_rows
from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.messages import Message, MessageState, NewMessage, Priority
from storage.shown import ShownMessages
from storage.vault import Vault

QUERIES = queries_beside(__file__)
# The kind of messages that tell a member why a comment of theirs was removed.
DECISION = "decision"
# A rule mutes for so long, after so many that were written so shortly after each other.
MOST_HELD_BACK = 3
_REPEATED_WITHIN = dt.timedelta(hours=1)
_MUTED_FOR = dt.timedelta(days=1)
# How many comments of theirs a server tells a member about in a day.
_MOST_TOLD = 5
_DAY = dt.timedelta(days=1)
# The kind of an entry of the log that is a removal or a mute, and no line.
_REMOVAL = "removal"
_TEXT = "removed"
_REPORT = "report"
_FIRST = "first"
# Of the reports of a comment, the reasons of so many are counted.
REASONS_COUNTED = 50
LONGEST_REASON = 300


class Removal(msgspec.Struct, frozen=True):
    """A comment that is removed from a server's chat, or a player who is muted there.

    `moderator_id` is None once its data was erased, `locale` is the server's language, and `until`
    ends a mute by itself.
    """

    guild_id: int
    subject: moderation.Subject
    moderator_id: int | None
    reason: str
    locale: str
    until: dt.datetime | None = None
    # A rule of the server did it, and nobody.
    is_by_rule: bool = False
    id: int = 0
    case_id: int = 0
    created_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    ended_by: int | None = None


class Reported(msgspec.Struct, frozen=True):
    """A comment that members reported, or that holds a watched word.

    How many reported it, and why the last ones did; who they are stays with us. `word` is what its
    text was held back for, "" for nothing; `is_released` says that a moderator has let that text be
    shown.
    """

    case_id: int
    guild_id: int
    subject: moderation.Subject
    locale: str
    count: int
    reasons: abc.Sequence[str]
    dismissed_at: dt.datetime | None
    dismissed_by: int | None
    word: str = ""
    is_released: bool = False
    released_by: int | None = None
    # Its writer has changed what was held back.
    is_cleaned: bool = False
    # The first word that it was held back for, and what it said then.
    first_word: str = ""
    first_text: str = ""
    # The game no longer has it.
    is_gone: bool = False
    # When it was reported first, and last.
    first_at: dt.datetime | None = None
    reported_at: dt.datetime | None = None

    @property
    def is_held_back(self) -> bool:
        return bool(self.word) and not self.is_released

    @property
    def is_changed(self) -> bool:
        """Return whether its writer has changed the text that was held back first."""
        return bool(self.first_text) and self.first_text != self.subject.text

    @property
    def is_open(self) -> bool:
        is_decided = self.dismissed_at is not None or self.is_gone
        return not is_decided and (self.is_held_back or self.count > 0)

    def came_up_after(self, ended_at: dt.datetime | None) -> bool:
        """Return whether there is something to decide since a removal ended, if it has."""
        if ended_at is None:
            return False
        return self.is_held_back or (self.reported_at is not None and self.reported_at > ended_at)


class OneReporter(msgspec.Struct, frozen=True):
    """A member who reported a case, known by the moment of that report alone, in microseconds.

    `count` is how much waits that nobody else reported; `others`, how much that others did, too.
    """

    reported_at: int
    count: int
    others: int


class Removals(msgspec.Struct, frozen=True):
    database: Database
    vault: Vault
    messages: ShownMessages
    cards: moderation.Moderation
    now: abc.Callable[[], dt.datetime]

    async def add(self, new: Removal, *, deletes: bool = True) -> Removal:
        """Hide something in a server, and delete the public messages there that show it.

        Unless it `deletes`, what was posted before stays. Returns what is in force: of two at once
        it is one. A mute that is made again has the end of the last time, and the reason and
        moderator of the last one who gave a reason.
        """
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, new.guild_id)
            return await self._add(transaction, new, deletes=deletes)

    async def _add(self, transaction: Transaction, new: Removal, *, deletes: bool) -> Removal:
        now = self.now()
        case_id = await self.open_case(transaction, new.guild_id, new.subject, new.locale)
        await transaction.execute(QUERIES["end_expired"], case_id=case_id, now=now)
        values = msgspec.structs.asdict(new) | {"case_id": case_id, "created_at": now}
        row = await transaction.fetch_one(QUERIES["add"], **values)
        if row is not None:
            await self._owe_cards_of(transaction, new.guild_id, new.subject)
            await self._tell_writers(transaction, new, case_id, row["id"])
        elif new.subject.comment_id is None:
            await transaction.execute(
                QUERIES["change_mute"],
                case_id=case_id,
                moderator_id=new.moderator_id,
                reason=new.reason,
                until=new.until,
            )
            ends = "" if new.until is None else str(storage_rows.to_micros(new.until))
            line = moderation.NewLine(
                new.guild_id, new.moderator_id, moderation.ModerationAction.MUTE, case_id, ends
            )
            await self.cards.add_line(transaction, line)
        (kept,) = await transaction.fetch(
            QUERIES["latest"], guild_id=new.guild_id, subject=new.subject.key
        )
        removal = self._read(kept)
        if deletes:
            await self._delete_messages(transaction, removal)
        await self.cards.owe(transaction, case_id)
        return removal

    async def _tell_writers(
        self, transaction: Transaction, new: Removal, case_id: int, removal_id: int
    ) -> None:
        """Owe those whose comment it is the reason, where the server wants it and they asked."""
        comment_id = new.subject.comment_id
        settings = await self.cards.find_settings(new.guild_id, transaction)
        if comment_id is None or not settings.tells_writers:
            return
        key = f"{DECISION} {new.guild_id} {comment_id} "
        writers = await transaction.fetch(
            QUERIES["writers_who_asked"],
            guild_id=new.guild_id,
            comment_id=comment_id,
            case_id=case_id,
            moderator_id=new.moderator_id,
            told=key,
            since=self.now() - _DAY,
            most=_MOST_TOLD,
        )
        told = [
            NewMessage(
                DECISION,
                f"{key}{writer['member_id']}",
                Priority.DIRECT_MESSAGE,
                member_id=writer["member_id"],
                payload={"removal": removal_id},
                guild_id=new.guild_id,
                stays=True,
            )
            for writer in writers
        ]
        await self.messages.outbox.want(transaction, *told)

    async def end(self, removal: Removal, moderator_id: int) -> bool:
        """Undo a removal, but for what it deletes; return whether it was in force until now."""
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, removal.guild_id)
            changed = await transaction.execute(
                QUERIES["end"], removal_id=removal.id, ended_at=self.now(), ended_by=moderator_id
            )
            if changed:
                await self.cards.owe(transaction, removal.case_id)
                await self._owe_cards_of(transaction, removal.guild_id, removal.subject)
                told = await transaction.fetch(
                    QUERIES["decisions_told"],
                    guild_id=removal.guild_id,
                    comment_id=removal.subject.comment_id,
                )
                await self.messages.outbox.redraw(transaction, *(row["key"] for row in told))
        return changed > 0

    async def end_expired(self) -> None:
        """Write down which mutes have ended by themselves, and draw what they hid and closed."""
        for row in await self.database.fetch(QUERIES["expired"], now=self.now()):
            async with self.database.transaction() as transaction:
                await moderation.lock(transaction, row["guild_id"])
                ended = {"case_id": row["case_id"], "now": self.now()}
                # It may have been made longer meanwhile.
                if await transaction.execute(QUERIES["end_expired"], **ended):
                    (kept,) = await transaction.fetch(QUERIES["find"], removal_id=row["id"])
                    await self.cards.owe(transaction, row["case_id"])
                    await self._owe_cards_of(transaction, row["guild_id"], self._subject(kept))

    async def try_again(self, removal: Removal) -> None:
        """Delete the public messages that Discord has refused to delete."""
        async with self.database.transaction() as transaction:
            await self._delete_messages(transaction, removal)
            await self.cards.owe(transaction, removal.case_id)

    async def _delete_messages(self, transaction: Transaction, removal: Removal) -> None:
        ids = removal.subject.ids
        whose = {"guild_id": removal.guild_id, "removal_id": removal.id}
        await self.messages.outbox.remove(transaction, **ids, **whose)

    async def on_settled(
        self, transaction: Transaction, message: Message, state: MessageState
    ) -> None:
        """Draw a removal's card anew where a message is not reached, or it was the last."""
        row = await transaction.fetch_one(QUERIES["case_of"], removal_id=message.removal_id)
        if row is None:
            return
        progress = await self.messages.progress(row["id"], transaction)
        if not progress.left or state is MessageState.REFUSED:
            await self.cards.owe(transaction, row["case_id"])

    async def hidden(self, guild_id: int) -> moderation.Hidden:
        rows = await self.database.fetch(QUERIES["hidden"], guild_id=guild_id, now=self.now())
        return moderation.Hidden(
            frozenset(row["comment_id"] for row in rows if row["comment_id"] is not None),
            frozenset(row["player_id"] for row in rows if row["comment_id"] is None),
        )

    async def find(self, removal_id: int) -> Removal | None:
        row = await self.database.fetch_one(QUERIES["find"], removal_id=removal_id)
        return None if row is None else self._read(row)

    async def latest(self, guild_id: int, subject: moderation.Subject) -> Removal | None:
        """Return the last removal of a comment, or mute of a player: only that may be in force."""
        row = await self.database.fetch_one(
            QUERIES["latest"], guild_id=guild_id, subject=subject.key
        )
        return None if row is None else self._read(row)

    async def in_force(self, guild_id: int, most: int) -> abc.Sequence[Removal]:
        rows = await self.database.fetch(QUERIES["in_force"], guild_id=guild_id, most=most)
        return [self._read(row) for row in rows]

    async def mutes(self, guild_id: int, most: int, skip: int = 0) -> abc.Sequence[Removal]:
        """Return mutes that are in force, the newest first."""
        of = {"guild_id": guild_id, "now": self.now()}
        rows = await self.database.fetch(QUERIES["mutes"], **of, most=most, skip=skip)
        return [self._read(row) for row in rows]

    async def count_mutes(self, guild_id: int) -> int:
        of = {"guild_id": guild_id, "now": self.now()}
        (row,) = await self.database.fetch(QUERIES["count_mutes"], **of)
        return row["count"]

    async def log(
        self,
        guild_id: int,
        *,
        most: int,
        since: dt.datetime,
        before: moderation.LogPlace = moderation.NEWEST,
        moderator_id: int | None = None,
        player_id: int | None = None,
        wanted: moderation.Entries = moderation.Entries.ALL,
    ) -> abc.Sequence[tuple[moderation.LogPlace, Removal | moderation.LogLine]]:
        """Return entries of a server's log `before` a place with theirs, the newest first."""
        rows = await self.database.fetch(
            QUERIES["log"],
            guild_id=guild_id,
            moderator_id=moderator_id,
            player_id=player_id,
            since=since,
            at=before.at,
            number=before.number,
            whats=None if wanted is moderation.Entries.ALL else _whats(wanted),
            most=most,
        )
        return [
            (
                moderation.LogPlace(row["created_at"], row["number"]),
                self._read(row) if row["what"] == _REMOVAL else _read_line(row),
            )
            for row in rows
        ]

    async def players(self, guild_id: int) -> abc.Sequence[tuple[str, int | None]]:
        rows = await self.database.fetch(QUERIES["players"], guild_id=guild_id)
        return [(row["player_name"], row["player_id"]) for row in rows]

    async def report(
        self, guild_id: int, subject: moderation.Subject, member_id: int, reason: str, locale: str
    ) -> bool:
        """Keep a member's report, and owe the case's card; return whether it is their first."""
        async with self.database.transaction() as transaction:
            case_id = await self.open_case(transaction, guild_id, subject, locale)
            is_new = await transaction.execute(
                QUERIES["report"],
                case_id=case_id,
                member_id=member_id,
                sealed_reason=self._sealed(reason, _REPORT, guild_id, case_id),
                created_at=self.now(),
            )
            if is_new:
                await transaction.execute(QUERIES["reopen"], case_id=case_id)
                await self.cards.owe_new(transaction, case_id, guild_id)
        return is_new > 0

    async def reports_since(self, since: dt.datetime, member_id: int) -> int:
        (row,) = await self.database.fetch(
            QUERIES["count_reports"], member_id=member_id, since=since
        )
        return int(row["count"])

    async def dismiss(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Note that a case's reports need nothing; return whether they were open until now."""
        by = {"dismissed_at": self.now(), "dismissed_by": moderator_id}
        line = moderation.NewLine(
            guild_id, moderator_id, moderation.ModerationAction.DISMISSED, case_id
        )
        return await self._decide("dismiss", line, **by)

    async def is_undecided(self, comment_id: int) -> bool:
        """Return whether moderators of any server may have yet to decide about a comment."""
        return (
            await self.database.fetch_one(QUERIES["is_undecided"], comment_id=comment_id)
            is not None
        )

    async def close_gone(self, comment_id: int) -> None:
        async with self.database.transaction() as transaction:
            outbox = self.messages.outbox
            await moderation.note_gone(transaction, outbox, comment_id, is_gone=True)

    async def one_reporter(
        self, guild_id: int, case_id: int, reported_at: int | None = None
    ) -> OneReporter | None:
        """Return who reported a case at a moment, or who alone reported the most that waits."""
        which = {"case_id": case_id, "reported_at": reported_at}
        query = among_reports(QUERIES["one_reporter"])
        return await self.database.read_one(
            OneReporter, query, **which, guild_id=guild_id, now=self.now()
        )

    async def dismiss_about(self, case: Reported, moderator_id: int) -> int:
        """Dismiss all open reports about a case's player; return of how many comments."""
        about = moderation.ModerationAction.DISMISSED_ABOUT
        line = moderation.NewLine(case.guild_id, moderator_id, about, case.case_id)
        query = moderation.among_waiting(QUERIES["dismiss_about"])
        return await self._dismiss_many(query, line, case, player_id=case.subject.player_id)

    async def dismiss_by(
        self, case: Reported, reported_at: int, moderator_id: int, *, until: dt.datetime | None
    ) -> int:
        """Dismiss what one member alone has reported; return of how many comments.

        The server takes no reports from them `until` then.
        """
        line = moderation.NewLine(
            case.guild_id, moderator_id, moderation.ModerationAction.DISMISSED_BY
        )
        which = {"case_id": case.case_id, "reported_at": reported_at}
        query = among_reports(QUERIES["dismiss_by"])
        return await self._dismiss_many(query, line, case, until=until, **which)

    async def _dismiss_many(
        self,
        query: str,
        line: moderation.NewLine,
        case: Reported,
        *,
        until: dt.datetime | None = None,
        **which: Value,
    ) -> int:
        now = self.now()
        of = {"guild_id": case.guild_id, "now": now}
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, case.guild_id)
            count = await transaction.execute(query, **which, **of, dismissed_by=line.member_id)
            detail = str(count)
            if until is not None:
                stop = {**which, **of, "until": until, "stopped_by": line.member_id}
                await transaction.execute(QUERIES["stop_reports"], **stop)
                detail += f" {storage_rows.to_micros(until)}"
            if count or until is not None:
                line = msgspec.structs.replace(line, detail=detail)
                await self.cards.tell_dismissed(transaction, line, case.case_id, now)
        return count

    async def reports_stopped_until(self, guild_id: int, member_id: int) -> dt.datetime | None:
        """Return until when a server takes no reports from a member, None if it takes them."""
        of = {"guild_id": guild_id, "member_id": member_id, "now": self.now()}
        row = await self.database.fetch_one(QUERIES["stopped_until"], **of)
        return None if row is None else storage_rows.moment(row["until"])

    async def line(self, line_id: int) -> moderation.LogLine | None:
        row = await self.database.fetch_one(QUERIES["line"], line_id=line_id)
        return None if row is None else _read_line(row)

    async def hold(
        self,
        guild_id: int,
        subject: moderation.Subject,
        text_key: str,
        word: str,
        locale: str,
        written_at: dt.datetime | None = None,
    ) -> None:
        """Note for what a comment's text or a player's name is held back, and owe its card once.

        The server's rule may mute whoever wrote it, by when that was.
        """
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, guild_id)
            case_id = await self.open_case(transaction, guild_id, subject, locale)
            values = {"word": word, "text_key": text_key, "written_at": written_at}
            is_new = await transaction.execute(QUERIES["hold"], case_id=case_id, **values)
            first = f"{word}\n{subject.text or ''}"
            sealed = self._sealed(first, _FIRST, guild_id, case_id)
            await transaction.execute(QUERIES["hold_text"], case_id=case_id, sealed_text=sealed)
            if is_new:
                await self.cards.owe_new(transaction, case_id, guild_id)
                await self._mute_repeated(transaction, guild_id, subject, locale)

    async def _mute_repeated(
        self, transaction: Transaction, guild_id: int, subject: moderation.Subject, locale: str
    ) -> None:
        settings = await self.cards.find_settings(guild_id, transaction)
        if not settings.mutes_repeated or subject.player_id is None:
            return
        (row,) = await transaction.fetch(
            QUERIES["count_held_back"],
            guild_id=guild_id,
            player_id=subject.player_id,
            since=self.now() - _REPEATED_WITHIN,
        )
        if row["count"] < MOST_HELD_BACK:
            return
        player = moderation.Subject(
            None, player_id=subject.player_id, player_name=subject.player_name
        )
        until = self.now() + _MUTED_FOR
        mute = Removal(guild_id, player, None, "", locale, until, is_by_rule=True)
        await self._add(transaction, mute, deletes=False)

    async def held_back(self, guild_id: int) -> abc.Mapping[str, str]:
        """Return the texts and names that wait for a moderator, in the same way."""
        rows = await self.database.fetch(QUERIES["held_back"], guild_id=guild_id)
        return {row["subject"]: row["hit_text_key"] for row in rows}

    async def clean(self, guild_id: int, subject: moderation.Subject, text_key: str) -> None:
        """Note that the writer of a held-back comment has changed it to something harmless."""
        text = subject.text or ""
        async with self.database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["clean"],
                guild_id=guild_id,
                subject=subject.key,
                text_key=text_key,
                sealed_text=self._sealed(text, _TEXT, guild_id, subject.key),
                now=self.now(),
            )
            if row is not None:
                await self.cards.owe(transaction, row["id"])

    async def release(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Let the text be shown that was held back; return whether it was until now."""
        by = {"released_at": self.now(), "released_by": moderator_id}
        line = moderation.NewLine(
            guild_id, moderator_id, moderation.ModerationAction.SHOWN, case_id
        )
        return await self._decide("release", line, **by)

    async def released(self, guild_id: int) -> abc.Mapping[str, str]:
        """Return the texts and names that moderators let be shown, as keys, by their subjects'."""
        rows = await self.database.fetch(QUERIES["released"], guild_id=guild_id)
        return {row["subject"]: row["released_text_key"] for row in rows}

    async def reported(self, case_id: int) -> Reported | None:
        row = await self.database.fetch_one(QUERIES["case"], case_id=case_id)
        if row is None:
            return None
        reports = await self.database.fetch(
            QUERIES["reports_of_case"], case_id=case_id, most=REASONS_COUNTED
        )
        guild_id = row["guild_id"]
        held_back = row["hit_text_key"]
        first = self._opened(row["sealed_first"], _FIRST, guild_id, case_id) or ""
        first_word, _, first_text = first.partition("\n")
        return storage_rows.read(
            Reported,
            row,
            case_id=case_id,
            subject=self._subject(row),
            count=reports[0]["reports"] if reports else 0,
            reasons=[
                self._opened(report["sealed_reason"], _REPORT, guild_id, case_id) or ""
                for report in reports
            ],
            first_at=storage_rows.moment(reports[0]["first_at"]) if reports else None,
            reported_at=storage_rows.moment(reports[0]["created_at"]) if reports else None,
            dismissed_by=row["dismissed_by"] or None,
            is_cleaned=row["dismissed_at"] is not None and row["dismissed_by"] is None,
            word=row["hit_word"] or "",
            first_word=first_word,
            first_text=first_text,
            is_released=held_back is not None and held_back == row["released_text_key"],
            released_by=row["released_by"] or None,
        )

    async def purge(self) -> int:
        """Forget what comments said whose days are over; return how many texts went."""
        await self.database.execute(QUERIES["forget_held_texts"], now=self.now())
        return await self.database.execute(QUERIES["forget_texts"], now=self.now())

    async def open_case(
        self, transaction: Transaction, guild_id: int, subject: moderation.Subject, locale: str
    ) -> int:
        text = subject.text
        (row,) = await transaction.fetch(
            QUERIES["open_case"],
            **msgspec.structs.asdict(subject),
            guild_id=guild_id,
            subject=subject.key,
            sealed_text=None if text is None else self._sealed(text, _TEXT, guild_id, subject.key),
            locale=locale,
            touched_at=self.now(),
        )
        return int(row["id"])

    async def _owe_cards_of(
        self, transaction: Transaction, guild_id: int, subject: moderation.Subject
    ) -> None:
        """Owe anew what stays open of a player who is muted, or no longer."""
        if subject.comment_id is not None:
            return
        cases = await transaction.fetch(
            QUERIES["cards_of_player"], guild_id=guild_id, player_id=subject.player_id
        )
        for case in cases:
            if case["has_card"]:
                await self.cards.owe(transaction, case["id"])
        if not all(case["has_card"] for case in cases):
            await self.cards.owe_queue(transaction, guild_id)

    async def _decide(self, query: str, line: moderation.NewLine, **values: Value) -> bool:
        """Decide a case, and owe its card; return whether it was open until now."""
        case_id = line.case_id or 0
        async with self.database.transaction() as transaction:
            changed = await transaction.execute(
                QUERIES[query], case_id=case_id, guild_id=line.guild_id, **values
            )
            if changed:
                await self.cards.add_line(transaction, line)
                await self.cards.owe(transaction, case_id)
        return changed > 0

    def _sealed(self, text: str, kind: str, guild_id: int, of: int | str) -> bytes:
        return self.vault.seal(text, owner=guild_id, purpose=f"{kind} {of}")

    def _opened(self, sealed: bytes | None, kind: str, guild_id: int, of: int | str) -> str | None:
        return self.vault.try_open(sealed, f"{kind} {of}", owner=guild_id)

    def _subject(self, row: Row) -> moderation.Subject:
        subject = storage_rows.read(moderation.Subject, row, text=None)
        text = self._opened(row["sealed_text"], _TEXT, row["guild_id"], subject.key)
        return msgspec.structs.replace(subject, text=text)

    def _read(self, row: Row) -> Removal:
        removal = storage_rows.read(
            Removal,
            row,
            subject=self._subject(row),
            moderator_id=row["moderator_id"] or None,
            ended_by=row["ended_by"] or None,
        )
        is_over = removal.until is not None and removal.until <= self.now()
        if is_over and removal.ended_at is None:
            # By itself, which nothing has written down.
            return msgspec.structs.replace(removal, ended_at=removal.until)
        return removal


def _whats(wanted: moderation.Entries) -> str:
    """Return the kinds of the wanted entries of the log, with a space around each."""
    whats = [deed for deed in moderation.ModerationAction if deed.entries is wanted]
    removals = [_REMOVAL] if wanted is moderation.Entries.REMOVALS else []
    return f" {' '.join([*removals, *whats])} "


def among_reports(query: str) -> str:
    """Put the queries in the places of `all_reports` and `what_waits`."""
    reports = QUERIES["reports_waiting"].removesuffix(";")
    return moderation.among_waiting(query.replace("all_reports", reports))


def _read_line(row: Row) -> moderation.LogLine:
    has_case = row["case_id"] is not None
    return storage_rows.read(
        moderation.LogLine,
        row,
        member_id=row["moderator_id"] or None,
        detail=row["reason"],
        subject=storage_rows.read(moderation.Subject, row, text=None) if has_case else None,
    )
