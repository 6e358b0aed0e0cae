"""`python -m bot`."""

from bot.program.cli import cli

if __name__ == "__main__":
    cli()
