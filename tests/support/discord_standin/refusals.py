"""Discord's own ways to say no: a status and a numbered reason."""

from dataclasses import dataclass


@dataclass(eq=False)
class Refusal(Exception):
    """What the bot asked for can't be done. `code` is Discord's number for the reason.

    It is done all the same if the refusal `is_late`.
    """

    status: int
    code: int
    message: str
    is_late: bool = False


UNKNOWN_WEBHOOK = Refusal(404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION = Refusal(404, 10062, "Unknown interaction")
UNKNOWN_MESSAGE = Refusal(404, 10008, "Unknown Message")
UNKNOWN_CHANNEL = Refusal(404, 10003, "Unknown Channel")
UNKNOWN_USER = Refusal(404, 10013, "Unknown User")
ALREADY_ACKNOWLEDGED = Refusal(400, 40060, "Interaction has already been acknowledged.")
DIRECT_MESSAGES_CLOSED = Refusal(403, 50007, "Cannot send messages to this user")
DEAD_TOKEN = Refusal(401, 50027, "Invalid Webhook Token")
WRONG_TOKEN = Refusal(401, 0, "401: Unauthorized")
MISSING_PERMISSIONS = Refusal(403, 50013, "Missing Permissions")
ENTRY_POINT_MISSING = Refusal(
    400,
    50240,
    "You cannot remove this app's Entry Point command in a bulk update operation. Include the Entry"
    " Point command in your update request or delete it separately.",
)
MALFORMED = Refusal(400, 50035, "Invalid Form Body")
UNAVAILABLE = Refusal(503, 0, "upstream connect error")
LATE_ERROR = Refusal(503, 0, "upstream timed out", is_late=True)
