"""Describe each server setting once, for forms, for lines of cards and for the documents."""

import enum
import typing
from collections import abc

import discord
import msgspec
from msgspec.structs import asdict

from bot import errors
from bot.features import feature_errors
from bot.features.numbers import read_number
from bot.i18n import N_, catalogs, language_name, number, t
from bot.ui import fields, forms, permissions
from bot.ui.custom_ids import Action
from bot.ui.here import Here
from storage.moderation import NewLine, ServerSettings

MAX_REASONS = 20
MAX_USUAL_LENGTH = 100
MAX_DAYS = 3650
# In characters, with any separators.
_MAX_DAYS = 8
LOG = "log_channel_id"
ROLE = "moderator_role_id"
_AS_DISCORD_SAYS = "discord"

# The forms of the core's settings, as texts for people.
MODERATION = N_("Moderation")
LANGUAGE = N_("Language")

# Values by the names of settings.
Values = abc.Mapping[str, typing.Any]


class ChangeSettings(Action, kind="setup.form"):
    """A form, opened without the settings that are `gone`. `problem` makes its button distinct."""

    form: str
    gone: str = ""
    problem: str = ""


class SetAgain(Action, kind="setup.again"):
    """Set a setting again to its value, once Kiosk can post there."""

    name: str


class SwitchOff(Action, kind="setup.off"):
    """Turn settings off: their names, separated by commas."""

    names: str


class SettingKind(enum.Enum):
    CHANNEL = enum.auto()
    ROLE = enum.auto()
    LINES = enum.auto()
    FLAG = enum.auto()
    DAYS = enum.auto()
    LANGUAGE = enum.auto()


class Setting(typing.NamedTuple):
    """A setting's name, and the form that has it. `off` is its text if it is empty.

    For a channel, `use` says what Kiosk needs there, and `channel_types` which types it may have.
    """

    name: str
    form: str
    kind: SettingKind
    label: str
    hint: str
    off: str = ""
    use: permissions.Use | None = None
    channel_types: abc.Sequence[discord.ChannelType] = (discord.ChannelType.text,)

    @property
    def hinted(self) -> str:
        return self.hint and t(self.hint, most=number(MAX_DAYS))

    def line(self, value: typing.Any, gone_roles: abc.Collection[int] = (), mark: str = "") -> str:
        return f"**{t(self.label)}** · {mark}{self.shown(value, gone_roles)}"

    def shown(self, value: typing.Any, gone_roles: abc.Collection[int] = ()) -> str:
        if not value:
            return t(self.off)
        match self.kind:
            case SettingKind.CHANNEL:
                return f"<#{value}>"
            case SettingKind.ROLE:
                return permissions.roles_words([value], gone_roles)
            case SettingKind.LANGUAGE:
                return language_name(value)
            case SettingKind.FLAG:
                return t("yes")
            case SettingKind.LINES | SettingKind.DAYS:
                return number(value if isinstance(value, int) else len(value))


_ALL = (
    Setting(
        LOG,
        MODERATION,
        SettingKind.CHANNEL,
        N_("Log channel"),
        N_("Kiosk posts reports and removals here. Leave empty for none."),
        N_("not set, so members can't report comments"),
        permissions.Use.LOG,
    ),
    Setting(
        ROLE,
        MODERATION,
        SettingKind.ROLE,
        N_("Moderator role"),
        N_("Can remove comments. Allow /moderate in Server Settings > Integrations."),
        N_("not set"),
    ),
    Setting(
        "reasons",
        MODERATION,
        SettingKind.LINES,
        N_("Usual reasons"),
        N_("Enter one per line, up to 20."),
        N_("none"),
    ),
    Setting("needs_reason", MODERATION, SettingKind.FLAG, N_("Require a reason"), "", N_("no")),
    Setting(
        "kept_days",
        MODERATION,
        SettingKind.DAYS,
        N_("Days to keep removed texts"),
        N_("Enter 1 to %(most)s."),
    ),
    Setting(
        "locale",
        LANGUAGE,
        SettingKind.LANGUAGE,
        N_("Server language"),
        N_("For public messages. Private cards use each member's own language."),
        N_("Same as in Discord"),
    ),
)
SETTINGS = {setting.name: setting for setting in _ALL}


class FeatureSetting(msgspec.Struct, frozen=True):
    """A setting that a feature stores itself, and its value in a server.

    `save` takes a new value, the server's language, and the line for the log. It `is_lost` if
    Kiosk knows, without asking Discord, that what was set is gone.
    """

    setting: Setting
    value: typing.Any
    save: abc.Callable[[typing.Any, str, NewLine], abc.Awaitable[None]]
    is_lost: bool = False


class KnownSettings(msgspec.Struct, frozen=True):
    """All settings of a server: those that the core stores, and those that features store."""

    stored: ServerSettings
    of_features: abc.Sequence[FeatureSetting] = ()

    @property
    def described(self) -> abc.Mapping[str, Setting]:
        return SETTINGS | {kept.setting.name: kept.setting for kept in self.of_features}

    @property
    def values(self) -> Values:
        return asdict(self.stored) | {kept.setting.name: kept.value for kept in self.of_features}

    def of_form(self, form: str) -> abc.Sequence[Setting]:
        """Return the settings of a form. Raises OldButton if there is no such form."""
        asked = [setting for setting in self.described.values() if setting.form == form]
        if not asked:
            raise errors.OldButton
        return asked


def may_be_lost(setting: Setting, value: typing.Any) -> bool:
    """Return whether a value may be empty because Discord lost the preset, which happens."""
    return not value and setting.kind in (SettingKind.CHANNEL, SettingKind.ROLE, SettingKind.LINES)


def settings_form(action: ChangeSettings, known: KnownSettings) -> forms.ActionForm:
    """Ask for the settings of a form. Raises OldButton if there is no such form."""
    form = forms.ActionForm(ChangeSettings(action.form), title=t(action.form))
    values = known.values
    for setting in known.of_form(action.form):
        is_gone = setting.name in action.gone.split(",")
        _ask(form, setting, None if is_gone else values[setting.name])
    return form


def _ask(form: forms.ActionForm, setting: Setting, value: typing.Any) -> None:
    name = setting.name
    label = t(setting.label)
    hint = setting.hinted
    match setting.kind:
        case SettingKind.CHANNEL:
            types = setting.channel_types
            fields.Channel(name, types, is_required=False).ask(form, label, hint, chosen=value)
        case SettingKind.ROLE:
            fields.Roles(name).ask(form, label, hint, chosen=[value])
        case SettingKind.LINES:
            longest = MAX_REASONS * (MAX_USUAL_LENGTH + 1)
            lines = "\n".join(value)
            fields.TextInput(name, longest).ask(form, label, hint, text=lines)
        case SettingKind.FLAG:
            fields.Flag(name).ask(form, label, is_set=value)
        case SettingKind.DAYS:
            days = fields.TextInput(name, _MAX_DAYS, is_line=True, is_required=True)
            days.ask(form, label, hint, text=str(value))
        case SettingKind.LANGUAGE:
            options = [
                fields.Choice(
                    language or _AS_DISCORD_SAYS, setting.shown(language), language == value
                )
                for language in (*sorted(catalogs), "")
            ]
            fields.Listed(name).ask(form, label, options, hint, is_required=True)


def read_form(here: Here, form: str, known: KnownSettings) -> dict[str, typing.Any]:
    """Return a form's changes. Raises OldButton, BadDays, EveryoneChosen, TooManyReasons."""
    before = known.values
    filled = {setting.name: _read(setting, here) for setting in known.of_form(form)}
    # Empty is None, "" or (). A feature may act on a value that is set once more.
    return {
        name: value
        for name, value in filled.items()
        if (value or None) != (before[name] or None) or (name not in SETTINGS and value)
    }


def _read(setting: Setting, here: Here) -> typing.Any:
    typed = here.first_of(setting.name).strip()
    match setting.kind:
        case SettingKind.CHANNEL:
            return fields.Channel(setting.name, ()).read(here)
        case SettingKind.ROLE:
            return fields.Roles(setting.name).read_one(here)
        case SettingKind.LINES:
            return _reasons_in(typed)
        case SettingKind.FLAG:
            return bool(typed)
        case SettingKind.DAYS:
            days = read_number(typed)
            if days is None or not 1 <= days <= MAX_DAYS:
                raise feature_errors.BadDays(name=typed, most=number(MAX_DAYS))
            return days
        case SettingKind.LANGUAGE:
            return typed if typed in catalogs else ""


def _reasons_in(text: str) -> list[str]:
    lines = (" ".join(line.split()) for line in text.splitlines())
    reasons = list(dict.fromkeys(filter(None, lines)))
    if len(reasons) > MAX_REASONS or any(len(reason) > MAX_USUAL_LENGTH for reason in reasons):
        raise feature_errors.TooManyReasons(
            count=number(MAX_REASONS), longest=number(MAX_USUAL_LENGTH)
        )
    return reasons
