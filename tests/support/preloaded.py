"""What our programs load, so that a start takes a tenth of a second instead of more than one."""

import importlib

from bot.i18n import catalog, catalogs
from cogs import COGS

LIBRARIES = ("storage.database.postgres", "uvloop")
PROGRAMS = (
    "bot.program.running",
    "bot.program.checking",
    "bot.log",
    "game_service.app",
    "playground.scene",
    # How long it waits depends on the environment, which a program doesn't have.
    "tests.support.gates",
)

for name in (*PROGRAMS, *COGS, *LIBRARIES):
    importlib.import_module(name)

for language in catalogs:
    catalog(language)
