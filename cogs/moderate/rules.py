"""The card of `/moderate rules`: what is held back here, and how to change it."""

import asyncio
import io
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NoReturn

import discord

from bot.features.errors import AutomodOff
from bot.features.moderation.automod import read_automod
from bot.features.moderation.policy import split_words
from bot.i18n import N_, nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import Action, action_button, question
from bot.ui.answers import send_private
from bot.ui.cards import BLUE, Card, attached_file, notice
from bot.ui.error_cards import offer_again
from bot.ui.forms import ActionForm
from bot.ui.here import MODERATOR, Here
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowRules
from bot.ui.text import escape, excerpt, fitting, one_line
from cogs.moderate.report_cards import hit_line
from storage.vetting import Automod, AutomodTrouble, Hit, TextRules

_FILE_NAME = "words.txt"
_WORDS, _ADDED, _REMOVED, _TEXT = "words", "added", "removed", "text"
# Of a form's field, in characters.
_LONGEST_TEXT = 4000
# What one field is filled with, so that there is room to add some.
_LONGEST_LIST = 3000
# Three lines of a card.
_LIST_ROOM, _TEXT_ROOM = 240, 400
_NAME_ROOM = 100
# As Discord numbers and names them.
_WORD_SETS = {1: N_("Profanity"), 2: N_("Sexual content"), 3: N_("Slurs")}
_TROUBLES = {
    AutomodTrouble.CLOSED: N_(
        "Kiosk can't read this server's AutoMod rules: it needs the permission Manage Server for "
        "that. Until then, what it read last applies."
    ),
    AutomodTrouble.NO_ANSWER: N_(
        "Discord did not give Kiosk the rules just now. What it read last applies until it can read"
        " them again."
    ),
}

# The rules are read again when they are older; between two looks at which are, in seconds.
_OLD = timedelta(minutes=5)
_PAUSE = 20.0
# Servers at a look, one after the other: nobody waits for them.
_AT_ONCE = 200

OpenWordsForm = Action.of_kind("moderate.words_form")
SendWords = Action.of_kind("moderate.words")
DropWords = Action.of_kind("moderate.no_words")
ExportWords = Action.of_kind("moderate.export")
OpenTryForm = Action.of_kind("moderate.try_form")
TryText = Action.of_kind("moderate.try")


class SwitchAutomod(Action, kind="moderate.automod"):
    is_on: bool


class AutomodReader:
    """Reads servers' rules over HTTP, where Kiosk may manage the server."""

    def __init__(self, bot: Kiosk) -> None:
        self._http = bot.http
        self._now = bot.now
        self._policy = bot.features.moderation.policy

    async def read(self, guild_id: int) -> Automod:
        """Read a server's rules, keep them, and return what holds. Raises AutomodOff."""
        try:
            raw = await self._http.get_auto_moderation_rules(guild_id)
        except (discord.Forbidden, discord.NotFound):
            read = Automod(trouble=AutomodTrouble.CLOSED)
        except (discord.HTTPException, OSError, TimeoutError):
            read = Automod(trouble=AutomodTrouble.NO_ANSWER)
        else:
            read = await asyncio.to_thread(read_automod, raw)
        return await self._policy.keep_automod(guild_id, read, self._now())

    async def keep(self) -> NoReturn:
        """Read the rules of all servers again and again, until cancelled."""
        while True:
            await self.read_due(self._now() - _OLD)
            await asyncio.sleep(_PAUSE)

    async def read_due(self, before: datetime) -> None:
        for guild_id in await self._policy.lists.due(before, _AT_ONCE):
            try:
                await self.read(guild_id)
            except AutomodOff:
                # Switched off meanwhile.
                continue


class RulesHandlers:
    def __init__(self, bot: Kiosk, automod: AutomodReader) -> None:
        self._moderation = bot.features.moderation
        self._policy = bot.features.moderation.policy
        self._automod = automod

    @route(ShowRules, needs=MODERATOR)
    async def on_rules(self, press: Press[Action]) -> None:
        await self._show(press.here)

    async def _show(self, here: Here, changed: str = "") -> None:
        watched = await self._policy.lists.watched(here.guild_id)
        rules = await self._moderation.rules(here.guild_id)
        has_log = rules.log_channel_id is not None
        await here.answer(rules_card(watched, changed, has_log=has_log))

    @route(OpenWordsForm, opens_form=True, needs=MODERATOR)
    async def on_words_form(self, press: Press[Action]) -> None:
        watched = await self._policy.lists.watched(press.here.guild_id)
        await press.here.open_form(words_form(watched.words))

    @route(SendWords, needs=MODERATOR)
    async def on_words(self, press: Press[Action]) -> None:
        """Watch for the words that are typed, or add some and take some away."""
        here = press.here
        offer_again(here.interaction, OpenWordsForm())
        known = (await self._policy.lists.watched(here.guild_id)).words
        wanted = split_words(press.texts.get(_WORDS, ""))
        if _WORDS not in press.texts:
            removed = {word.casefold() for word in split_words(press.texts.get(_REMOVED, ""))}
            kept = [word for word in known if word.casefold() not in removed]
            wanted = [*kept, *split_words(press.texts.get(_ADDED, ""))]
        if not wanted and known:
            count = len(known)
            body = nt("%(count)s word is removed.", "%(count)s words are removed.", count)
            title, label = t("Watch for no words?"), t("Remove them")
            await here.answer(question(title, body, DropWords(), label, ShowRules()))
            return
        await self._change(here, wanted)

    @route(DropWords, needs=MODERATOR)
    async def on_drop(self, press: Press[Action]) -> None:
        await self._change(press.here, ())

    async def _change(self, here: Here, wanted: Sequence[str]) -> None:
        added, removed = await self._policy.set_words(here.guild_id, wanted)
        parts = [
            (added, nt("%(count)s added", "%(count)s added", added)),
            (removed, nt("%(count)s removed", "%(count)s removed", removed)),
        ]
        said = ", ".join(words for count, words in parts if count) or t("Nothing changed")
        await self._show(here, f"{said}.")

    @route(ExportWords, needs=MODERATOR)
    async def on_export(self, press: Press[Action]) -> None:
        watched = await self._policy.lists.watched(press.here.guild_id)
        content = "\n".join(watched.words) + "\n"
        card = notice(t("Watched words"))
        card.add(attached_file(_FILE_NAME))
        file = discord.File(io.BytesIO(content.encode()), _FILE_NAME)
        await send_private(press.here.interaction, card, file=file)

    @route(SwitchAutomod, needs=MODERATOR)
    async def on_automod(self, press: Press[SwitchAutomod]) -> None:
        here, is_on = press.here, press.action.is_on
        await self._policy.switch_automod(here.guild_id, is_on=is_on)
        if is_on:
            await self._automod.read(here.guild_id)
        said = t("AutoMod applies to the game, too.")
        await self._show(here, said if is_on else t("AutoMod applies to Discord alone."))

    @route(OpenTryForm, opens_form=True, needs=MODERATOR)
    async def on_try_form(self, press: Press[Action]) -> None:
        form = ActionForm(TryText(), title=t("Try a text"))
        form.ask_text(t("Text"), _TEXT, longest=_LONGEST_TEXT)
        await press.here.open_form(form)

    @route(TryText, needs=MODERATOR)
    async def on_try(self, press: Press[Action]) -> None:
        text = press.text(_TEXT)
        found = await self._policy.hits(press.here.guild_id, text)
        await press.here.answer(tried_card(text, [hit for _, hit in found]))


def words_form(words: Sequence[str]) -> ActionForm:
    """Ask for all words, or of a long list for those to add and those to remove."""
    form = ActionForm(SendWords(), title=t("Change words"))
    hint = t("One on each line. * at an end stands for more letters: bad*")
    whole = "\n".join(words)
    if len(whole) <= _LONGEST_LIST:
        form.ask_text(
            t("Watched words"),
            _WORDS,
            longest=_LONGEST_TEXT,
            description=hint,
            text=whole,
            is_required=False,
        )
        return form
    for label, name in ((t("Add"), _ADDED), (t("Remove"), _REMOVED)):
        form.ask_text(label, name, longest=_LONGEST_TEXT, description=hint, is_required=False)
    return form


def rules_card(watched: TextRules, changed: str = "", *, has_log: bool) -> Card:
    card = Card(theme.CALM)
    intro = t("What breaks them is held back in this server until a moderator decides.")
    lines = ["## " + t("Rules"), f"**{changed}**" if changed else "", intro]
    if not has_log:
        lines.append("⚠️ " + t("Name a log channel on `/setup show`: that is where you see them."))
    card.say("\n".join(filter(None, lines)))
    card.gap()
    words = watched.words
    count = number(len(words)) if words else t("none yet")
    shown = fitting(map(escape, words), _LIST_ROOM, gap=2)
    left = len(words) - len(shown)
    listed = ", ".join(shown) + (t(" and %(count)s more", count=number(left)) if left else "")
    card.say("\n".join(filter(None, [f"**{t('Watched words')}** · {count}", listed])))
    card.gap()
    card.say("\n".join(_automod_lines(watched.automod)))
    buttons = [action_button(OpenWordsForm(), t("Change words"), style=BLUE)]
    if words:
        buttons.append(action_button(ExportWords(), t("Export")))
    card.buttons(*buttons)
    is_on = watched.automod is not None
    label = t("Turn AutoMod off") if is_on else t("Turn AutoMod on")
    card.buttons(
        action_button(SwitchAutomod(not is_on), label),
        action_button(OpenTryForm(), t("Try a text")),
    )
    return card


def _automod_lines(automod: Automod | None) -> list[str]:
    """Say which of a server's rules hold for the game's texts, and which can't."""
    if automod is None:
        return [f"**{t('AutoMod')}** · " + t("off for the game")]
    total = len(automod.rules)
    hold = nt("%(count)s rule holds for the game", "%(count)s rules hold for the game", total)
    broken = [rule.name for rule in automod.rules if rule.name in automod.unusable]
    if broken:
        hold = nt(
            "%(count)s of %(total)s rules holds for the game",
            "%(count)s of %(total)s rules hold for the game",
            total - len(broken),
            total=number(total),
        )
    lines = [f"**{t('AutoMod')}** · {hold}"]
    if automod.trouble is not None:
        lines.append(f"⚠️ {t(_TROUBLES[automod.trouble])}")
    if automod.word_sets:
        names = ", ".join(t(_WORD_SETS.get(each, N_("others"))) for each in automod.word_sets)
        hidden = t(
            "Discord doesn't show its own word sets, so these don't apply: %(names)s", names=names
        )
        lines.append(f"-# {hidden}")
    for each in broken:
        name = one_line(each, _NAME_ROOM)
        lines.append("-# " + t("“%(name)s” has a pattern that Kiosk can't run.", name=name))
    return lines


def tried_card(text: str, hits: Sequence[Hit]) -> Card:
    shown, _ = excerpt(text, _TEXT_ROOM, lines=4)
    if not hits:
        title, colour = t("This text passes"), theme.GOOD
    elif all(hit.is_alert for hit in hits):
        title, colour = t("This text passes, and you are told"), theme.GOOD
    else:
        title, colour = t("This text would be held back"), theme.PROBLEM
    card = Card(colour)
    card.say(f"### {title}")
    card.say("\n".join(f"> {line}" for line in shown.split("\n")))
    if hits:
        card.say("\n".join(hit_line(hit, is_tried=True) for hit in hits))
    again = action_button(OpenTryForm(), t("Try another"), style=BLUE)
    card.buttons(again, action_button(ShowRules(), t("Back")))
    return card
