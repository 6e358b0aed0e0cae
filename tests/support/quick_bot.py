"""Run apart from the tests: the bot, with claims of a term that a test chooses.

`python -m tests.support.quick_bot TERM` is `python -m bot run` whose claims last TERM seconds. It
writes to strangers without a pause: no stand-in shuts it out.
"""

import sys
from functools import partial

from bot.app import open_bot
from bot.program.running import run

if __name__ == "__main__":
    term = float(sys.argv[1])
    sys.exit(run(partial(open_bot, claim_term=term, opening_interval=0.0)))
