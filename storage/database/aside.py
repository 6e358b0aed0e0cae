"""Whether a member waits for what is read: the reads of others don't hold up theirs."""

from contextvars import ContextVar

# True in the worker's duties, and where metrics are collected.
is_aside: ContextVar[bool] = ContextVar("is_aside", default=False)
