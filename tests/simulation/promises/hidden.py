"""That what a server hides stands nowhere in it, and is shown to none but moderators."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime

from tests.simulation.faults import Fault
from tests.simulation.game import Comment
from tests.simulation.promises.policy import Policy, Server
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

# Times of rest after which Kiosk has tried again what Discord failed at: one try for each.
_CALM = 6
# Members who may press these see what the server hides, too.
_FOR_MODERATORS = ("moderate.", "/moderate", "menu Remove")
_REPORTING = "moderate.report_form"
# Members who wrote something read what happened to it.
_WRITING = (
    "forum.write_form",
    "forum.edit",
    "forum.draft",
    "forum.retry",
    "forum.look",
    "forum.ask_again",
    "forum.send_again",
    "/forum post",
    "/forum reply",
    "/forum edit",
)
_OF_DIRECT_MESSAGES = ("unwatch", "forum.ask_discard")
# The index of a comment's number among the fields of what can be pressed for it.
_NUMBER_AT = {"forum.comment": 3, "forum.found": 3, "forum.write_form": 1}


class Hidden:
    """Holds what people are shown, and what stands in chat, against what a server hides."""

    def __init__(self, town: Town, policy: Policy) -> None:
        self._town = town
        self._policy = policy
        self._looked_at = town.clock.now()
        self._stood: set[tuple[int, str]] = set()
        self._faults: list[Fault] = []
        # When Discord failed last, and how often the world was at rest since.
        self._trouble: datetime | None = None
        self._calm = 0

    def look(self, deed: Deed) -> None:
        """Check what someone is shown in a server, before what they did changes anything."""
        is_moderators = deed.kind.startswith(_FOR_MODERATORS) and deed.kind != _REPORTING
        if deed.guild_id not in self._policy.servers or is_moderators:
            return
        self._policy.look_at_game()
        for card in deed.answers:
            is_news = any(card.control(kind) for kind in _OF_DIRECT_MESSAGES)
            if card is deed.pressed or is_news:
                # It stands as it was drawn before; or it is a direct message that may not have
                # arrived, which goes by the rules of its own server.
                continue
            how = f"{deed.who} was shown it by {deed.kind} in {deed.guild_id}: {card.text}"
            hidden = [
                comment
                for comment, mark in self._shown(card)
                if self._policy.typed.get(mark) is not deed.who
                and mark in comment.text
                and self._policy.hidden_since(deed.guild_id, comment)
            ]
            # A held-back comment can be opened, to read that it is.
            hidden += [
                comment
                for comment in self._listed(card)
                if not _goes_on_with(deed).startswith(_WRITING)
                and self._policy.leaves_out(deed.guild_id, comment)
            ]
            for comment in hidden:
                about = f"comment {comment.id}"
                self._faults.append(Fault("nobody is shown what is hidden", about, how))

    def _shown(self, card: Card) -> Iterator[tuple[Comment, str]]:
        for mark in sorted(card.marks):
            for comment_id in sorted(self._policy.marked.get(mark, ())):
                yield self._policy.known[comment_id][0], mark

    def _listed(self, card: Card) -> Iterator[Comment]:
        """Yield the comments that a card has something to press for."""
        for control in card.controls:
            place = _NUMBER_AT.get(control.kind)
            if place is not None and place < len(control.fields):
                known = self._policy.known.get(int(control.fields[place]))
                if known is not None:
                    yield known[0]

    async def faults(self) -> AsyncIterator[Fault]:
        self._policy.look_at_game()
        for fault in self._faults:
            yield fault
        self._faults.clear()
        lately = self._town.trouble.get(None)
        self._calm = self._calm + 1 if lately == self._trouble else 0
        self._trouble = lately
        stood, self._stood = self._stood, set()
        before, self._looked_at = self._looked_at, self._town.clock.now()
        for guild_id, server in sorted(self._policy.servers.items()):
            for card in self._town.sight.public(guild_id):
                # The log's cards are for moderators.
                if any(control.kind.startswith("forum.") for control in card.controls):
                    for fault in self._faults_on(guild_id, server, card, stood, before):
                        yield fault

    def _faults_on(
        self,
        guild_id: int,
        server: Server,
        card: Card,
        stood: set[tuple[int, str]],
        before: datetime,
    ) -> Iterator[Fault]:
        how = f"{card.message_id} in {card.channel_id}: {card.text}"
        shown = list(self._shown(card))
        for comment in dict.fromkeys([*self._listed(card), *(each for each, _ in shown)]):
            if self._is_deleted(server, comment) and not self.is_troubled(card.channel_id):
                yield Fault("no message shows what was removed", f"comment {comment.id}", how)
        for comment, mark in shown:
            self._stood.add((card.message_id, mark))
            since = self._policy.hidden_since(guild_id, comment)
            is_new = (card.message_id, mark) not in stood
            if is_new and since is not None and since < before and mark in comment.text:
                yield Fault("what is hidden is not posted", f"comment {comment.id}", how)

    def is_troubled(self, channel_id: int) -> bool:
        """Tell whether a channel is gone, has ever refused a change, or Discord does."""
        trouble = self._town.trouble
        channel = self._town.env.backend.channels.get(channel_id)
        if channel is None:
            return True
        is_refused = {channel_id, getattr(channel, "parent_id", None) or 0} & trouble.keys()
        return bool(is_refused) or (None in trouble and self._calm < _CALM)

    def _is_deleted(self, server: Server, comment: Comment) -> bool:
        if server.is_unsure:
            return False
        if comment.id in server.removed and comment.id not in server.unsure_comments:
            return True
        mute = server.mutes.get(comment.player_id)
        return (
            mute is not None
            and mute.deletes
            and self._policy.is_muted(mute) is True
            and not self._policy.is_unnamed
            and comment.player_id not in server.unsure_players
        )


def _goes_on_with(deed: Deed) -> str:
    """Return the kind of what is done; for one who had to link first, of what comes next."""
    goes_on = deed.kind == "link_form" and deed.fields
    return deed.fields[0].partition("|")[0] if goes_on else deed.kind
