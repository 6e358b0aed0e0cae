"""Translate actions on messages of earlier releases to today's actions."""

from collections import abc


def _opened_or_replied(fields: abc.Sequence[str], value: str) -> str:
    """Translate an entry of 1.0.0's list on shared pages: open.<id> or reply.<id>."""
    thread_id, sort, page = fields
    verb, _, comment_id = value.partition(".")
    if verb == "open":
        return f"kiosk.forum.comment:{thread_id}:{sort}:{page}:{comment_id}"
    if verb == "reply":
        return f"kiosk.forum.write_form:{thread_id}:{comment_id}:{sort}:{page}"
    raise ValueError(value)


def _now(kind: str) -> abc.Callable[[abc.Sequence[str], str], str]:
    """Use the fields with another kind: up to 2.0.0, a sent form had a kind of its own."""
    return lambda fields, _value: ":".join([f"kiosk.{kind}", *fields])


# By the old kind: a function that makes today's custom id from the fields and a list's value.
OLD_KINDS: abc.Mapping[str, abc.Callable[[abc.Sequence[str], str], str]] = {
    "forum.open_or_reply": _opened_or_replied,
    # Its further pages started at the id of a removal. It opens the newest page.
    "moderate.log": lambda fields, _value: ":".join(["kiosk.moderate.page", *fields[:3]]),
    # It posted the cards of other comments that were held back.
    "moderate.more": lambda _fields, _value: "kiosk.moderate.queue",
    # Up to 2.0.0, a member's account took over announcements that no account read.
    "announce.take_over": _now("announce.open"),
    "link": _now("link_form"),
    "moderate.mute": _now("moderate.mute_form"),
    "moderate.remove": _now("moderate.remove_form"),
    "moderate.report": _now("moderate.report_form"),
    "filter.send": _now("filter"),
    "announce.add": _now("an.form"),
    "announce.edit": _now("an.edit"),
    "announce.follow": _now("announce.follow_form"),
    "forum.draft_send": _now("forum.draft_form"),
    "forum.write": _now("forum.write_form"),
    "moderate.try": _now("moderate.try_form"),
    "moderate.words": _now("moderate.words_form"),
    "setup.add": _now("setup.add_form"),
    "setup.rename": _now("setup.rename_form"),
    "setup.settings": _now("setup.form"),
}


def renewed(custom_id: str, value: str = "") -> str:
    """Return today's custom id for an old one, or the same id if it is still valid."""
    kind, *fields = custom_id.split(":")
    try:
        return OLD_KINDS[kind.removeprefix("kiosk.")](fields, value)
    except (KeyError, ValueError):
        return custom_id
