"""Faults reported to Sentry, where a DSN is set: where in the code they happened, nothing more."""

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from bot import __version__
from bot.features.operating import error_name
from bot.settings import SettingsError

# Of an event and of a frame: what says where, and not what with.
_EVENT = ("event_id", "timestamp", "level", "logger", "platform", "release")
_FRAME = ("filename", "function", "module", "lineno", "in_app")
_SECONDS_TO_SEND_THE_LAST = 2.0
# Whose sentences are told as they stand in the source. asyncio, for one, puts values into its own.
_PLAIN = ("bot.", "cogs.", "storage.", "discord.")


def problem_with(dsn: SecretStr) -> str:
    """Return why faults can't be reported there, '' where they can."""
    try:
        from sentry_sdk.utils import Dsn
    except ImportError:
        return "sentry-sdk is missing: pip install --require-hashes -r requirements-sentry.txt"
    try:
        Dsn(dsn.get_secret_value())
    except ValueError:
        return "it is not a DSN, such as https://key@host/1"
    return ""


@contextmanager
def reporting(dsn: SecretStr | None, role: str) -> Generator[None]:
    """Report what is logged as an error inside the block, if a DSN is set. Raises SettingsError."""
    if dsn is None:
        yield
        return
    if problem := problem_with(dsn):
        raise SettingsError([f"SENTRY_DSN: {problem}"])
    import sentry_sdk
    from sentry_sdk.integrations.logging import EventHandler

    sentry_sdk.init(
        dsn.get_secret_value(),
        release=f"kiosk@{__version__}",
        # None of them: they read requests, local variables, breadcrumbs and the machine's name.
        default_integrations=False,
        auto_enabling_integrations=False,
        max_breadcrumbs=0,
        include_local_variables=False,
        include_source_context=False,
        auto_session_tracking=False,
        send_client_reports=False,
        before_send=lambda event, hint: _scrub(event, hint, role),
    )
    handler = EventHandler(level=logging.ERROR)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        sentry_sdk.get_client().close(timeout=_SECONDS_TO_SEND_THE_LAST)


def _scrub(event: Any, hint: Mapping[str, Any], role: str) -> Any:
    """Return an event with what is known to be harmless; texts, names and addresses never are."""
    harmless = {name: event[name] for name in _EVENT if name in event}
    is_plain = str(event.get("logger", "")).startswith(_PLAIN)
    # Without what was filled in.
    message = event.get("logentry", {}).get("message", "")
    harmless["logentry"] = {"message": message if is_plain else ""}
    harmless["tags"] = {"role": role}
    record: logging.LogRecord | None = hint.get("log_record")
    if record is not None:
        harmless["tags"]["kind"] = error_name(record)
        if reference := getattr(record, "reference", None):
            harmless["tags"]["reference"] = reference
    exceptions = event.get("exception", {}).get("values", ())
    harmless["exception"] = {
        "values": [
            {
                "type": each.get("type"),
                "module": each.get("module"),
                "stacktrace": {
                    "frames": [
                        {name: frame[name] for name in _FRAME if name in frame}
                        for frame in each.get("stacktrace", {}).get("frames", ())
                    ]
                },
            }
            for each in exceptions
        ]
    }
    return harmless
