"""Run apart from the tests: the bot, with claims of a term that a test chooses.

`python -m tests.support.quick_bot TERM [LOOK]` is `python -m bot run` whose claims last TERM
seconds, and which looks after LOOK seconds whether Discord reaches it. It writes to strangers
without a pause: no stand-in shuts it out.
"""

import sys
from functools import partial

from bot.app import open_bot
from bot.program.running import run

if __name__ == "__main__":
    term, *first_look = map(float, sys.argv[1:])
    opening = partial(open_bot, claim_term=term, opening_interval=0.0)
    if first_look:
        opening = partial(opening, first_look=first_look[0])
    sys.exit(run(opening))
