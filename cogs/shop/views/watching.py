"""What a member watches, and the message that tells them of it."""

from collections.abc import Mapping, Sequence

from bot.features.names import Place
from bot.game.models import Item
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button, action_select
from bot.ui.cards import Button, Card, Select, notice, option
from bot.ui.items import (
    catalog_title,
    name_of,
    order_buttons,
    price_of,
    say_facts,
    what_is_new,
    word,
)
from bot.ui.pictures import thumbnail
from bot.ui.shared_actions import OpenItem
from bot.ui.text import fitting, one_line
from cogs.shop.actions import ChooseEndedWatch, EndWatch
from storage.following import Event, NewWatch, Notice, Watch

# Each with its picture and its buttons; the others are lines.
_MOST_CLOSELY = 4
_MOST_LINES = 15
_ROOM_AT_THE_END = 100
_LONGEST_LABEL = 80
_LONGEST_OPTION = 100

# Names of catalogs, by the server that gave them and the catalog's id.
Names = Mapping[tuple[int | None, int], str | None]


def watch_words(watch: NewWatch, *, plain: bool = False) -> str:
    """Return what is watched, as harmless markdown or `plain`, where Discord formats nothing."""
    name = one_line(watch.name, _LONGEST_LABEL, plain=True) if plain else name_of(watch.name)
    if watch.item_id is not None:
        return name
    parts = [t("“%(name)s”", name=name)] if watch.name else []
    if watch.type_name is not None:
        kind = watch.type_name
        parts.append(one_line(kind, _LONGEST_LABEL, plain=True) if plain else word(kind))
    if watch.max_cost is not None:
        parts.append(t("up to %(cost)s", cost=number(watch.max_cost)))
    if watch.is_clearance:
        parts.append(t("on clearance"))
    return " · ".join(parts)


def watched_card(watch: Watch, catalog: Place) -> Card:
    """Say that something is watched from now on."""
    where = catalog_title(catalog.game_id, catalog.name)
    if watch.item_id is None:
        body = t(
            "I'll send you a direct message when such an item appears in %(catalog)s, gets "
            "cheaper or goes on clearance.",
            catalog=where,
        )
    else:
        body = t(
            "I'll send you a direct message when it comes back to %(catalog)s, gets cheaper or "
            "goes on clearance.",
            catalog=where,
        )
    title = t("You watch %(what)s", what=watch_words(watch))
    note = t("Not when you own it already. At most one message an hour.")
    end = action_button(EndWatch(watch.id), t("Stop watching"), emoji="🔕")
    return notice(title, body, colour=theme.GOOD, footer=note, buttons=(end,))


def ended_card(watch: Watch) -> Card:
    """Say that something is watched no more."""
    return notice(
        t("You no longer watch %(what)s", what=watch_words(watch)),
        t("I won't send you any more messages about it."),
    )


def watching_card(watches: Sequence[Watch], names: Names) -> Card:
    """List what a member watches."""
    title = t("What you watch")
    if not watches:
        body = t("Nothing yet. Use `/shop watch`, or press Watch on an item.")
        return notice(title, body)
    lines = [
        f"- **{watch_words(watch)}** · "
        + catalog_title(watch.game_id, names.get((watch.named_in, watch.game_id)))
        for watch in watches
    ]
    card = notice(title, "\n".join(lines))
    card.choose(_endings(watches))
    return card


def news_card(notices: Sequence[Notice], names: Names) -> Card:
    """Tell a member of items they wait for; each watch can be ended."""
    card = Card(theme.SHOP)
    if len(notices) == 1:
        _say_one(card, notices[0], names)
    else:
        _say_several(card, notices)
    watches = list({watch.id: watch for watch, _ in notices}.values())
    if len(watches) == 1:
        card.buttons(action_button(EndWatch(watches[0].id), t("Stop watching"), emoji="🔕"))
    else:
        card.choose(_endings(watches))
    return card


def news_words(notices: Sequence[Notice]) -> tuple[str, str]:
    """Return the same as a title and a text, for the next command."""
    return t("News of what you watch"), "\n".join(_line(each) for each in notices[:_MOST_LINES])


def _say_one(card: Card, told: Notice, names: Names) -> None:
    watch, event = told
    card.say(f"**{what_is_new(event)}**")
    title = catalog_title(watch.game_id, names.get((watch.named_in, watch.game_id)))
    say_facts(card, Item.from_json(event.item), title, personal=False)
    card.buttons(*_buttons(event))
    if watch.item_id is None:
        card.say("-# " + t("You watch %(what)s.", what=watch_words(watch)))


def _say_several(card: Card, notices: Sequence[Notice]) -> None:
    card.say("## " + t("News of what you watch"))
    for told in notices[:_MOST_CLOSELY]:
        item = Item.from_json(told[1].item)
        card.say(_line(told), thumbnail(item.icon_url, item.name))
        card.buttons(*_buttons(told[1]))
    room = card.room - _ROOM_AT_THE_END
    lines = map(_line, notices[_MOST_CLOSELY : _MOST_CLOSELY + _MOST_LINES])
    others = fitting(lines, room)
    if others:
        card.say("\n".join(others))
    left = len(notices) - _MOST_CLOSELY - len(others)
    if left > 0:
        card.say("-# " + nt("and %(count)s more", "and %(count)s more", left))


def _buttons(event: Event) -> list[Button]:
    opening = action_button(OpenItem(*event.ref), t("Open"), emoji="🔍")
    return [*order_buttons(Item.from_json(event.item), event.ref)[:2], opening]


def _line(told: Notice) -> str:
    item = Item.from_json(told[1].item)
    return f"**{name_of(item.name)}** · {price_of(item)}\n-# {what_is_new(told[1])}"


def _endings(watches: Sequence[Watch]) -> Select:
    options = [
        option(
            one_line(watch_words(watch, plain=True), _LONGEST_OPTION, plain=True) or str(watch.id),
            str(watch.id),
            emoji="🔕",
        )
        for watch in watches
    ]
    return action_select(ChooseEndedWatch(), options, placeholder=t("Stop watching…"))
