"""Run apart from the tests: the bot, with claims of a term that a test chooses.

`python -m tests.support.quick_bot TERM ROLE [SHARDS]` is `python -m bot ROLE [--shards SHARDS]`
whose claims last TERM seconds. It writes to strangers without a pause: no stand-in shuts it out.
"""

import sys
from functools import partial

from bot.app import open_bot
from bot.features.operating import Role
from bot.program.running import run

if __name__ == "__main__":
    term, role, *shards = sys.argv[1:]
    opening = partial(open_bot, claim_term=float(term), opening_interval=0.0)
    sys.exit(run(Role(role), *shards, opening=opening))
