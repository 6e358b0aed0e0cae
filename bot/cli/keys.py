"""`python -m bot keys`: make keys, change them, and go on without one that is lost."""

import asyncio
from argparse import ArgumentParser
from collections.abc import Callable, Set

from bot.cli import add_commands, fail, failing_in_words, open_changing, open_looking, progress


def add_key_commands(parser: ArgumentParser) -> None:
    """Add the commands to what stands before them, `keys`."""
    of = add_commands(parser, new, status, rotate, drop_unreadable)
    of["drop-unreadable"].add_argument("--yes", action="store_true", help="don't ask")


def new() -> None:
    """Print a new key; put it first in KIOSK_KEYS, before older ones."""
    from storage.vault import new_key

    print(new_key())


def status() -> None:
    """Say how much each key has sealed, and whether it is in KIOSK_KEYS."""
    with failing_in_words():
        for line in asyncio.run(_status()):
            print(line)


def rotate() -> None:
    """Seal everything anew with the newest key, while Kiosk runs with it; may be cut off."""
    with failing_in_words(), progress("Sealing") as report:
        done, unreadable = asyncio.run(_rotate(report))
    print(f"sealed anew: {done}")
    if unreadable:
        fail(
            f"{unreadable} can't be opened with KIOSK_KEYS: see `python -m bot keys status`;"
            " add the lost key back, or give it up with `python -m bot keys drop-unreadable`"
        )


def drop_unreadable(*, yes: bool) -> None:
    """Remove what a lost key has sealed; members are told at their next command."""
    with failing_in_words():
        lost = asyncio.run(_count_unreadable())
        if not lost:
            print("KIOSK_KEYS opens everything: nothing to remove")
            return
        question = f"{lost} sealed values can't be opened any more. Remove them for good?"
        if not yes and not _agrees(question):
            fail("nothing was removed")
        print(f"removed: {asyncio.run(_drop())}")


def _agrees(question: str) -> bool:
    try:
        return input(f"{question} [y/N]: ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


async def _status() -> list[str]:
    from storage.resealing import Seals

    async with open_looking() as (database, vault):
        counts = await Seals(database, vault).count()

    def line(key_id: bytes) -> str:
        state = "older" if vault.has_key_of(key_id) else "NOT IN KIOSK_KEYS"
        state = "newest" if key_id == vault.newest_key else state
        by_column = counts.get(key_id, {})
        listed = ", ".join(f"{name} {count}" for name, count in by_column.items())
        return f"{key_id.hex()}  {state:17}  {listed or 'nothing'}"

    others = sorted(counts.keys() - {vault.newest_key})
    return [line(key_id) for key_id in (vault.newest_key, *others)]


async def _rotate(report: Callable[[int, int], None]) -> tuple[int, int]:
    from storage.resealing import Seals

    async with open_changing() as (database, vault):
        resealed = await Seals(database, vault).seal_anew(report)
    return resealed.done, resealed.unreadable


async def _count_unreadable() -> int:
    from storage.resealing import Seals

    async with open_looking() as (database, vault):
        counts = await Seals(database, vault).count()
    lost = [counts[key_id] for key_id in counts if not vault.has_key_of(key_id)]
    return sum(sum(by_column.values()) for by_column in lost)


async def _drop() -> int:
    from storage.resealing import Seals

    async with open_changing() as (database, vault):
        return await Seals(database, vault).remove_unreadable(_message)


def _message(tables: Set[str], locale: str) -> tuple[str, str] | None:
    """Tell a member what they have lost; that the start of a comment is gone, nobody notices."""
    from bot.i18n import speaking, t

    with speaking(locale):
        lines: list[str] = []
        if "links" in tables:
            lines.append(
                t("Your access token can't be opened any more, so it was deleted.")
                + " "
                + t("Link your game account again with `/account link`.")
            )
        if "drafts" in tables:
            lines.append(t("One of your unsent texts is lost."))
        if "inbox" in tables:
            lines.append(t("A message that waited for you here is lost."))
        return (t("A key of this bot was lost"), "\n".join(lines)) if lines else None
