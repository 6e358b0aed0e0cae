"""One database belongs to one bot: which application of Discord's that is, is written into it."""

from bot.features.pictures import Pictures
from storage.installation import Facts

APPLICATION = "application"


async def take_over(facts: Facts, pictures: Pictures, application_id: int) -> None:
    """Note whose the database is from now on; another bot's emojis are shown to nobody here."""
    owner = await facts.find(APPLICATION)
    if owner == str(application_id):
        return
    if owner is not None:
        await pictures.forget()
    await facts.save(APPLICATION, str(application_id))
