"""States of a process, as `/livez` and `/readyz` name them."""

from enum import StrEnum


class WorkerState(StrEnum):
    STANDBY = "standby"
    ACTIVE = "active"
    # It works, though it may not: another process may as well.
    WITHOUT_CLAIM = "without claim"


class GatewayState(StrEnum):
    AWAY = "away"
    # Another process is connected.
    STANDBY = "standby"
    # Members of every server are heard.
    CONNECTED = "connected"
