"""One database belongs to one bot: which application of Discord's that is, is written into it.

Two at once would post in each other's name, and take each other's servers for gone. Nothing tells
copied settings from a new application in the old one's place, so that it starts and the log tells.
"""

import logging

from bot.features.pictures import Pictures
from storage.installation import Facts

log = logging.getLogger(__name__)

APPLICATION = "application"


async def take_over(facts: Facts, pictures: Pictures, application_id: int) -> None:
    """Note whose the database is from now on; another bot's emojis are shown to nobody here."""
    owner = await facts.find(APPLICATION)
    if owner == str(application_id):
        return
    if told := another(owner, application_id):
        log.warning("the database %s", told)
        await pictures.forget()
    await facts.save(APPLICATION, str(application_id))


def another(owner: str | None, application_id: int) -> str:
    """Say that a database was another bot's, '' where it was not."""
    if owner in (None, str(application_id)):
        return ""
    return (
        f"was last used by another bot, the application {owner}, and DISCORD_TOKEN is of"
        f" {application_id}: where that one still runs, name a database of its own for each"
    )
