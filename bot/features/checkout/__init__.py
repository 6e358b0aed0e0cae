"""Buying and redeeming: never twice, never unknown for long."""

from bot.features.checkout.checkout import Checkout
from bot.features.checkout.outcomes import AlreadyOwned, Ordered, Outcome, PriceChanged, Wish
from bot.features.checkout.verdict import Reason, Timings
from storage.orders import Order, OrderKind, OrderState

# Cogs know these from here: storage is not theirs to import.
__all__ = [
    "AlreadyOwned",
    "Checkout",
    "Order",
    "OrderKind",
    "OrderState",
    "Ordered",
    "Outcome",
    "PriceChanged",
    "Reason",
    "Timings",
    "Wish",
]
