"""Building blocks of commands: texts in every language, options, and entries to choose from."""

import inspect
import typing
from collections import abc
from functools import wraps
from itertools import islice

import discord
from discord import app_commands
from discord.ext import commands

from bot import errors
from bot.features import directory, matching
from bot.i18n import N_, command_text, language_of, t
from bot.ui import drawing
from bot.ui.answers import Interaction
from bot.ui.here import Here, Need
from bot.ui.markdown import one_line
from bot.ui.permissions import POSTABLE
from bot.ui.router import KEEPS
from bot.visible import search_key
from storage.names import PlaceKind

# Marks a command's name or description.
L = app_commands.locale_str
Cog = typing.TypeVar("Cog", bound=commands.GroupCog)
# Key in the extras of a group or a menu: who may use it.
_NEEDS = "needs"
Choices = list[app_commands.Choice[str]]
# More than any item costs, and few enough digits for a database and a button.
Cost = app_commands.Range[int, 0, 10**12]
Callback = abc.Callable[..., abc.Coroutine[typing.Any, typing.Any, None]]
# Takes the text typed so far.
Suggest = abc.Callable[[Here, str], abc.Awaitable[Choices]]

# Entries that say why there is nothing to choose. Discord may send their labels as values.
NOTHING_NAMED = N_("Nothing is set up here yet")
UNREACHABLE = N_("The game isn't answering: enter the item's number")
COMING = N_("The list is loading: keep typing")
NOT_LINKED = N_("You haven't linked a game account: choose this to link one")
NO_CATALOG = N_("No catalog has that name: pick one from the list first")
STAND_INS = (NOTHING_NAMED, errors.NoNamesKnown.title, UNREACHABLE, COMING, NOT_LINKED, NO_CATALOG)


class Option(typing.NamedTuple):
    """An option as members see it. `suggest` offers entries while they type."""

    name: app_commands.locale_str
    description: app_commands.locale_str
    suggest: Suggest | None = None
    choices: abc.Sequence[app_commands.Choice[str]] = ()


def command(
    name: app_commands.locale_str,
    description: app_commands.locale_str,
    options: abc.Mapping[str, Option] | None = None,
    *,
    group: app_commands.Group | None = None,
    acknowledges: bool = True,
    keeps: bool = False,
    **own: Option,
) -> abc.Callable[[Callback], app_commands.Command[typing.Any, ..., None]]:
    """Make a method a slash command, with options that have the names of its parameters.

    Its first parameter is `Here`. `options` are those of all commands of a cog, `own` those of
    this command alone. If not `acknowledges`, the command opens a form or acknowledges by itself,
    and gets time for that. A command that `keeps` something gets time, too (see `acknowledge`).
    Commands of a cog `for_staff` first check who uses them.
    """
    known = {**(options or {}), **own}
    make = app_commands.command if group is None else group.command

    def mark(callback: Callback) -> app_commands.Command[typing.Any, ..., None]:
        # After the cog and `Here`.
        for parameter in islice(inspect.signature(callback).parameters, 2, None):
            option = known[parameter]
            app_commands.rename(**{parameter: option.name})(callback)
            app_commands.describe(**{parameter: option.description})(callback)
            if option.choices:
                app_commands.choices(**{parameter: [*option.choices]})(callback)
            if option.suggest:
                app_commands.autocomplete(**{parameter: _suggesting(option.suggest)})(callback)

        @wraps(callback)
        async def answered(cog: typing.Any, interaction: Interaction, **chosen: typing.Any) -> None:
            here = interaction.client.router.here_of(interaction)
            here.acknowledge(takes_time=keeps or not acknowledges)
            given = _with_stand_ins(chosen)
            needs = _need_of(interaction)

            async def do(here: Here) -> None:
                await here.require(needs)
                await callback(cog, here, **given)

            here.repeat = do
            await do(here)

        return make(name=name, description=description, extras={KEEPS: keeps})(answered)

    return mark


def add_below(tree: app_commands.CommandTree[typing.Any], group: str, cog: commands.Cog) -> None:
    """Add a feature's commands to a group of the core."""
    core = typing.cast("app_commands.Group", tree.get_command(group))
    for below in cog.get_app_commands():
        core.add_command(below)


def _with_stand_ins(chosen: abc.Mapping[str, typing.Any]) -> dict[str, typing.Any]:
    stand_ins = {label(t(words)) for words in STAND_INS}
    return {
        parameter: directory.STAND_IN if value in stand_ins else value
        for parameter, value in chosen.items()
    }


def _suggesting(suggest: Suggest) -> abc.Callable[..., typing.Any]:
    async def suggested(interaction: Interaction, typed: str) -> Choices:
        here = Here(interaction)
        try:
            await here.require(_need_of(interaction))
        except errors.KioskError:
            return []
        return await suggest(here, typed)

    return suggested


def message_menu(
    name: app_commands.locale_str,
    callback: abc.Callable[[Here, discord.Message], abc.Awaitable[None]],
    needs: Need | None = None,
) -> app_commands.ContextMenu:
    async def answered(interaction: Interaction, message: discord.Message) -> None:
        here = interaction.client.router.here_of(interaction)
        here.acknowledge(takes_time=True)
        await here.require(needs)
        await callback(here, message)

    menu = app_commands.ContextMenu(name=name, callback=answered)
    if needs:
        menu.default_permissions = _seen_with(needs)
    return menu


def for_staff(needs: Need) -> abc.Callable[[type[Cog]], type[Cog]]:
    """Mark a cog whose commands only staff use, and only in servers: see `Here.require`.

    Discord shows them to others if a server allows it under Integrations.
    """

    def mark(cog: type[Cog]) -> type[Cog]:
        cog.__cog_group_extras__ = {_NEEDS: needs}
        app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)(cog)
        app_commands.allowed_installs(guilds=True, users=False)(cog)
        app_commands.default_permissions(_seen_with(needs))(cog)
        return cog

    return mark


def _seen_with(needs: Need) -> discord.Permissions:
    return discord.Permissions(**{needs.value: True})


def _need_of(interaction: Interaction) -> Need | None:
    """Return who may use a command, by itself or its group."""
    command = interaction.command
    group = getattr(command, "parent", None) or command
    return group and group.extras.get(_NEEDS)


class CommandTexts(app_commands.Translator):
    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return a text in the language of a locale, None if it is the same in English."""
        translated = command_text(string.message, language_of(locale))
        return None if translated == string.message else translated


def suggest_names(kind: PlaceKind) -> Suggest:

    async def suggest(here: Here, typed: str) -> Choices:
        names = await here.features.directory.suggest(
            here.server, kind, typed, member_id=here.member_id
        )
        entries = [(named.name, str(named.game_id)) for named in names]
        number = matching.read_id(typed)
        if number is None:
            number = directory.labelled_id(kind, typed)
        if not typed and not names:
            why = NOTHING_NAMED if here.server else errors.NoNamesKnown.title
            entries = [(t(why), directory.STAND_IN)]
        elif number is not None and all(named.game_id != number for named in names):
            entries.append((directory.label_of(kind, number), str(number)))
        return choices(entries)

    return suggest


def choices(entries: abc.Iterable[tuple[str, str]], typed: str = "") -> Choices:
    """Make entries from labels that contain what is `typed`, as many as Discord takes."""
    fitting = (
        (text, value)
        for text, value in entries
        if search_key(typed) in search_key(text) and len(value) <= drawing.MAX_CHOICE_LENGTH
    )
    return [
        app_commands.Choice(name=label(text) or value, value=value)
        for text, value in islice(fitting, drawing.MAX_CHOICES)
    ]


def label(text: str) -> str:
    """Return a text as an entry shows it. Discord may send this text instead of the value."""
    return one_line(text, drawing.MAX_CHOICE_LENGTH, plain=True)


def comment_choices(labels: abc.Mapping[int, str], typed: str) -> Choices:
    wanted = search_key(typed)
    begins = str(directory.find_comment_id(typed))
    return choices(
        (f"{matching.NUMBER_SIGN}{number} {text}", str(number))
        for number, text in labels.items()
        if wanted in search_key(text) or str(number).startswith(begins)
    )


class ChannelOption(app_commands.Transformer):
    """A channel by its id: the process knows only what the interaction says about it."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        return [*POSTABLE]

    async def transform(self, interaction: Interaction, value: typing.Any, /) -> int:
        return int(value.id)
