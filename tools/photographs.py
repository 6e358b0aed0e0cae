"""Take pictures of all cards into build/pictures, as members see them on a desk and on a phone.

build/pictures/sheets shows several at once. docs/pictures has those that documents show. With
`--language pl`, everyone has Discord in Polish. `--only raid` takes one album alone. `trouble`
needs `news` before it.
"""

import argparse
import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simcord
from simcord.components import walk_components

from bot.i18n import SOURCE_LANGUAGE, nt, pt, speak, t
from game_service.admin import add_item
from playground.pictures import pictures
from playground.pseudo import speak_pseudo
from playground.scene import Scene, open_conversation, open_scene
from playground.simulation import catch_up, speak_language, use_installed_browser
from storage.names import PlaceKind
from tools.sheets import draw_sheets, draw_story

FOLDER = Path(__file__).parents[1] / "build" / "pictures"
# The window's size, in pixels.
DESK = (760, 1600)
PHONE = (400, 2000)
# An item is opened, bought, redeemed and shared.
_PURCHASE = ("shop-item", "shop-buy", "shop-bought", "shop-redeemed", "shop-bought-shared")
# Comments that a raid reports.
_HONEST = (
    "The pond is lovely this evening.",
    "Has anyone seen my left boot?",
    "Thank you all for the party!",
)


@dataclass(frozen=True)
class Photographer:
    """Acts as the scene's people and takes pictures of what they see."""

    scene: Scene
    preview: simcord.Preview

    async def use(
        self, command: str, actor: simcord.MemberActor | None = None, /, **options: Any
    ) -> simcord.InteractionResult:
        """Use a command, as the member unless another actor is named."""
        return await (actor or self.scene.member).slash(self.scene.channel, command, **options)

    async def press(
        self, shown: simcord.InteractionResult, label: str, actor: simcord.MemberActor | None = None
    ) -> simcord.InteractionResult:
        """Press the first button of that label, as the member unless another actor is named.

        A label that has a context comes translated.
        """
        message = shown.response or shown.followups[0]
        pressed = _button(message, t(label))
        return await (actor or self.scene.member).click(message, custom_id=pressed)

    async def choose(
        self,
        shown: simcord.InteractionResult,
        entry: int | str,
        actor: simcord.MemberActor | None = None,
    ) -> simcord.InteractionResult:
        """Choose an entry of the card's list, as the member unless another actor is named.

        `entry` is its place, or words in it.
        """
        message = shown.response or shown.followups[0]
        parts = walk_components(message.components)
        listed = next(part for part in parts if part.get("options"))
        options = listed["options"]
        if isinstance(entry, str):
            entry = next(place for place, option in enumerate(options) if entry in str(option))
        value = options[entry]["value"]
        chosen = actor or self.scene.member
        return await chosen.select(message, [value], custom_id=listed["custom_id"])

    async def take(self, name: str, shown: Any, viewer: simcord.MemberActor | None = None) -> None:
        """Take two pictures of a card: `name.png` and `name-phone.png`."""
        await catch_up(self.scene.env)
        # No picture can be taken while a message of the channel is deleted.
        while not self.scene.bot.is_idle():
            await _pass_time(self.scene)
        await self.preview.refresh()
        for suffix, viewport in (("", DESK), ("-phone", PHONE)):
            await self.preview.screenshot(
                FOLDER / f"{name}{suffix}.png",
                target=shown,
                viewer=viewer or self.scene.member,
                viewport=viewport,
                allow_incomplete=True,
            )


async def _account(photographer: Photographer) -> None:
    newcomer = photographer.scene.newcomer
    await photographer.take("help", await photographer.use("help"))
    account = await photographer.use("account show")
    await photographer.take("account", account)
    await photographer.take("account-unlink", await photographer.press(account, "Unlink account…"))
    account = await photographer.use("account show")
    await photographer.take("account-erase", await photographer.press(account, "Erase data…"))
    nobody = await photographer.use("account show", newcomer)
    await photographer.take("account-none", nobody, newcomer)
    await photographer.take("link-form", await photographer.use("account link"))
    unlinked = await photographer.use("forum post", newcomer, thread="1", content="Hello!")
    await photographer.take("not-linked", unlinked, newcomer)


async def _setup(photographer: Photographer) -> None:
    moderator = photographer.scene.moderator
    newcomer = photographer.scene.newcomer
    await photographer.take("setup", await photographer.use("setup show", moderator), moderator)
    asked = await photographer.use("setup thread", moderator, id="404", name="Later")
    await photographer.take("setup-unknown", asked, moderator)
    await photographer.take("panel", photographer.scene.channel.last_message)
    for name, label in (("names", "Threads"), ("permissions", "Permissions"), ("roles", "Roles")):
        shown = await photographer.use("setup show", moderator)
        shown = await photographer.press(shown, label, moderator)
        await photographer.take(f"setup-{name}", shown, moderator)
    for name in ("Panel", "Language"):
        shown = await photographer.use("setup show", moderator)
        form = await photographer.press(shown, name, moderator)
        await photographer.take(f"setup-{name.lower()}-form", form, moderator)
    helped = await photographer.use("help", moderator)
    await photographer.take("help-moderators", helped, moderator)
    form = await photographer.use("account link", newcomer)
    refused = await newcomer.submit_modal(form, {"token": "made-up"})
    await photographer.take("token-refused", refused, newcomer)


async def _forum(photographer: Photographer) -> None:
    thread = await photographer.use("forum read", thread="1")
    await photographer.take("forum-thread", thread)
    opened = await photographer.choose(thread, 0)
    await photographer.take("forum-comment", opened)
    await photographer.take("forum-shared", await photographer.press(opened, "Share"))
    hottest = await photographer.use("forum read", thread="1", sort="hottest")
    await photographer.take("forum-hottest", hottest)
    await photographer.take("forum-last", await photographer.press(hottest, "Last"))
    thread = await photographer.use("forum read", thread="1")
    form = await photographer.press(thread, "Find")
    await photographer.take("forum-find-form", form)
    found = await photographer.scene.member.submit_modal(form, {"words": "the"})
    await photographer.take("forum-found", found)
    thread = await photographer.use("forum read", thread="1")
    await photographer.take("forum-own", await photographer.press(thread, "Your comments"))
    await photographer.take("forum-form", await photographer.use("forum post", thread="1"))
    written = await photographer.use("forum post", thread="2", content="The new hats are lovely!")
    await photographer.take("forum-written", written)
    await photographer.take("forum-delete", await photographer.press(written, "Delete comment"))
    await photographer.take("forum-empty", await photographer.use("forum read", thread="3"))
    await photographer.take("forum-unknown", await photographer.use("forum read", thread="404"))


async def _shop(photographer: Photographer) -> None:
    await photographer.take("shop-gallery", await photographer.use("shop browse", catalog="1"))
    cheap = await photographer.use("shop browse", catalog="1", show="not owned", sort="cost")
    await photographer.take("shop-sorted", cheap)
    await photographer.take("shop-filter", await photographer.press(cheap, "Filter"))
    await photographer.take("shop-page", await photographer.press(cheap, "Go to page"))
    item = await photographer.use("shop item", item="1", catalog="1")
    await photographer.take("shop-item", item)
    await photographer.take("shop-shared", await photographer.press(item, "Share"))
    buying = await photographer.use("shop buy", item="1", catalog="1")
    await photographer.take("shop-buy", buying)
    bought = await photographer.press(buying, "Buy item")
    await photographer.take("shop-bought", bought)
    await photographer.take("shop-bought-shared", await photographer.press(bought, "Share"))
    await photographer.use("shop browse", catalog="1", sort="cost")
    whole = await photographer.use("shop browse", catalog="1", page=3)
    await photographer.take("shop-whole", whole)
    redeeming = await photographer.use("shop redeem", item="1", catalog="1")
    await photographer.take("shop-redeem", redeeming)
    await photographer.take("shop-redeemed", await photographer.press(redeeming, "Redeem item"))
    orders = await photographer.use("shop orders")
    await photographer.take("shop-orders", orders)
    waiting = await photographer.press(orders, "Bought, not redeemed")
    await photographer.take("shop-orders-waiting", waiting)


async def _news(photographer: Photographer) -> None:
    scene = photographer.scene
    moderator = photographer.scene.moderator
    form = await photographer.use("announce add", moderator, catalog="Season")
    await photographer.take("announce-form", form, moderator)
    filled = {"channel": [scene.channel], "news": ["new", "clearance"]}
    added = await moderator.submit_modal(form, filled)
    await photographer.take("announce-add", added, moderator)
    followed = await photographer.use(
        "announce thread", moderator, thread="Park life", channel=scene.channel
    )
    await photographer.take("announce-thread", followed, moderator)
    watched = await photographer.use("shop watch", item="Straw Hat", catalog="Season")
    await photographer.take("shop-watch", watched)
    # Old items aren't news: the first look must be over.
    while not await _is_read(photographer):
        await _pass_time(scene)
    await add_item(scene.game.database, 1, name="Night Cap", cost=30)
    await photographer.take("announced", await _posted(scene, "Night Cap"))
    for name in ("Wool Scarf", "Mint Specs", "Rain Coat"):
        await add_item(scene.game.database, 1, name=name, cost=60)
    await photographer.take("announced-several", await _posted(scene, "Rain Coat"))
    await photographer.use("forum post", thread="Park life", content="Good evening, park!")
    await photographer.take("forum-followed", await _posted(scene, "Good evening"))
    listed = await photographer.use("announce list", moderator)
    await photographer.take("announce-list", listed, moderator)
    opened = await photographer.choose(listed, 0, moderator)
    await photographer.take("announce-opened", opened, moderator)
    form = await photographer.press(opened, "Custom text", moderator)
    await photographer.take("announce-words-form", form, moderator)
    typed = {"words": "**{item}** is in {catalog} for {price}! Who takes it first?"}
    previewed = await moderator.submit_modal(form, typed)
    await photographer.take("announce-words", previewed, moderator)
    opened = await photographer.press(previewed, pt("a preview", "Save"), moderator)
    previewed = await photographer.press(opened, "Preview", moderator)
    await photographer.take("announce-preview", previewed, moderator)
    opened = await photographer.press(previewed, "Back", moderator)
    await photographer.press(opened, "Pause", moderator)
    await photographer.take("announce-paused", opened, moderator)
    listed = await photographer.use("announce list", moderator)
    start = await photographer.press(listed, "Announce a catalog", moderator)
    await photographer.take("announce-catalogs", start, moderator)
    history = await photographer.use("announce history", moderator, item="Night Cap")
    await photographer.take("announce-history", history, moderator)
    history = await photographer.use("announce history", moderator)
    await photographer.take("announce-history-all", history, moderator)
    message = await photographer.choose(history, 0, moderator)
    await photographer.take("announce-message", message, moderator)
    message = await photographer.press(message, "Update message", moderator)
    await photographer.take("announce-message-updated", message, moderator)
    asked = await photographer.press(message, "Delete message…", moderator)
    await photographer.take("announce-message-delete", asked, moderator)
    deleted = await photographer.press(asked, "Delete message", moderator)
    await photographer.take("announce-message-deleted", deleted, moderator)


async def _moderation(photographer: Photographer) -> None:
    scene = photographer.scene
    moderator = photographer.scene.moderator
    shown = await photographer.use("setup show", moderator)
    form = await photographer.press(shown, "Moderation", moderator)
    await photographer.take("setup-moderation", form, moderator)
    await _name_log(photographer, scene.channel)
    await photographer.take("setup-changed", shown, moderator)
    rules = await photographer.use("moderate rules", moderator)
    form = await photographer.press(rules, "Change words", moderator)
    await moderator.submit_modal(form, {"words": "rabbit, fool*"})
    await photographer.take("moderate-rules", rules, moderator)
    rules = await photographer.use("moderate rules", moderator)
    form = await photographer.press(rules, "Change words", moderator)
    await photographer.take("moderate-words-form", form, moderator)
    rules = await photographer.use("moderate rules", moderator)
    form = await photographer.press(rules, "Test a text", moderator)
    tried = await moderator.submit_modal(form, {"text": "Only a fool\nwould say so."})
    await photographer.take("moderate-tried", tried, moderator)
    held_back = await photographer.use("forum read", thread="Park life")
    await photographer.take("forum-held-back", held_back)
    await photographer.take("moderate-held-back", await _posted(scene, "rabbit"), moderator)
    shared = await photographer.use("forum read", thread="Park life", public=True)
    shown = shared.response or shared.followups[0]
    listed = await scene.member.context_menu(scene.channel, "Report comment", shown)
    form = await photographer.choose(listed, "judges")
    await scene.member.submit_modal(form, {"reason": "Insults"})
    reported = await _posted(scene, nt("A member reported a comment", "", 1))
    await photographer.take("moderate-reported", reported, moderator)
    queue = await photographer.use("moderate queue", moderator)
    await photographer.take("moderate-queue", queue, moderator)
    mute = t("Mute %(name)s…", name="Fern")
    reported = await _posted(scene, mute)
    form = await moderator.click(reported, custom_id=_button(reported, mute))
    await photographer.take("moderate-mute-form", form, moderator)
    removed = await photographer.use("moderate remove", moderator, comment="118", reason="Spam")
    await photographer.take("moderate-removed", removed, moderator)
    await photographer.take("moderate-log-card", await _posted(scene, "Spam"), moderator)
    log = await photographer.use("moderate log", moderator)
    await photographer.take("moderate-log", log, moderator)
    # A log channel that is set again counts what waits.
    for channel in (moderator.guild.create_text_channel("log"), scene.channel):
        await _name_log(photographer, channel)
    await photographer.take("moderate-waiting", await _posted(scene, t("Queue")), moderator)


async def _raid(photographer: Photographer) -> None:
    """Take the cards of a bad evening: a raid of reports, mutes, what is deleted in the game."""
    scene = photographer.scene
    moderator = photographer.scene.moderator
    await _name_log(photographer, scene.channel)
    await _delete_reported(photographer)
    for text in _HONEST:
        await _report_new(photographer, text)
    queue = await photographer.use("moderate queue", moderator)
    # What has waited for longer comes first.
    by_reporter = t("Dismiss %(count)s by this reporter…", count=len(_HONEST))
    while by_reporter not in _labels(queue.response):
        queue = await photographer.press(queue, "Next", moderator)
    await photographer.take("moderate-raid", queue, moderator)
    await photographer.take(
        "moderate-queue-next", await photographer.press(queue, "Dismiss", moderator), moderator
    )
    left = len(_HONEST) - 1
    about = nt(
        "Dismiss %(count)s report about %(name)s…",
        "Dismiss %(count)s reports about %(name)s…",
        left,
        name="Juniper",
    )
    asked = await photographer.press(queue, about, moderator)
    await photographer.take("moderate-raid-player", asked, moderator)
    queue = await photographer.press(asked, "Cancel", moderator)
    by_reporter = t("Dismiss %(count)s by this reporter…", count=left)
    asked = await photographer.press(queue, by_reporter, moderator)
    asked = await photographer.press(asked, "Turn on", moderator)
    await photographer.take("moderate-raid-reporter", asked, moderator)
    dismiss = t("Dismiss %(count)s", count=left)
    dismissed = await photographer.press(asked, dismiss, moderator)
    await photographer.take("moderate-raid-dismissed", dismissed, moderator)
    told = await _posted(scene, t("Reports dismissed"))
    await photographer.take("moderate-raid-log-card", told, moderator)
    await _end_a_mute(photographer)
    for player, until in (("Barley", "7d"), ("Thimble", None)):
        options = {"player": player, "reason": "Spam"} | ({"until": until} if until else {})
        asked = await photographer.use("moderate mute", moderator, **options)
        if t("Mute from now on") in _labels(asked.response):
            await photographer.press(asked, "Mute from now on", moderator)
    muted = await photographer.use("moderate unmute", moderator)
    await photographer.take("moderate-mutes", muted, moderator)
    await photographer.take(
        "moderate-unmuted", await photographer.press(muted, "Unmute", moderator), moderator
    )
    log = await photographer.use("moderate log", moderator)
    await photographer.take("moderate-log-evening", log, moderator)
    settings = await photographer.choose(log, 3, moderator)
    await photographer.take("moderate-log-settings", settings, moderator)


async def _end_a_mute(photographer: Photographer) -> None:
    """Take the log channel's card of a mute that ends by itself."""
    scene = photographer.scene
    asked = await photographer.use(
        "moderate mute", scene.moderator, player="Juniper", until="1h", reason="Shouts"
    )
    await photographer.take("moderate-mute-question", asked, scene.moderator)
    await photographer.press(asked, "Mute from now on", scene.moderator)
    is_muted = t("%(name)s is muted here", name="Juniper")
    muted = await _posted(scene, is_muted)
    await photographer.take("moderate-muted-card", muted, scene.moderator)
    removals = scene.bot.features.moderation.removals
    await removals.database.execute("UPDATE removals SET until = created_at")
    await removals.end_expired()
    ended = await _posted(scene, t("%(name)s was muted here", name="Juniper"))
    await photographer.take("moderate-mute-ended", ended, scene.moderator)


async def _delete_reported(photographer: Photographer) -> None:
    """Take the log channel's card of a reported comment that its writer deletes."""
    scene = photographer.scene
    written = await _report_new(photographer, "What a silly hat that is!")
    asked = await photographer.press(written, "Delete comment")
    await photographer.press(asked, "Delete comment")
    gone = await _posted(scene, t("The comment is gone from the game."))
    await photographer.take("moderate-gone", gone, scene.moderator)


async def _report_new(photographer: Photographer, text: str) -> simcord.InteractionResult:
    """Let the member write and share a comment, and the newcomer report it."""
    scene = photographer.scene
    written = await photographer.use("forum post", thread="Patch notes", content=text)
    await photographer.press(written, "Share")
    shared = scene.channel.history()[-1]
    form = await scene.newcomer.context_menu(scene.channel, "Report comment", shared)
    await scene.newcomer.submit_modal(form, {"reason": "Rude"})
    return written


async def _name_log(photographer: Photographer, channel: simcord.ChannelHandle) -> None:
    moderator = photographer.scene.moderator
    shown = await photographer.use("setup show", moderator)
    form = await photographer.press(shown, "Moderation", moderator)
    await moderator.submit_modal(form, {"log_channel_id": [channel], "kept_days": "90"})


async def _trouble(photographer: Photographer) -> None:
    """Take the cards of a server with problems."""
    moderator = photographer.scene.moderator
    form = await photographer.use("setup thread", moderator, id="404", name="Later")
    await photographer.press(form, "Save name anyway", moderator)
    listed = await photographer.use("announce list", moderator)
    paused = await photographer.choose(listed, 0, moderator)
    await photographer.press(paused, "Resume", moderator)
    account = await photographer.use("account show", moderator)
    asked = await photographer.press(account, "Unlink account…", moderator)
    await photographer.press(asked, "Unlink account", moderator)
    shown = await photographer.use("setup show", moderator)
    await photographer.take("setup-problems", shown, moderator)


def _parts(message: Any) -> list[dict[str, Any]]:
    # Those of a channel's history are discord.py's own.
    parts: list[Any] = list(message.components)
    raw = [part.to_dict() if hasattr(part, "to_dict") else part for part in parts]
    return list(walk_components(raw))


def _labels(message: Any) -> dict[str, str]:
    """Return the custom ids of buttons by label. For several, it is the first."""
    return {
        str(part["label"]): part.get("custom_id", "")
        for part in reversed(_parts(message))
        if part.get("label")
    }


def _button(message: Any, label: str) -> str:
    labels = _labels(message)
    if label not in labels:
        raise LookupError(f"there is no button {label!r} among {list(labels)}")
    return labels[label]


async def _is_read(photographer: Photographer) -> bool:
    following = photographer.scene.bot.features.announcing.following
    followed = await following.place(PlaceKind.CATALOG, 1)
    return followed is not None and followed.read_at is not None


async def _posted(scene: Scene, words: str) -> Any:
    """Wait for a message that Kiosk posts by itself."""
    while True:
        for message in reversed(scene.channel.history()):
            shown = [part.get("content") or part.get("label") or "" for part in _parts(message)]
            if any(words in text for text in shown):
                return message
        await _pass_time(scene)


async def _pass_time(scene: Scene) -> None:
    await asyncio.sleep(0.2)
    await catch_up(scene.env)


async def _expired(photographer: Photographer) -> None:
    await photographer.scene.game.database.execute("DELETE FROM tokens")
    unsent = await photographer.use("forum post", thread="1", content="Does anyone hear me?")
    await photographer.take("forum-unsent", unsent)
    await photographer.take("forum-unsent-list", await photographer.use("forum unsent"))
    await photographer.take("account-expired", await photographer.use("account show"))


_ALBUMS = {
    "account": _account,
    "setup": _setup,
    "forum": _forum,
    "shop": _shop,
    "news": _news,
    "moderation": _moderation,
    "raid": _raid,
    "trouble": _trouble,
    "expired": _expired,
}


async def main() -> None:
    """Set the scene, take the pictures, and put them on sheets."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--only", nargs="+", choices=_ALBUMS, default=list(_ALBUMS), help="these albums alone"
    )
    parser.add_argument("--language", default=SOURCE_LANGUAGE, help="one of bot/locales")
    parser.add_argument("--pseudo", action="store_true", help="a pseudo-language")
    given = parser.parse_args()
    if given.pseudo:
        speak_pseudo()
    shutil.rmtree(FOLDER, ignore_errors=True)
    sheets = FOLDER / "sheets"
    sheets.mkdir(parents=True)
    async with open_scene() as scene:
        # Before the panel is posted, which is in the server's language.
        speak_language(scene.env, given.language.replace("_", "-"))
        speak(given.language)
        await open_conversation(scene)
        preview = scene.env.preview(
            scene.channel, viewers=scene.people, layout="message", assets=pictures()
        )
        async with preview:
            await use_installed_browser(preview)
            for album in given.only:
                await _ALBUMS[album](Photographer(scene, preview))
    phone = sorted(FOLDER.glob("*-phone.png"))
    desk = sorted(set(FOLDER.glob("*.png")) - set(phone))
    draw_sheets(desk, DESK[0], sheets / "desk")
    draw_sheets(phone, PHONE[0], sheets / "phone")
    if "shop" in given.only:
        draw_story([FOLDER / f"{name}.png" for name in _PURCHASE], FOLDER / "purchase.gif")


if __name__ == "__main__":
    asyncio.run(main())
