"""How a draft stands in its row: its texts are sealed, each for this row alone."""

from bot.domain.drafts import Draft
from storage.database import Row
from storage.rows import read
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
        try:
            text, sent = (
                self._open(bytes(row[column]), row["id"], row["member_id"])
                for column in ("sealed_text", "sealed_sent")
            )
        except VaultError:
            return read(Draft, row, text="", sent="", is_readable=False)
        return read(Draft, row, text=text, sent=sent, is_readable=True)
