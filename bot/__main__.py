"""`python -m bot`."""

from bot.cli import cli

if __name__ == "__main__":
    cli()
