"""One database belongs to one bot: which application of Discord's that is, is written into it.

Two of them on one database would post in each other's name, and take each other's servers for gone.
"""

from bot.settings import SettingsError
from storage.installation import Facts

APPLICATION = "application"


async def keep_to_one_bot(facts: Facts, application_id: int) -> None:
    """Note at the first start whose the database is. Raises SettingsError where it is another's."""
    owner = await facts.find(APPLICATION)
    if owner is None:
        await facts.save(APPLICATION, str(application_id))
    elif problem := foreign(owner, application_id):
        raise SettingsError([f"DATABASE_URL: {problem}"])


def foreign(owner: str | None, application_id: int) -> str:
    """Say that a database is another bot's, '' where it is not."""
    if owner in (None, str(application_id)):
        return ""
    return (
        f"this is the database of another bot, the application {owner}, and DISCORD_TOKEN is of"
        f" {application_id}: name one of its own; where it takes that one's place, let it with"
        " `python -m bot data hand-over`"
    )
