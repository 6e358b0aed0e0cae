"""Linking an account, as members meet it."""

import gc
from pathlib import Path

import pytest
import simcord
from pydantic import SecretStr

from bot.app import open_bot
from bot.settings import SettingsError
from storage.vault import new_key
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.rogue_shop import RogueShop
from tests.support.world import NEWCOMER, SUBSCRIBER, World, open_world


async def test_a_member_links_an_account_and_sees_that_it_is_linked(world: World) -> None:
    linked = await world.link(world.member, SUBSCRIBER)

    assert linked.ephemeral
    assert "Your game account is linked" in text_of(linked)
    assert "Your game account is linked" in text_of(await world.slash("account show"))


async def test_the_token_is_typed_into_a_form_and_never_into_an_option(world: World) -> None:
    form = await world.slash("account link")

    assert form.modal is not None
    with pytest.raises(simcord.OptionError):
        await world.slash("account link", token=SUBSCRIBER)


async def test_a_token_that_the_game_refuses_is_not_kept(world: World) -> None:
    refused = await world.link(world.member, "made-up")

    assert "The game refused this token" in text_of(refused)
    assert "No game account is linked" in text_of(await world.slash("account show"))


async def test_a_token_that_no_header_can_carry_is_refused(world: World) -> None:
    assert "The game refused this token" in text_of(
        await world.link(world.member, "sn\u00f6\u2603")
    )


async def test_spaces_around_a_pasted_token_do_no_harm(world: World) -> None:
    assert "is linked" in text_of(await world.link(world.member, f"  {SUBSCRIBER}\n"))


async def test_a_refused_token_leaves_the_link_before_it_in_place(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    await world.link(world.member, "made-up")

    assert "Your game account is linked" in text_of(await world.slash("account show"))


async def test_a_token_is_checked_with_the_catalogs_that_the_server_has_named(world: World) -> None:
    await world.slash("setup catalog add", world.moderator, id="999", name="Gone")
    await world.slash("setup catalog add", world.moderator, id="2", name="Outlet")

    assert "is linked" in text_of(await world.link(world.member, NEWCOMER))


async def test_a_good_token_is_told_from_a_bad_one_though_no_catalog_is_known(world: World) -> None:
    await world.slash("setup catalog add", world.moderator, id="999", name="Gone")

    assert "is linked" in text_of(await world.link(world.member, NEWCOMER))
    assert "The game refused" in text_of(await world.link(world.friend, "made-up"))


@pytest.mark.usefixtures("on_both_engines")
async def test_unlinking_forgets_the_token(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    asked = await world.slash("account unlink")
    assert "Unlink your game account?" in text_of(asked)
    assert "is linked" in text_of(await world.slash("account show"))
    await world.member.click(answer_of(asked), label="Unlink")
    assert "is unlinked" in text_of(asked)
    assert "No game account is linked" in text_of(await world.slash("account show"))
    assert "nothing to unlink" in text_of(await world.slash("account unlink"))


async def test_the_button_on_a_card_unlinks_too(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    card = await world.slash("account show")

    await world.member.click(answer_of(card), label="Unlink")
    await world.member.click(answer_of(card), label="Back")
    assert "Your game account is linked" in text_of(card)
    await world.member.click(answer_of(card), label="Unlink")
    await world.member.click(answer_of(card), label="Unlink")

    assert "is unlinked" in text_of(card)


async def test_the_button_on_an_empty_account_opens_the_form(world: World) -> None:
    card = await world.slash("account show")

    assert card.response is not None
    assert "Link account" in buttons_of(card)
    form = await world.member.click(card.response, label="Link account")
    linked = await world.member.submit_modal(form, {"token": SUBSCRIBER})
    assert "Your game account is linked" in text_of(linked)


async def test_links_are_each_members_own(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    other = await world.slash("account show", world.friend)
    assert "No game account is linked" in text_of(other)


async def test_a_link_works_after_a_restart(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    async with open_bot(world.settings) as again:
        await world.env.restart_bot(again)
        assert "Your game account is linked" in text_of(await world.slash("account show"))


async def test_a_link_whose_key_is_gone_keeps_the_bot_from_starting(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    other_key = world.settings.model_validate(
        {**world.settings.model_dump(), "kiosk_keys": new_key()}
    )

    with pytest.raises(SettingsError, match="KIOSK_KEYS"):
        async with open_bot(other_key):
            pass


async def test_no_file_and_no_line_holds_a_token(
    world: World,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level("DEBUG")
    await world.link(world.member, "made-up-token")
    await world.link(world.member, SUBSCRIBER)
    await world.slash("account show")

    kept = _bytes_of(tmp_path)
    printed = "".join(capfd.readouterr())
    own_lines = "".join(
        record.getMessage() + str(record.exc_text)
        for record in caplog.records
        if not record.name.startswith("discord")
    )
    for token in (SUBSCRIBER, "made-up-token"):
        assert token.encode() not in kept
        assert token not in printed
        assert token not in own_lines
        assert token not in repr(world.settings)


def _bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("kiosk.db*"))


def kept_tokens() -> list[SecretStr]:
    gc.collect()
    secrets = [one for one in gc.get_objects() if isinstance(one, SecretStr)]
    return [secret for secret in secrets if secret.get_secret_value() == SUBSCRIBER]


async def test_an_unlinked_token_is_in_no_memory_of_kiosk(world: World) -> None:
    # What other tests have left behind.
    before = kept_tokens()
    await world.link(world.member, SUBSCRIBER)
    await world.slash("shop browse", catalog="1", sort="cost")
    await world.slash("forum read", thread="1")
    asked = await world.slash("account unlink")
    await world.member.click(answer_of(asked), label="Unlink")

    assert len(kept_tokens()) == len(before)


async def test_a_member_whom_the_shop_refuses_is_linked_and_told_so(
    tmp_path: Path, shop: RogueShop
) -> None:
    shop.forbidden = {"any-token"}
    async with open_world(tmp_path, shop.base_url) as world:
        await world.slash("setup catalog add", world.moderator, id="1", name="Season")
        linked = text_of(await world.link(world.member, "any-token"))

        assert "Your game account is linked" in linked
        assert "shop refused" in linked
        assert "is linked" in text_of(await world.slash("account show"))
