"""The forms of `/setup show`: moderation, the panel and the language; and what they ask before."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.i18n import language_name, languages, t
from bot.ui.actions import Action, question
from bot.ui.cards import Card
from bot.ui.forms import ActionForm, FormOption
from bot.ui.permissions import POSTABLE
from bot.ui.shared_actions import ShowSetup
from storage.moderation import Rules

MOST_REASONS, LONGEST_USUAL, MOST_DAYS = 20, 100, 3650
LOG, ROLE, REASONS, RULES = "log", "role", "reasons", "rules"
NEEDS_REASON, DAYS = "needs_reason", "days"
# No forum: what is posted there is a post.
LOG_KINDS = [kind for kind in POSTABLE if kind is not discord.ChannelType.forum]

OpenModerationForm = Action.of_kind("setup.moderation_form")
# The same form, from a problem on the card that has a button for it already.
ChangeLog = Action.of_kind("setup.change_log")
SendModeration = Action.of_kind("setup.moderation")
# Post reports nowhere, let no role remove: both were set, and arrived empty.
DropLog = Action.of_kind("setup.no_log")
DropRole = Action.of_kind("setup.no_role")
TryLogAgain = Action.of_kind("setup.log_again")

OpenPanelForm = Action.of_kind("setup.panel_form")
SendPanel = Action.of_kind("setup.panel_in")
# Older cards post it where they stand.
PostPanel = Action.of_kind("setup.panel")
PostPanelAgain = Action.of_kind("setup.panel_again")
RemovePanel = Action.of_kind("setup.no_panel")
CHANNEL = "channel"

OpenLanguageForm = Action.of_kind("setup.language_form")
SendLanguage = Action.of_kind("setup.language")
LANGUAGE, AS_DISCORD_SAYS = "language", "discord"


def moderation_form(rules: Rules) -> ActionForm:
    form = ActionForm(SendModeration(), title=t("Moderation"))
    form.ask_channel(
        t("Log channel"),
        LOG,
        LOG_KINDS,
        chosen=rules.log_channel_id,
        description=t("Reports and removals are posted there. Empty: nowhere."),
        is_required=False,
    )
    who = t("May remove, beside whoever may manage messages.")
    form.ask_role(t("Moderator role"), ROLE, chosen=rules.moderator_role_id, description=who)
    form.ask_text(
        t("Usual reasons"),
        REASONS,
        longest=MOST_REASONS * (LONGEST_USUAL + 1),
        description=t("One on each line, 20 at most."),
        text="\n".join(rules.reasons),
        is_required=False,
    )
    box: ui.Checkbox[Any] = ui.Checkbox(custom_id=NEEDS_REASON, default=rules.needs_reason)
    form.ask(t("A removal needs a reason"), box)
    label, kept = t("Days a removed text is kept"), str(rules.kept_days)
    form.ask_line(label, DAYS, t("1 to 3,650."), longest=4, text=kept, is_required=True)
    return form


def read_reasons(text: str) -> Sequence[str]:
    each = (" ".join(part.split())[:LONGEST_USUAL] for part in text.splitlines())
    return list(dict.fromkeys(filter(None, each)))[:MOST_REASONS]


def panel_form(channel_id: int | None) -> ActionForm:
    form = ActionForm(SendPanel(), title=t("Panel"))
    form.add_item(ui.TextDisplay(t("A card for everybody that lists threads and catalogs.")))
    form.ask_channel(
        t("Channel"),
        CHANNEL,
        (discord.ChannelType.text, discord.ChannelType.news),
        chosen=channel_id,
        description=t("Empty: the panel is taken away."),
        is_required=False,
    )
    return form


def no_panel_card() -> Card:
    body = t("Members still find everything with commands.")
    title, label = t("Take the panel away?"), t("Take it away")
    return question(title, body, RemovePanel(), label, ShowSetup())


def language_words(locale: str) -> str:
    return language_name(locale) if locale else t("As Discord says")


def language_form(chosen: str) -> ActionForm:
    """Ask for the language of what everybody reads; `chosen` is "" where Discord decides."""
    form = ActionForm(SendLanguage(), title=t("Language"))
    told = t("Private cards are in each member's own language.")
    form.add_item(ui.TextDisplay(told))
    options = [
        FormOption(each or AS_DISCORD_SAYS, language_words(each), each == chosen)
        for each in (*sorted(languages()), "")
    ]
    hint = t("Only community servers can set it there.")
    form.ask_one(t("Language of the server"), LANGUAGE, options, description=hint)
    return form
