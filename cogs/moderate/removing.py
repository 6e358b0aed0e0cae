"""Remove comments and mute players, by typed names too, and undo both."""

from collections import Counter, abc
from datetime import datetime

import discord
import msgspec

from bot.features import feature_errors, matching
from bot.features.moderation.policy import Viewer
from bot.features.moderation.times import read_moment
from bot.i18n import t
from bot.ui import shared_actions, slash
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route, sent
from cogs.moderate import cards, evidence, queue
from storage.moderation import Subject
from storage.removals import Removal
from storage.subscriptions import Subscription

# How many muted players can be found by their names.
_MAX_MUTED = 1000
_NOBODY = 0


@route(shared_actions.RemoveComment, opens_form=True, needs=MODERATOR)
async def open_remove_form(here: Here, action: shared_actions.RemoveComment) -> None:
    settings = await here.settings()
    # Moderators see hidden comments, too.
    viewer = Viewer(here.member_id)
    subject = await evidence.find_at_hand(here, viewer, action.comment_id, action.near)
    is_told = settings.tells_writers and here.hooks.decided.is_heard
    await here.open_form(cards.remove_form(action, subject, settings, is_told=is_told))


async def remove(
    here: Here, action: shared_actions.RemoveComment, *, reason: str, muted_until: str = ""
) -> None:
    """Remove a comment, and mute its writer if an end is typed. Raises BadDate."""
    moderation = here.features.moderation
    until = read_moment(muted_until, moderation.now()) if muted_until else None
    new = Removal(
        guild_id=here.guild_id,
        subject=await evidence.find_evidence(here, action.comment_id, action.near),
        moderator_id=here.member_id,
        reason=reason,
        locale=here.server_locale,
    )
    removal = await moderation.remove(new)
    # The case may know what the game doesn't say now.
    new = msgspec.structs.replace(new, subject=removal.subject)
    note = await _mute_writer(here, new, until) if until is not None else ""
    place = None
    if action.only:
        player_id = removal.subject.player_id if action.is_of_player else None
        place = cards.ShowCase(
            removal.case_id, action.only, shared_actions.NO_ID if player_id is None else player_id
        )
    await show(here, removal, note, place)


async def _mute_writer(here: Here, removed: Removal, until: datetime) -> str:
    """Mute a removed comment's writer, unless muted for longer. Return the result as text."""
    writer = removed.subject
    if writer.player_id is None:
        return t("No one was muted, because Kiosk doesn't know the comment's author.")
    player = Subject(None, player_id=writer.player_id, player_name=writer.player_name)
    moderation = here.features.moderation
    latest = await moderation.removals.latest(removed.guild_id, player)
    if latest is None or latest.ended_at or (latest.until and latest.until < until):
        # Earlier posts are deleted only if someone has seen how many there are.
        latest = await moderation.remove(
            msgspec.structs.replace(removed, subject=player, until=until), deletes=False
        )
    return cards.muted_words(latest)


async def show(
    here: Here, removal: Removal, note: str = "", place: cards.ShowCase | None = None
) -> None:
    """Show the result. In the queue, show it above the next case."""
    status = await here.features.moderation.status_of(removal)
    if place is not None:
        done = "\n".join(filter(None, [cards.done_words(status), note]))
        await queue.show(here, place, done, cards.undo_button(removal))
        return
    card = cards.removal_card(status)
    if note:
        card.say(note)
    await here.answer(card)


@sent(shared_actions.RemoveComment, in_place=False, keeps=True, needs=MODERATOR)
async def on_remove(here: Here, action: shared_actions.RemoveComment) -> None:
    if action.only:
        here.acknowledge(takes_time=True)
    reason = cards.read_reason(here)
    muted_until = cards.MUTE.read(here)
    await remove(here, action, reason=reason, muted_until=muted_until)


async def remove_from_message(here: Here, message: discord.Message) -> None:
    question = t("Which comment do you want to remove?")
    action = await evidence.find_chosen(here, message, shared_actions.RemoveComment, question)
    if action is not None:
        await open_remove_form(here, action)


async def restore(here: Here, subject: Subject) -> None:
    removal = await here.features.moderation.restore(here.guild_id, subject, here.member_id)
    await _show_restored(here, removal)


async def _show_restored(here: Here, removal: Removal, posted: str = "") -> None:
    comment_id = removal.subject.comment_id
    taken: abc.Sequence[Subscription] = ()
    if comment_id is not None:
        taken = await here.features.announcing.deliveries.taken(here.guild_id, comment_id)
    progress = await here.features.moderation.removals.shown.progress(removal.id)
    await here.answer(cards.restored_card(removal, progress, taken, posted))


@route(cards.Restore, in_place=False, needs=MODERATOR)
async def on_restore(here: Here, action: cards.OfRemoval) -> None:
    """Undo this removal, but no later removal of the same comment."""
    removal = await here.features.moderation.find(here.guild_id, action.removal_id)
    if removal.ended_at is not None:
        raise feature_errors.NothingToUndo(name=removal.subject.label)
    await restore(here, removal.subject)


@route(cards.PostAgain, needs=MODERATOR)
async def on_post_again(here: Here, action: cards.PostAgain) -> None:
    """Post a comment again, unless it was hidden or deleted since it was restored."""
    moderation = here.features.moderation
    removal = await moderation.find(here.guild_id, action.removal_id)
    subject = removal.subject
    comment_id = subject.comment_id or 0
    # Another process may have hidden the comment again.
    moderation.policy.forget(here.guild_id)
    hidden = await moderation.removals.hidden(here.guild_id)
    if hidden.hides(comment_id, subject.player_id):
        raise feature_errors.RemovedAgain(name=str(comment_id))
    subscription, seen = await here.features.followed_threads.taken_post(
        here.guild_id, comment_id, action.subscription_id
    )
    everyone = Viewer(_NOBODY, here.guild_id, subscription.locale)
    threads = here.features.threads
    await threads.seen_comment(everyone, subscription.place_id, seen, fresh=True)
    await here.features.announcing.owing.post_again(subscription, seen)
    channel = f"<#{subscription.channel_id}>"
    posted = t("Kiosk will post it in %(channel)s again.", channel=channel)
    await _show_restored(here, removal, posted)


@route(cards.TryDeleteAgain, in_place=False, needs=MODERATOR)
async def on_try_again(here: Here, action: cards.OfRemoval) -> None:
    moderation = here.features.moderation
    removal = await moderation.delete_again(here.guild_id, action.removal_id)
    await show(here, removal)


async def mute(
    here: Here, player: str, reason: str, until: str | None, place: cards.ShowCase | None = None
) -> None:
    """Mute a player, but ask first if messages would be deleted."""
    moderation = here.features.moderation
    here.offer_candidates(cards.mute_entry)
    new = Removal(
        guild_id=here.guild_id,
        subject=await find_player(here, player),
        moderator_id=here.member_id,
        reason=reason,
        locale=here.server_locale,
        until=None if until is None else read_moment(until, moderation.now()),
    )
    new = await moderation.with_reason(new)
    showing = await moderation.removals.shown.showing(here.guild_id, new.subject)
    if not showing:
        await show(here, await moderation.remove(new), place=place)
        return
    asked_id = here.interaction.id
    moderation.asked.put((here.guild_id, here.member_id, asked_id), new)
    await here.answer(cards.mute_question(new, len(showing), asked_id, place))


@route(cards.MutePlayer, opens_form=True, needs=MODERATOR)
async def open_mute_form(here: Here, action: cards.MutePlayer) -> None:
    player = await find_player(here, str(action.player_id))
    await here.open_form(cards.mute_form(action, player.label, await here.settings()))


@sent(cards.MutePlayer, in_place=False, keeps=True, needs=MODERATOR)
async def on_mute(here: Here, action: cards.MutePlayer) -> None:
    place = cards.place_of(action)
    if place is not None:
        here.acknowledge(takes_time=True)
    until = cards.UNTIL.read(here) or None
    reason = cards.read_reason(here)
    await mute(here, str(action.player_id), reason, until, place)


@route(cards.ConfirmMute, opens_form=True, needs=MODERATOR)
async def on_confirm_mute(here: Here, action: cards.ConfirmMute) -> None:
    moderation = here.features.moderation
    new = moderation.asked.known((here.guild_id, here.member_id, action.asked_id))
    if new is None:
        # Another process asked the question, or it was long ago.
        asking = cards.MutePlayer(
            action.player_id, action.case_id, action.only, action.is_of_player
        )
        await open_mute_form(here, asking)
        return
    removal = await moderation.remove(new, deletes=action.deletes)
    await show(here, removal, place=cards.place_of(action))


async def known_players(here: Here) -> dict[int, str]:
    """Return the players in this server's log, and the writers of loaded comments."""
    logged = await here.features.moderation.removals.players(here.guild_id)
    known = {player_id: name for name, player_id in reversed(logged) if player_id is not None}
    return dict(reversed(known.items())) | here.features.threads.known_players()


async def suggest_players(here: Here, typed: str) -> slash.Choices:
    return _player_choices(_labels_of(await known_players(here)), typed)


async def muted_players(here: Here) -> dict[int, str]:
    """Return the players who are muted in this server, up to a limit."""
    mutes = await here.features.moderation.removals.mutes(here.guild_id, _MAX_MUTED)
    return {mute.subject.player_id or 0: mute.subject.player_name for mute in mutes}


async def suggest_muted(here: Here, typed: str) -> slash.Choices:
    muted = await muted_players(here)
    labels = _labels_of(await known_players(here) | muted)
    return _player_choices({player_id: labels[player_id] for player_id in muted}, typed)


def _player_choices(labels: dict[int, str], typed: str) -> slash.Choices:
    fitting = matching.holding(typed, labels.items(), lambda player: player[1])
    number = matching.read_id(typed)
    if number in labels:
        fitting.insert(0, (number, labels[number]))
    return slash.choices((label, str(player_id)) for player_id, label in dict(fitting).items())


def _labels_of(players: dict[int, str]) -> dict[int, str]:
    """Return players' labels for lists: their names, with numbers if names aren't enough."""
    called = Counter(players.values())
    labels: dict[int, str] = {}
    for player_id, name in players.items():
        is_enough = called[name] == 1 and matching.read_id(name) is None
        labels[player_id] = slash.label(
            name if is_enough else cards.player_label((player_id, name))
        )
    return labels


async def find_player(here: Here, text: str, *, is_muted: bool = False) -> Subject:
    """Return the player of this name or number. Raises UnknownPlayer, SeveralFit.

    A player who `is_muted` can also be found by the name at the time of the mute.
    """
    known = await known_players(here)
    if is_muted:
        known |= await muted_players(here)
    player_id = matching.read_id(text)
    if player_id is not None:
        return Subject(None, None, player_id, known.get(player_id, ""))
    labels = _labels_of(known)
    player_id, name = matching.resolve(
        text,
        known.items(),
        name_of=lambda player: player[1],
        number_of=lambda player: player[0],
        label_of=lambda player: labels[player[0]],
        unknown=feature_errors.UnknownPlayer,
        takes_part=False,
        offers_all=False,
    )
    return Subject(None, None, player_id, name)
