"""Sealing secrets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from storage.vault import Vault, VaultError, new_key


def vault_of(*keys: str) -> Vault:
    return Vault([SecretStr(key) for key in keys])


VAULT = vault_of(new_key())


@given(secret=st.text(st.characters(exclude_categories=["Cs"])), owner=st.integers(0, 2**64))
def test_what_is_sealed_opens_for_its_owner(secret: str, owner: int) -> None:
    sealed = VAULT.seal(secret, owner=owner, purpose="link")

    assert VAULT.open(sealed, owner=owner, purpose="link") == secret
    assert len(secret) < 8 or secret.encode() not in sealed


def test_two_seals_of_one_secret_differ() -> None:
    assert VAULT.seal("a", owner=1, purpose="link") != VAULT.seal("a", owner=1, purpose="link")


@pytest.mark.parametrize(("owner", "purpose"), [(2, "link"), (1, "draft")])
def test_a_seal_opens_for_nobody_else_and_nothing_else(owner: int, purpose: str) -> None:
    sealed = VAULT.seal("a", owner=1, purpose="link")

    with pytest.raises(VaultError):
        VAULT.open(sealed, owner=owner, purpose=purpose)


@given(position=st.integers(0, 30), bit=st.integers(0, 7))
def test_a_seal_altered_anywhere_does_not_open(position: int, bit: int) -> None:
    sealed = bytearray(VAULT.seal("secret", owner=1, purpose="link"))
    sealed[position] ^= 1 << bit

    with pytest.raises(VaultError):
        VAULT.open(bytes(sealed), owner=1, purpose="link")


def test_an_older_key_still_opens_and_the_newest_seals() -> None:
    old, new = new_key(), new_key()
    sealed = vault_of(old).seal("secret", owner=1, purpose="link")
    both = vault_of(new, old)

    assert both.open(sealed, owner=1, purpose="link") == "secret"
    resealed = both.seal("secret", owner=1, purpose="link")
    assert vault_of(new).open(resealed, owner=1, purpose="link") == "secret"
    with pytest.raises(VaultError):
        vault_of(old).open(resealed, owner=1, purpose="link")


@pytest.mark.parametrize("key", ["", "short", "ä" * 44, "Qm9" * 13, "=" * 44])
def test_what_is_no_key_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(VaultError) as refused:
        vault_of(key)

    assert not key or key not in str(refused.value)


def test_a_vault_needs_a_key() -> None:
    with pytest.raises(VaultError):
        Vault([])
