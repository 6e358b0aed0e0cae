"""Seal secrets before they are stored, and open them again."""

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Sequence
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import SecretStr

KEY_BYTES = 32
_KEY_ID_BYTES = 4
_NONCE_BYTES = 12


class VaultError(ValueError):
    """Invalid key, or a secret that can't be opened. The message contains neither."""


class Vault:
    """AES-256-GCM under the newest key. Older keys still open what they sealed.

    A sealed secret is the key's id (4 bytes), a nonce (12 bytes) and the ciphertext. The owner and
    the purpose are bound in, so that a row copied to another member can't be opened.
    """

    def __init__(self, keys: Sequence[SecretStr]) -> None:
        if not keys:
            raise VaultError("there is no key")
        raw: list[bytes] = []
        for key in keys:
            decoded = b""
            with suppress(binascii.Error, ValueError):
                decoded = base64.b64decode(key.get_secret_value(), altchars=b"-_", validate=True)
            if len(decoded) != KEY_BYTES:
                raise VaultError("a key isn't 32 bytes in base64")
            raw.append(decoded)
        # A key other than the one that seals: no key has two uses.
        self._fingerprint_key = hashlib.sha256(b"kiosk fingerprint key" + raw[0]).digest()
        self._ciphers = {_key_id(key): AESGCM(key) for key in raw}
        self.keys = tuple(self._ciphers)
        self.newest_key = self.keys[0]

    def seal(self, secret: str, *, owner: int, purpose: str) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        bound = f"{purpose}:{owner}".encode()
        ciphertext = self._ciphers[self.newest_key].encrypt(nonce, secret.encode(), bound)
        return self.newest_key + nonce + ciphertext

    def open(self, sealed: bytes, *, owner: int, purpose: str) -> str:
        """Open what was sealed for this owner and purpose. Raises VaultError."""
        key_id = sealed[:_KEY_ID_BYTES]
        rest = sealed[_KEY_ID_BYTES:]
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise VaultError(f"the key with the id {key_id.hex()} isn't in KIOSK_KEYS")
        nonce = rest[:_NONCE_BYTES]
        ciphertext = rest[_NONCE_BYTES:]
        bound = f"{purpose}:{owner}".encode()
        try:
            return cipher.decrypt(nonce, ciphertext, bound).decode()
        except (InvalidTag, ValueError) as error:
            raise VaultError("a secret was altered, or belongs to someone else") from error

    def try_open(self, sealed: bytes | None, purpose: str, *, owner: int) -> str | None:
        with suppress(VaultError):
            if sealed is not None:
                return self.open(bytes(sealed), owner=owner, purpose=purpose)
        return None

    def fingerprint(self, secret: str, *, purpose: str) -> str:
        """Return a keyed hash by the newest key: it tells secrets apart without revealing them."""
        bound = f"{purpose}\0{secret}".encode()
        return hmac.digest(self._fingerprint_key, bound, "sha256").hex()

    def has_key_of(self, sealed: bytes) -> bool:
        return sealed[:_KEY_ID_BYTES] in self._ciphers


def new_key() -> str:
    """Make a key for KIOSK_KEYS: 32 random bytes in URL-safe base64."""
    return base64.urlsafe_b64encode(os.urandom(KEY_BYTES)).decode()


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"kiosk key id" + key).digest()[:_KEY_ID_BYTES]
