"""What a read does when the game answers in ways it should not."""

import pytest

from bot.game import game_errors
from bot.game.game_client import Caller, GameClient
from tests.contract.conftest import PATIENT, impatient
from tests.support.game_samples import comment, item, page
from tests.support.rogue_game import (
    Reply,
    RogueGame,
    cut,
    cut_short,
    endless,
    open_rogue_game,
    raw,
    redirect,
    reply,
    silence,
    zip_bomb,
)

HTML = b"<!doctype html><title>Oops</title>"
TOO_MUCH = b'{"data": "' + b"x" * 10_000_000 + b'"}'
TOO_MANY_LISTS = b'{"data": [' + b"[]," * 100_000 + b"[]]}"
TOO_MANY_FIELDS = b'{"data": [{' + b",".join(b'"%d":1' % each for each in range(160_000)) + b"}]}"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, game_errors.Invalid),
        (401, game_errors.Unauthorized),
        (403, game_errors.Forbidden),
        (404, game_errors.NotFound),
        (410, game_errors.NotFound),
        (409, game_errors.Conflict),
        (413, game_errors.Invalid),
        (415, game_errors.Invalid),
        (418, game_errors.Refused),
        (422, game_errors.Invalid),
        (429, game_errors.RateLimited),
        (500, game_errors.ServerFault),
        (503, game_errors.ServerFault),
        (304, game_errors.MalformedResponse),
    ],
)
async def test_a_refused_read_raises_the_error_of_its_status(
    client: GameClient, rogue: RogueGame, status: int, kind: type[game_errors.GameError]
) -> None:
    rogue.answers(reply({"message": "No."} if status != 304 else b"", status=status))

    with pytest.raises(game_errors.GameError) as caught:
        await client.list_comments(1)

    assert type(caught.value) is kind
    assert caught.value.status == status
    assert caught.value.message == ("No." if status != 304 else None)


@pytest.mark.parametrize(
    "answer",
    [
        *(cut, cut_short(), cut_short(401)),
        *(reply(status=status) for status in (408, 429, 502, 504)),
        *(reply(HTML, status=status) for status in (401, 403, 404, 418, 429)),
        reply(b"error code: 1020", status=403),
    ],
)
async def test_a_read_that_fails_for_a_moment_is_asked_again(
    client: GameClient, rogue: RogueGame, answer: Reply
) -> None:
    rogue.answers(answer, reply(page(comment(id=5))))

    comments = await client.list_comments(1)

    assert [entry.id for entry in comments.entries] == [5]
    assert len(rogue.asked) == 2


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (reply(status=404), game_errors.NotFound),
        (reply(status=500), game_errors.ServerFault),
        (reply(HTML), game_errors.MalformedResponse),
        (reply(TOO_MUCH), game_errors.MalformedResponse),
        (zip_bomb(100), game_errors.MalformedResponse),
        (reply(TOO_MANY_LISTS), game_errors.MalformedResponse),
        (reply(TOO_MANY_FIELDS), game_errors.MalformedResponse),
        (endless, game_errors.MalformedResponse),
        (reply(b"[" * 10_000 + b"]" * 10_000), game_errors.MalformedResponse),
        (reply(b"[" * 50_000), game_errors.MalformedResponse),
        (reply(b""), game_errors.MalformedResponse),
        (reply({"data": None}), game_errors.MalformedResponse),
        (raw(b"SSH-2.0-OpenSSH_9.6\r\n"), game_errors.MalformedResponse),
    ],
)
async def test_a_read_that_would_fail_again_is_not_repeated(
    client: GameClient, rogue: RogueGame, answer: Reply, kind: type[game_errors.GameError]
) -> None:
    rogue.answers(answer)

    with pytest.raises(kind):
        await client.list_comments(1)

    assert len(rogue.asked) == 1


@impatient
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (cut, game_errors.Unavailable),
        (silence, game_errors.Timeout),
        (reply(HTML, status=401), game_errors.ServerFault),
    ],
)
async def test_a_read_gives_up_within_its_attempts(
    client: GameClient, rogue: RogueGame, answer: Reply, kind: type[game_errors.GameError]
) -> None:
    rogue.answers(answer)

    with pytest.raises(kind):
        await client.list_comments(1)

    assert len(rogue.asked) == PATIENT.attempts


async def test_a_redirect_to_another_port_is_refused_and_the_token_stays_home(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    async with open_rogue_game() as stranger:
        stranger.answers(reply(page(item())))
        rogue.answers(redirect(f"{stranger.base_url}/catalogs/3/items"))

        with pytest.raises(game_errors.ForeignRedirect):
            await client.list_items(caller, 3)
        with pytest.raises(game_errors.ForeignRedirect):
            await client.list_comments(3)

        assert stranger.asked == []


@pytest.mark.parametrize(
    "location",
    ["//evil.example/v2", "https://evil.example", "{https}/v2", "http://127.0.0.1/v2",
     "http://127.0.0.1@evil.example/", "{here}.evil.example", "https://evil.example\\@127.0.0.1/",
     "javascript:alert(1)", "https://[::1", "http://127.0.0.1:99999/", "http://", "{named}/v2"],
)  # fmt: skip
async def test_a_redirect_away_from_the_game_is_refused(
    client: GameClient, rogue: RogueGame, caller: Caller, location: str
) -> None:
    here = rogue.base_url.removesuffix("/api")
    places = {"https": here.replace("http:", "https:"), "named": here.replace("//", "//ann:pw@")}
    rogue.answers(redirect(location.format(here=here, **places)), reply(page(item())))

    with pytest.raises(game_errors.ForeignRedirect):
        await client.list_items(caller, 3)

    assert len(rogue.asked) == 1
