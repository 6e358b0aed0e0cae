"""The playground: its first steps work as they are printed, and its clock is the world's."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from game_service.admin import reply
from playground import simulation
from playground.__main__ import GUIDE
from playground.direct import DirectMessages
from playground.scene import open_conversation, set_scene
from playground.simulation import catch_up, pass_time
from storage.names import PlaceKind
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.discord_limits import all_faults
from tests.support.forms import fill_in
from tests.support.forum import number_of
from tests.support.game import open_game_copy


async def choose(actor: Any, card: Any, start: str) -> Any:
    """Choose the first entry whose label starts so."""
    for listed in selects_of(card):
        for entry in listed["options"]:
            if entry["label"].startswith(start):
                return await actor.select(
                    answer_of(card), [entry["value"]], custom_id=listed["custom_id"]
                )
    raise AssertionError(f"nothing starts with {start!r}")


async def test_the_printed_first_steps_work_word_for_word(
    demo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "SECONDS_BETWEEN_VIEWS", 0.0)
    guide = " ".join(GUIDE.split())
    async with (
        open_game_copy(demo, tmp_path) as game,
        set_scene(game, "sqlite:///game.db", str(tmp_path)) as scene,
    ):
        await open_conversation(scene)
        channel, hazel, clover = scene.channel, scene.member, scene.newcomer
        async with scene.env.preview(channel, viewers=scene.people, layout="channel") as preview:
            before = preview.capture_time
            await pass_time(scene.env, preview)
            assert before < preview.capture_time <= datetime.now(UTC)
            assert preview.capture_time == scene.env.now()
            while "The game's forum and shop" not in text_of(channel.last_message):
                await pass_time(scene.env, preview)

        panel = channel.last_message
        assert '/forum read thread:Park life. Choose a "Reply to" from the list' in guide
        card = await hazel.slash(channel, "forum read", thread="Park life")
        assert selects_of(card)[0]["placeholder"] in guide
        form = await choose(hazel, card, "Reply to")
        assert "Reply posted" in text_of(await hazel.submit_modal(form, {"text": "Hello, park!"}))

        assert "/shop browse catalog:Season. Choose" in guide
        assert 'Choose "Buy Straw Hat", then press "Buy item"' in guide
        gallery = await hazel.slash(channel, "shop browse", catalog="Season")
        await choose(hazel, gallery, "Buy Straw Hat")
        await hazel.click(answer_of(gallery), label="Buy item")
        assert "Straw Hat" in text_of(await hazel.slash(channel, "shop orders"))
        assert "/account show shows the role that you got for it" in guide
        collector = hazel.guild.roles["Collector"]
        said = f"You have {collector.mention} because you own **Straw Hat**."
        while said not in text_of(await hazel.slash(channel, "account show")):
            await catch_up(scene.env)
        member = scene.env.backend.get_member(hazel.guild.id, hazel.id)
        assert collector.id in member.role_ids

        assert 'choose "Season" on the panel, press "Link account" and paste demo-newcomer' in guide
        refused = await choose(clover, panel, "Season")
        form = await clover.click(answer_of(refused), label="Link account")
        await clover.submit_modal(form, {"token": "demo-newcomer"})
        assert "## Season" in text_of(refused)

        shown = await scene.moderator.slash(channel, "setup show")
        assert "No problems found" in text_of(shown)
        assert "As Rowan (moderator): type /announce add catalog:Season." in guide
        assert "Choose #game-talk in the form" in guide
        form = await scene.moderator.slash(channel, "announce add", catalog="Season")
        added = await fill_in(scene.moderator, form, channel=[channel])
        assert "Announcement added. Kiosk posts news from now on." in text_of(added)

        assert "As Hazel: type /forum post thread:Park life, then press" in guide
        posted = await hazel.slash(
            channel, "forum post", thread="Park life", content="Who likes acorns?"
        )
        assert '"Watch replies"' in guide
        await hazel.click(answer_of(posted), label="Watch replies")
        await scene.bot.features.poller.poll(PlaceKind.THREAD, 1)
        await reply(game.database, number_of(posted), "Me, too")
        await scene.bot.features.poller.poll(PlaceKind.THREAD, 1)
        directly = DirectMessages(scene)
        while "To Hazel (member) alone:" not in text_of(channel.last_message):
            await catch_up(scene.env)
            await directly.copy()
        assert "Me, too" in text_of(channel.last_message)
        assert all_faults(scene.env.http_requests) == []
