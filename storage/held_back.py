"""Comments and names that are held back for a watched word, until a moderator decides."""

import datetime as dt
from collections import abc

import msgspec

from storage import hiding, moderation
from storage.cases import FIRST, TEXT, Cases
from storage.database import Database, Transaction, queries_beside
from storage.removals import Removal, Removals

QUERIES = queries_beside(__file__)
# A rule's limits: how many held-back comments, within how long, and how long the mute lasts.
MAX_HELD_BACK = 3
_REPEATED_WITHIN = dt.timedelta(hours=1)
_MUTED_FOR = dt.timedelta(days=1)


class HeldBack(msgspec.Struct, frozen=True):
    database: Database
    cases: Cases
    removals: Removals
    settings: moderation.ModerationSettings
    now: abc.Callable[[], dt.datetime]

    async def hold_back(
        self,
        guild_id: int,
        subject: moderation.Subject,
        text_key: str,
        word: str,
        locale: str,
        written_at: dt.datetime | None = None,
    ) -> None:
        """Note the word that holds back a comment's text or a player's name. Queue its card once.

        The server's rule may mute the writer, by when it was written.
        """
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, guild_id)
            case_id = await self.cases.open(transaction, guild_id, subject, locale)
            values = {"word": word, "text_key": text_key, "written_at": written_at}
            is_new = await hiding.change(
                transaction, "hold", guild_id=guild_id, case_id=case_id, **values
            )
            first = f"{word}\n{subject.text or ''}"
            sealed = self.cases.sealed(first, FIRST, guild_id, case_id)
            await transaction.execute(QUERIES["hold_text"], case_id=case_id, sealed_text=sealed)
            if is_new:
                await self.cases.owe_new(transaction, case_id, guild_id)
                await self._mute_repeated(transaction, guild_id, subject, locale)

    async def _mute_repeated(
        self, transaction: Transaction, guild_id: int, subject: moderation.Subject, locale: str
    ) -> None:
        settings = await self.settings.find(guild_id, transaction)
        if not settings.mutes_repeated or subject.player_id is None:
            return
        (row,) = await transaction.fetch(
            QUERIES["count_held_back"],
            guild_id=guild_id,
            player_id=subject.player_id,
            since=self.now() - _REPEATED_WITHIN,
        )
        if row["count"] < MAX_HELD_BACK:
            return
        player = moderation.Subject(
            None, player_id=subject.player_id, player_name=subject.player_name
        )
        until = self.now() + _MUTED_FOR
        mute = Removal(guild_id, player, None, "", locale, until, is_by_rule=True)
        await self.removals.add_in(transaction, mute, deletes=False)

    async def version(self, guild_id: int) -> int | None:
        """Return the server's `hiding.version`."""
        return await hiding.version(self.database, guild_id)

    async def waiting(self, guild_id: int) -> abc.Mapping[str, str]:
        """Return the keys of held-back texts and names that wait, by their subjects' keys."""
        rows = await self.database.fetch(QUERIES["held_back"], guild_id=guild_id)
        return {row["subject"]: row["hit_text_key"] for row in rows}

    async def clean(self, guild_id: int, subject: moderation.Subject, text_key: str) -> None:
        """Note that the writer of a held-back comment has changed it to something harmless."""
        text = subject.text or ""
        async with self.database.transaction() as transaction:
            cleaned = await hiding.change(
                transaction,
                "clean",
                guild_id=guild_id,
                subject=subject.key,
                text_key=text_key,
                sealed_text=self.cases.sealed(text, TEXT, guild_id, subject.key),
                now=self.now(),
            )
            for row in cleaned:
                await self.cases.owe(transaction, row["id"])

    async def release(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Allow a held-back text to be shown. Return whether it was held back until now."""
        by = {"released_at": self.now(), "released_by": moderator_id}
        line = moderation.NewLine(
            guild_id, moderator_id, moderation.ModerationAction.SHOWN, case_id
        )
        async with self.database.transaction() as transaction:
            released = await hiding.change(
                transaction, "release", guild_id=guild_id, case_id=case_id, **by
            )
            if released:
                await self.cases.note_decision(transaction, line)
        return bool(released)

    async def released(self, guild_id: int) -> abc.Mapping[str, str]:
        """Return the keys of texts and names that moderators allowed, by their subjects' keys."""
        rows = await self.database.fetch(QUERIES["released"], guild_id=guild_id)
        return {row["subject"]: row["released_text_key"] for row in rows}
