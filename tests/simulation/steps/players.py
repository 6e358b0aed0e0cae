"""What players do in the game, and the game's makers."""

from random import Random

from tests.simulation.faults import NotNow
from tests.simulation.game import Comment
from tests.simulation.steps import step
from tests.simulation.steps.stories import comment_again
from tests.simulation.steps.words import new_text
from tests.simulation.town import Town

# Of the newest comments of a thread, so many are answered, edited and deleted.
_NEWEST = 6
_DEEPEST = 6
_ANSWERS = 0.6
_MAX_IN_A_BURST = 12
_WHERE_OTHERS_ARE = 0.5


async def let_pass(town: Town, draw: Random) -> None:
    """Let some seconds pass before someone acts: the game orders comments by their times."""
    await town.pass_time(draw.randint(1, 20))


def some_thread(town: Town, draw: Random) -> int:
    """Draw a thread, half of the time the one in which someone wrote last."""
    threads = town.game.threads()
    if draw.random() < _WHERE_OTHERS_ARE:
        return max(threads, key=lambda each: _newest(town, each))
    return draw.choice(threads)


@step(3)
async def a_player_writes(town: Town, draw: Random) -> None:
    await let_pass(town, draw)
    await write_in(town, draw, some_thread(town, draw))


@step(0.5)
async def players_write_much(town: Town, draw: Random) -> None:
    """Let a thread move on by up to a page."""
    await let_pass(town, draw)
    thread_id = some_thread(town, draw)
    for _ in range(draw.randint(3, _MAX_IN_A_BURST)):
        await write_in(town, draw, thread_id)


@step(1)
async def a_player_edits(town: Town, draw: Random) -> None:
    await let_pass(town, draw)
    comment = _some_comment(town, draw)
    await town.game.edit(comment.id, new_text(town, draw))
    town.tell(f"{comment.player_name} edits {comment.id}")


@step(0.7)
async def a_player_deletes(town: Town, draw: Random) -> None:
    await let_pass(town, draw)
    comment = _some_comment(town, draw)
    await town.game.delete(comment.id)
    town.tell(f"{comment.player_name} deletes {comment.id}")


async def write_in(town: Town, draw: Random, thread_id: int, answers: float = _ANSWERS) -> None:
    """Let some player write; it `answers` another comment so often."""
    newest = town.game.comments(thread_id)[-_NEWEST:]
    open_to = [comment for comment in newest if _depth(town, comment) < _DEEPEST]
    parent = draw.choice(open_to) if open_to and draw.random() < answers else None
    player = draw.choice(town.game.players())
    text = new_text(town, draw)
    comment_id = await town.game.write(player.id, thread_id, text, parent and parent.id)
    town.drawn["comment"] = comment_id
    town.tell(f"{player.name[:20]} writes {comment_id} below {parent and parent.id}: {text!r}")


def _newest(town: Town, thread_id: int) -> int:
    return max((comment.id for comment in town.game.comments(thread_id)[-1:]), default=0)


def _depth(town: Town, comment: Comment) -> int:
    depth = 0
    while comment.parent_id is not None:
        comment = town.game.comment(comment.parent_id)
        depth += 1
    return depth


def _some_comment(town: Town, draw: Random) -> Comment:
    comments = town.game.comments(some_thread(town, draw))
    if not comments:
        raise NotNow
    number = draw.choice(comments[-_NEWEST:]).id
    return comment_again(town, draw, number)
