"""The forms of `/setup show`: moderation, the panel and the language; and what they ask before."""

from collections.abc import Collection, Mapping
from typing import Any

import discord
from discord import ui

from bot.features.errors import BadDays, TooManyReasons
from bot.i18n import N_, language_name, languages, nt, number, t
from bot.ui.actions import Action, question
from bot.ui.cards import Card
from bot.ui.forms import ActionForm, FormOption
from bot.ui.here import Here
from bot.ui.permissions import role_words
from bot.ui.shared_actions import OfAnnouncement, ShowSetup
from storage.moderation import Rules

MOST_REASONS, LONGEST_USUAL, MOST_DAYS = 20, 100, 3650
LOG, ROLE, REASONS = "log", "role", "reasons"
NEEDS_REASON, DAYS = "needs_reason", "days"


class OpenSetupForm(Action):
    """Open a form; `is_gone` if the channel it would show was deleted, or else the role."""

    is_gone: bool = False
    is_role_gone: bool = False


OpenModerationForm = OpenSetupForm.of_kind("setup.moderation_form")
OpenPanelForm = OpenSetupForm.of_kind("setup.panel_form")
# The same forms, from a problem on the card that has a button for each already.
ChangeLog = OpenSetupForm.of_kind("setup.change_log")
ChangePanel = OpenSetupForm.of_kind("setup.change_panel")
ChangeRole = OpenSetupForm.of_kind("setup.change_role")
SendModeration = Action.of_kind("setup.moderation")
TryLogAgain = Action.of_kind("setup.log_again")
TryAnnouncementAgain = OfAnnouncement.of_kind("setup.announce_again")

SendPanel = Action.of_kind("setup.panel_in")
PostPanelAgain = Action.of_kind("setup.panel_again")
RemovePanel = Action.of_kind("setup.no_panel")
CHANNEL = "channel"

OpenLanguageForm = Action.of_kind("setup.language_form")
SendLanguage = Action.of_kind("setup.language")
LANGUAGE, AS_DISCORD_SAYS = "language", "discord"


class SwitchOff(Action, kind="setup.off"):
    """Switch some of a server's rules off: names of OFF, with commas between them."""

    rules: str


# What a form switches off where it arrives empty, and the value of each when off.
OFF: Mapping[str, Any] = {"log_channel_id": None, "moderator_role_id": None, "reasons": ()}
# What an empty rule means for the server.
_NONE = {
    "log_channel_id": N_("reports go nowhere"),
    "moderator_role_id": N_("no role removes comments"),
    "reasons": N_("no usual reasons"),
    "needs_reason": N_("a removal needs no reason"),
}


def moderation_form(rules: Rules, *, is_log_gone: bool, is_role_gone: bool) -> ActionForm:
    form = ActionForm(SendModeration(), title=t("Moderation"))
    form.ask_channel(
        t("Log channel"),
        LOG,
        [discord.ChannelType.text],
        chosen=None if is_log_gone else rules.log_channel_id,
        description=t("Reports and removals are posted there. Empty: nowhere."),
        is_required=False,
    )
    form.ask_role(
        t("Moderator role"),
        ROLE,
        chosen=None if is_role_gone else rules.moderator_role_id,
        description=t("May remove. For /moderate: Server Settings, Integrations."),
    )
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


def read_moderation(here: Here, before: Rules) -> dict[str, Any]:
    """Return what the form changes, by names in Rules. Raises what is wrong with it."""
    lines = (" ".join(line.split()) for line in here.texts.get(REASONS, "").splitlines())
    reasons = list(dict.fromkeys(filter(None, lines)))
    if len(reasons) > MOST_REASONS or any(len(each) > LONGEST_USUAL for each in reasons):
        raise TooManyReasons(count=number(MOST_REASONS), longest=number(LONGEST_USUAL))
    typed = here.texts.get(DAYS, "").strip()
    if not typed.isdecimal() or not 1 <= int(typed) <= MOST_DAYS:
        raise BadDays(name=typed, most=number(MOST_DAYS))
    filled = {
        "log_channel_id": here.id_of(LOG),
        "moderator_role_id": here.role_of(ROLE),
        "reasons": reasons,
        "needs_reason": bool(here.texts.get(NEEDS_REASON)),
        "kept_days": int(typed),
    }
    # Empty is None, "" or ().
    return {
        name: value
        for name, value in filled.items()
        if (value or None) != (getattr(before, name) or None)
    }


def rule_words(name: str, what: Any, gone_roles: Collection[int] = ()) -> str:
    """Say what a rule comes to, by its name in Rules."""
    if not what and name in _NONE:
        return t(_NONE[name])
    match name:
        case "log_channel_id":
            return t("reports go to %(channel)s", channel=f"<#{what}>")
        case "moderator_role_id":
            return t("%(role)s may remove", role=role_words(what, gone_roles))
        case "reasons":
            return nt("%(count)s usual reason", "%(count)s usual reasons", len(what))
        case "needs_reason":
            return t("a removal needs a reason")
        case "locale":
            return t("what everybody reads: %(language)s", language=language_words(what))
        case _:
            return nt("texts are kept for %(count)s day", "texts are kept for %(count)s days", what)


def ask_off_card(rules: Rules, names: Collection[str], gone_roles: Collection[int]) -> Card:
    """Ask about rules that were set and arrived empty: a preset can be lost on its way."""
    lines = [f"- {rule_words(name, getattr(rules, name), gone_roles)}" for name in names]
    body = "\n".join([t("Until now:"), *lines])
    title, label = t("Switch off what arrived empty?"), t("Switch off")
    return question(title, body, SwitchOff(",".join(names)), label, ShowSetup())


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
