"""New announcements: a catalog is announced, a thread is followed."""

from collections import abc

from bot.features.names import Place
from bot.i18n import t
from bot.ui import cards, shared_actions, theme
from bot.ui.items import catalog_title
from cogs.announce import actions


def catalogs_card(
    places: abc.Sequence[Place], chosen: Place | None, number_words: str = ""
) -> cards.Card:
    """Let a catalog be chosen, then its form be opened: no list opens a form."""
    card = cards.Card(theme.SHOP)
    card.say("## " + t("Announce a catalog"))
    if not places:
        told = t("This server has named no catalog. Use `/announce add` with a number.")
        card.say("\n".join(filter(None, [told, number_words])))
    else:
        entries = [
            cards.Entry(
                catalog_title(place.game_id, place.name),
                actions.ChooseCatalog(place.game_id),
                is_chosen=chosen is not None and chosen.game_id == place.game_id,
            )
            for place in places
        ]
        card.choose(entries, t("Choose a catalog…"))
    buttons = [cards.button(shared_actions.ShowAnnouncements(), t("Back"))]
    if chosen is not None:
        form = shared_actions.OpenAnnounceForm(chosen.game_id)
        label = t("Announce")
        buttons.insert(0, cards.button(form, label, style=cards.BLUE, emoji="📣"))
    card.buttons(*buttons)
    return card
