"""Buying and redeeming: never twice, never unknown for long."""

from bot.features.checkout.checkout import Checkout
from bot.features.checkout.outcomes import AlreadyOwned, Ordered, Outcome, PriceChanged, Wish
from bot.features.checkout.verdict import Reason, Timings

__all__ = [
    "AlreadyOwned",
    "Checkout",
    "Ordered",
    "Outcome",
    "PriceChanged",
    "Reason",
    "Timings",
    "Wish",
]
