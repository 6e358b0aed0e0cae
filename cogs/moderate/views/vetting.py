"""What is said of watched words, and of a server's AutoMod."""

from collections.abc import Sequence

from bot.domain.moderation import Automod, AutomodTrouble, Hit, TextRule
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card, attached_file, notice
from bot.ui.text import cut, escape, excerpt, fitting
from cogs.moderate.actions import LookThrough
from cogs.moderate.views.reports import hit_line

FILE_NAME = "words.txt"
_LIST_ROOM, _TEXT_ROOM, _NAME_ROOM, _PATTERN_ROOM = 3000, 400, 60, 100
_MOST_NAMED = 10

# As Discord numbers and names them.
_WORD_SETS = {1: N_("Profanity"), 2: N_("Sexual content"), 3: N_("Slurs")}
_TROUBLES = {
    AutomodTrouble.CLOSED: N_(
        "I can't read this server's AutoMod rules: I need the permission Manage Server for that."
        " Until then, what I read last applies."
    ),
    AutomodTrouble.NO_ANSWER: N_(
        "Discord did not give me the rules just now. What I read last applies; I'll try again soon."
    ),
}


def added_card(added: int, count: int, *, has_log: bool) -> Card:
    """Say how many words were added."""
    title = nt("%(count)s word added", "%(count)s words added", added)
    lines = [_how_many(count), t("Comments that contain one are held back here from now on.")]
    lines += _without_log(has_log=has_log)
    buttons = (_look_button(),) if added else ()
    return notice(title, "\n".join(lines), colour=theme.GOOD, buttons=buttons)


def looking_card(count: int, *, has_log: bool) -> Card:
    """Say at how many public messages a look is taken."""
    if not count:
        return notice(t("Nothing to look through"), t("No public message of mine shows a comment."))
    title = nt(
        "Looking through %(count)s public message",
        "Looking through %(count)s public messages",
        count,
    )
    told = t("What would be held back now is hidden there, and comes to the log channel.")
    lines = [told, *_without_log(has_log=has_log)]
    return notice(title, "\n".join(lines), colour=theme.GOOD)


def removed_card(removed: int, count: int) -> Card:
    """Say how many words were taken away."""
    title = nt("%(count)s word removed", "%(count)s words removed", removed)
    return notice(title, _how_many(count), colour=theme.GOOD if removed else theme.CALM)


def list_card(words: Sequence[str]) -> Card:
    """List the words, as far as there is room."""
    title = t("Watched words")
    if not words:
        return notice(title, t("There are none. Add some with `/moderate words add`."))
    shown = fitting(map(escape, words), _LIST_ROOM, gap=2)
    left = len(words) - len(shown)
    lines = [_how_many(len(words)), ", ".join(shown)]
    if left:
        lines.append("-# " + t("%(count)s more: see `/moderate words export`.", count=number(left)))
    return notice(title, "\n".join(lines))


def test_card(text: str, hits: Sequence[Hit]) -> Card:
    """Say what would become of a text."""
    shown, _ = excerpt(text, _TEXT_ROOM, lines=4)
    if not hits:
        title, colour = t("This text would be shown"), theme.GOOD
    elif all(hit.is_alert for hit in hits):
        title, colour = t("This text would be shown, and you would be told"), theme.CALM
    else:
        title, colour = t("This text would be held back"), theme.PROBLEM
    quoted = "\n".join(f"> {line}" for line in shown.split("\n"))
    return notice(title, "\n".join([quoted, "", *map(hit_line, hits)]).rstrip(), colour=colour)


def export_card(count: int) -> Card:
    """Show the file with the words."""
    card = notice(t("Watched words"), _how_many(count))
    card.add(attached_file(FILE_NAME))
    return card


def automod_card(automod: Automod) -> Card:
    """Say which of a server's rules hold for the game's texts, and which can't."""
    card = Card(theme.PROBLEM if automod.trouble else theme.GOOD)
    card.say(f"### {t('AutoMod applies to the game, too')}")
    if automod.trouble is not None:
        card.say(f"⚠️ {t(_TROUBLES[automod.trouble])}")
    elif not automod.rules:
        card.say(t("This server has no rule with words or patterns of its own."))
    if automod.rules:
        card.say("\n".join(map(_about, automod.rules[:_MOST_NAMED])))
    if automod.word_sets:
        names = ", ".join(t(_WORD_SETS.get(each, N_("others"))) for each in automod.word_sets)
        card.say(
            t(
                "Discord doesn't show its own word sets, so these don't apply: %(names)s",
                names=names,
            )
        )
    if automod.unusable:
        shown = [f"- {cut(each, _PATTERN_ROOM)}" for each in automod.unusable[:_MOST_NAMED]]
        card.say("\n".join([t("These patterns can't be run:"), *shown]))
    explained = t(
        "Comments that a rule would block are held back here, and members can't write them"
        " from here. I read the rules again every few minutes."
    )
    card.say(f"-# {explained}")
    if automod.rules:
        card.buttons(_look_button())
    return card


def automod_off_card() -> Card:
    """Say that AutoMod holds for Discord alone."""
    return notice(
        t("AutoMod applies to Discord alone"),
        t("The game's texts are no longer held to this server's rules."),
    )


def _about(rule: TextRule) -> str:
    parts: list[str] = []
    if rule.words:
        parts.append(nt("%(count)s word", "%(count)s words", len(rule.words)))
    if rule.patterns:
        parts.append(nt("%(count)s pattern", "%(count)s patterns", len(rule.patterns)))
    if rule.only_alerts:
        parts.append(t("only alerts"))
    return f"- **{cut(rule.name, _NAME_ROOM)}**: {', '.join(parts)}"


def _without_log(*, has_log: bool) -> Sequence[str]:
    words = t("Name a log channel with `/setup log`: that is where you see them.")
    return () if has_log else [f"⚠️ {words}"]


def _look_button() -> Button:
    return action_button(LookThrough(), t("Look through messages"), emoji="👀")


def _how_many(count: int) -> str:
    return nt(
        "%(count)s word is watched for in this server.",
        "%(count)s words are watched for in this server.",
        count,
    )
