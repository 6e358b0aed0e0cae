"""How a draft stands in its row: its texts are sealed, each for this row alone."""

from dataclasses import replace

from bot.domain.drafts import Draft, DraftKind, DraftState
from storage.database import Row
from storage.times import from_micros, moment
from storage.vault import BrokenSeal, Vault, VaultError


class DraftRows:
    """Seals what goes into rows, and opens it again."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def seal(self, text: str, draft_id: int, member_id: int) -> bytes:
        """Seal a text for its row."""
        return self._vault.seal(text, owner=member_id, purpose=f"draft {draft_id}")

    def _open(self, sealed: bytes, draft_id: int, member_id: int) -> str:
        try:
            return self._vault.open(sealed, owner=member_id, purpose=f"draft {draft_id}")
        except BrokenSeal:
            # The version before bound a text to its writer alone.
            return self._vault.open(sealed, owner=member_id, purpose="draft")

    def read(self, row: Row | None) -> Draft | None:
        """Return the draft of a row, None for none; one that can't be opened says so."""
        if row is None:
            return None
        draft_id, member_id = int(row["id"]), int(row["member_id"])
        draft = Draft(
            member_id=member_id,
            kind=DraftKind(row["kind"]),
            thread_id=row["thread_id"],
            comment_id=row["comment_id"],
            text="",
            sent="",
            id=draft_id,
            state=DraftState(row["state"]),
            claimed_by=row["claimed_by"],
            due_at=from_micros(row["due_at"]),
            created_at=from_micros(row["created_at"]),
            sent_at=moment(row["sent_at"]),
            arrives_until=moment(row["arrives_until"]),
            newest_before=row["newest_before"],
            is_told=bool(row["is_told"]),
            locale=row["locale"],
        )
        try:
            text, sent = (
                self._open(bytes(row[column]), draft_id, member_id)
                for column in ("sealed_text", "sealed_sent")
            )
        except VaultError:
            return replace(draft, is_readable=False)
        return replace(draft, text=text, sent=sent)
