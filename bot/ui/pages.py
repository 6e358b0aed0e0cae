"""The form that asks for the page of a list."""

from bot.features import feature_errors
from bot.features.numbers import read_number
from bot.i18n import number, t
from bot.ui import custom_ids, fields, forms
from bot.ui.here import Here

_PAGE = fields.TextInput("page", longest=12, is_line=True, is_required=True)


def page_form(action: custom_ids.Action, hint: str, page: int) -> forms.ActionForm:
    """Ask for a page. The `hint` says which page the member is on and how long a page is."""
    form = forms.ActionForm(action, title=t("Go to page"))
    _PAGE.ask(form, t("Page"), t(hint, page=number(page)))
    return form


def read_page(here: Here, most: int) -> int:
    """Return the page number that was typed. Raises UnknownPage."""
    typed = _PAGE.read(here)
    page = read_number(typed)
    if page is None or not 1 <= page <= most:
        raise feature_errors.UnknownPage(text=typed)
    return page
