"""What members keep when a feature's folder is deleted, and what becomes of the feature's rows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cogs import FEATURES
from storage.messages import MessageState, NewMessage, Priority
from tests.support.cards import text_of
from tests.support.gates import PATIENCE_SECONDS
from tests.support.old_buttons import press_old
from tests.support.owed import tried
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World

ROOT = Path(__file__).parents[2]
COPIED = ("bot", "cogs", "game_service", "playground", "storage", "tests", "tools")
# Of each, a button that it draws.
OLD_BUTTONS = {"roles": "kiosk.setup.roles"}
# The kind of message that it owes to Discord, or would.
OLD_KINDS = {"roles": "role"}


@pytest.mark.parametrize("feature", OLD_BUTTONS)
def test_a_feature_is_deleted_by_its_folder_and_its_name(feature: str, tmp_path: Path) -> None:
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.rmtree(tmp_path / "cogs" / feature)
    names = tmp_path / "cogs" / "__init__.py"
    names.write_text(names.read_text().replace(f'"{feature}", ', ""))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(
                "tests/unit/test_house.py",
                "tests/conversations/test_without_a_feature.py::test_the_core_works_without_a_feature",
            ),
        ],
        cwd=tmp_path,
        env=os.environ | {"WITHOUT_FEATURE": feature},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.skipif("WITHOUT_FEATURE" not in os.environ, reason="a copy without a feature runs it")
async def test_the_core_works_without_a_feature(world: World) -> None:
    feature = os.environ["WITHOUT_FEATURE"]
    assert feature not in FEATURES
    await world.name_demo_places()
    await world.settle(world.member, SUBSCRIBER)
    key = "of a feature"
    wanted = NewMessage(
        OLD_KINDS[feature],
        key,
        Priority.DIRECT_MESSAGE,
        member_id=world.member.id,
        guild_id=world.guild.id,
    )
    outbox = world.bot.core.messages
    async with outbox.transaction() as transaction:
        await outbox.want(transaction, wanted)

    steps = Steps(world, world.member)
    await steps.use("forum read", thread="1")
    await steps.choose("Reply to ")
    assert "Your reply is posted" in await steps.send(text="Here I am.")
    await steps.use("shop buy", item="1", catalog="1")
    assert "Acorn Cap is yours" in await steps.press("Buy it")
    await steps.use("help")
    await steps.use("account show")
    assert "What Kiosk keeps about you" in await steps.press("Export")
    managing = Steps(world, world.moderator)
    shown = await managing.use("setup show")
    assert "Kiosk in this server" in shown
    pressed = await press_old(world, managing.card, OLD_BUTTONS[feature], {})
    assert "This button no longer works" in text_of(pressed)

    await tried(world)
    lying = await outbox.find(key)
    assert lying is not None
    assert lying.state is MessageState.OWED
    assert "messages" in await world.bot.features.records.export(world.member.id)
    erased = await world.press_through("account show", "Erase…", "Erase everything")
    assert "This was erased" in text_of(erased)
    assert await outbox.find(key) is None
