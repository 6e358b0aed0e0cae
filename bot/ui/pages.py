"""The form that asks for the number of a page of a list."""

from bot.features import feature_errors
from bot.features.numbers import read_number
from bot.i18n import number, t
from bot.ui import custom_ids, fields, forms
from bot.ui.here import Here

_PAGE = fields.TextInput("page", longest=12, is_line=True, is_required=True)


def page_form(action: custom_ids.Action, hint: str, page: int) -> forms.ActionForm:
    """Ask for a page; the `hint` says on which one the member is, and how long one is."""
    form = forms.ActionForm(action, title=t("Go to page"))
    _PAGE.ask(form, t("Page"), t(hint, page=number(page)))
    return form


def read_page(here: Here, most: int) -> int:
    """Return the number that was typed. Raises UnknownPage."""
    typed = _PAGE.read(here)
    page = read_number(typed)
    if page is None or not 1 <= page <= most:
        raise feature_errors.UnknownPage(text=typed)
    return page
