"""stub"""


async def fill_if_empty(database): ...
