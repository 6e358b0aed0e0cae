"""The card of `/moderate rules`: the watched words, the rules, and how to change them."""

import io
from collections import abc

import discord

from bot import errors
from bot.features.moderation import policy
from bot.i18n import N_, nt, number, speaking, t
from bot.ui import custom_ids, drawing, fields, markdown, theme
from bot.ui.forms import ActionForm
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route, sent
from bot.ui.shared_actions import ShowRules
from cogs.moderate.reports import WORD_ROOM
from storage import moderation

_FILE_NAME = "words.txt"
# Discord's limit for a form's field, in characters.
_MAX_TEXT_LENGTH = 4000
_WORDS = fields.TextInput("words", _MAX_TEXT_LENGTH)
_ADDED = fields.TextInput("added", _MAX_TEXT_LENGTH)
_REMOVED = fields.TextInput("removed", _MAX_TEXT_LENGTH)
_TEXT = fields.TextInput("text", _MAX_TEXT_LENGTH, is_required=True)
# The longest list that one field shows, so that there is room to add words.
_MAX_LIST_LENGTH = 3000
# Three lines of a card.
_LIST_ROOM = 240
_TEXT_ROOM = 400


class ChangeWords(custom_ids.Action, kind="moderate.words_form"):
    """A form to change the watched words."""


class DropWords(custom_ids.Action, kind="moderate.no_words"):
    """Remove all watched words."""


class ExportWords(custom_ids.Action, kind="moderate.export"):
    """Send a file of the watched words."""


class TryText(custom_ids.Action, kind="moderate.try_form"):
    """A form to test if the watched words would hold back a text."""


class SwitchRule(custom_ids.Action, kind="moderate.rule"):
    """Turn a rule of the server on or off, by the name of its setting."""

    name: str
    is_on: bool


# The rules that can be turned on, by their names in ServerSettings: a label and a hint.
Rules = abc.Mapping[str, tuple[str, str]]
RULES = {
    "mutes_repeated": (
        N_("Mute a player for a day after three held-back comments"),
        N_(
            "Counts comments written within an hour. The log shows the mute, with an Unmute button."
        ),
    )
}
# Only with a feature that notifies writers.
TELLING = {
    "tells_writers": (
        N_("Tell players why their comment was removed"),
        N_(
            "By direct message, without your name, to players who turned this on in `/account"
            " show`."
        ),
    )
}


def _rules(here: Here) -> Rules:
    return RULES | TELLING if here.hooks.decided.is_heard else RULES


@route(ShowRules, needs=MODERATOR)
async def on_rules(here: Here, _action: ShowRules) -> None:
    await show(here)


async def show(here: Here, changed: abc.Sequence[str] = ()) -> None:
    words = await here.features.moderation.policy.watched.words(here.guild_id)
    settings = await here.settings()
    await here.answer(rules_card(words, settings, _rules(here), changed))


@route(SwitchRule, needs=MODERATOR)
async def on_switch(here: Here, action: SwitchRule) -> None:
    rules = _rules(here)
    if action.name not in rules:
        raise errors.OldButton
    label, _ = rules[action.name]
    with speaking(await here.features.moderation.locale(here.guild_id, here.server_locale)):
        detail = drawing.switch_words(t(label), is_on=action.is_on)
    line = moderation.NewLine(
        here.guild_id, here.member_id, moderation.ModerationAction.SETTINGS, detail=detail
    )
    if getattr(await here.settings(), action.name) != action.is_on:
        change = here.features.moderation.change_settings
        await change(here.guild_id, line, **{action.name: action.is_on})
    await show(here)


@route(ChangeWords, opens_form=True, needs=MODERATOR)
async def open_words_form(here: Here, action: custom_ids.Action) -> None:
    words = await here.features.moderation.policy.watched.words(here.guild_id)
    await here.open_form(words_form(words))


@sent(ChangeWords, needs=MODERATOR)
async def on_words(here: Here, action: custom_ids.Action) -> None:
    known = await here.features.moderation.policy.watched.words(here.guild_id)
    wanted = policy.split_words(_WORDS.read(here))
    if _WORDS.name not in here.filled:
        removed = {word.casefold() for word in policy.split_words(_REMOVED.read(here))}
        kept = [word for word in known if word.casefold() not in removed]
        wanted = [*kept, *policy.split_words(_ADDED.read(here))]
    if not wanted and known:
        count = len(known)
        body = nt("This removes %(count)s word.", "This removes %(count)s words.", count)
        title = t("Remove all watched words?")
        label = t("Remove all words")
        await here.answer(drawing.question(title, body, DropWords(), label, ShowRules()))
        return
    await _change(here, wanted)


@route(DropWords, needs=MODERATOR)
async def on_drop(here: Here, action: custom_ids.Action) -> None:
    await _change(here, ())


async def _change(here: Here, wanted: abc.Sequence[str]) -> None:
    added, removed = await here.features.moderation.policy.set_words(
        here.guild_id, wanted, here.member_id
    )
    lines: list[str] = []
    if added:
        lines.append(nt("%(count)s word added.", "%(count)s words added.", added))
    if removed:
        told = nt("%(count)s word removed.", "%(count)s words removed.", removed)
        lines.append(told)
    await show(here, lines or [t("Nothing changed.")])


@route(ExportWords, needs=MODERATOR)
async def on_export(here: Here, action: custom_ids.Action) -> None:
    words = await here.features.moderation.policy.watched.words(here.guild_id)
    content = "\n".join(words) + "\n"
    card = drawing.notice(t("Watched words"))
    card.add(drawing.attached_file(_FILE_NAME))
    file = discord.File(io.BytesIO(content.encode()), _FILE_NAME)
    await here.send_private(card, file=file)


@route(TryText, opens_form=True, needs=MODERATOR)
async def open_try_form(here: Here, action: custom_ids.Action) -> None:
    form = ActionForm(TryText(), title=t("Test a text"))
    _TEXT.ask(form, t("Text"))
    await here.open_form(form)


@sent(TryText, needs=MODERATOR)
async def on_try(here: Here, action: custom_ids.Action) -> None:
    text = _TEXT.read(here)
    word = await here.features.moderation.policy.word_in(here.guild_id, text)
    await here.answer(tried_card(text, word))


def words_form(words: abc.Sequence[str]) -> ActionForm:
    """Ask for all words or, if the list is long, for words to add and words to remove."""
    form = ActionForm(ChangeWords(), title=t("Change words"))
    hint = t("One on each line. Add * at the start or end to match longer words: bad*")
    whole = "\n".join(words)
    if len(whole) <= _MAX_LIST_LENGTH:
        _WORDS.ask(form, t("Watched words"), hint, text=whole)
        return form
    _ADDED.ask(form, t("Add"), hint)
    _REMOVED.ask(form, t("Remove"), hint)
    return form


def rules_card(
    words: abc.Sequence[str],
    settings: moderation.ServerSettings,
    rules: Rules,
    changed: abc.Sequence[str] = (),
) -> drawing.Card:
    card = drawing.Card(theme.CALM)
    intro = t(
        "Kiosk holds back comments and names with watched words until a moderator reviews them."
    )
    lines = ["## " + t("Rules"), *(f"**{line}**" for line in changed), intro]
    if settings.log_channel_id is None:
        lines.append(
            "⚠️ " + t("Choose a log channel in `/setup show`. Kiosk posts held-back comments there.")
        )
    card.say("\n".join(lines))
    card.gap()
    count = number(len(words)) if words else t("none yet")
    shown = markdown.fitting(map(markdown.escape, words), _LIST_ROOM, gap=2)
    listed = markdown.some_of(shown, len(words)) if shown else ""
    card.say("\n".join(filter(None, [f"**{t('Watched words')}** · {count}", listed])))
    buttons = [drawing.button(ChangeWords(), t("Change words"), style=drawing.BLUE)]
    if words:
        buttons.append(drawing.button(ExportWords(), t("Export words")))
    card.buttons(*buttons, drawing.button(TryText(), t("Test a text")))
    card.divide()
    for name, (label, hint) in rules.items():
        is_on = getattr(settings, name)
        switch = SwitchRule(name, is_on=not is_on)
        drawing.say_switch(card, t(label), t(hint), switch, is_on=is_on)
    return card


def tried_card(text: str, word: str) -> drawing.Card:
    """Say whether a text would be held back, and for which `word`, "" for none."""
    shown, _ = markdown.excerpt(text, _TEXT_ROOM, lines=4)
    title = t("This text passes")
    colour = theme.GOOD
    if word:
        title = t("This text would be held back")
        colour = theme.PROBLEM
    card = drawing.Card(colour)
    card.say(f"### {title}")
    card.say("\n".join(f"> {line}" for line in shown.split("\n")))
    if word:
        card.say(t("It contains **%(word)s**.", word=markdown.one_line(word, WORD_ROOM)))
    again = drawing.button(TryText(), t("Test another text"), style=drawing.BLUE)
    card.buttons(again, drawing.button(ShowRules(), t("Back")))
    return card
