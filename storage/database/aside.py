"""Whether a member waits for a read: other reads don't hold it up."""

from contextvars import ContextVar

# True in the worker's duties, and where metrics are collected.
is_aside: ContextVar[bool] = ContextVar("is_aside", default=False)
