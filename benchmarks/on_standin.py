"""`python -m benchmarks.on_standin MODULE …`: run a bot's program on a stand-in for Discord.

STANDIN_API and STANDIN_GATEWAY are its addresses.
"""

import os
import runpy
import sys

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

Route.BASE = os.environ["STANDIN_API"]
DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["STANDIN_GATEWAY"])
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
