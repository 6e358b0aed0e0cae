"""Start and stop the bot, by the command line and in a process: nothing else wires."""
