"""What becomes of an answer's bytes, whatever they are."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import SecretStr

from bot.features.item_queries import types_in
from bot.game import game_errors
from bot.game.game_client import comments_request, items_request
from bot.game.models import Comment, Item, ItemType, Purchase, Sort
from bot.game.reading import read_one
from bot.game.transport import Caller, GameAnswer
from bot.ui.items import price_of
from tests.support.game_samples import comment, item, page, player, purchase

CALLER = Caller(1, SecretStr("secret-of-ann"))


def answer(body: object, status: int = 200, **headers: str) -> GameAnswer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return GameAnswer(status, headers, content, received_at=1_700_000_000.0)


def read_comment(**changes: Any) -> Comment:
    request = comments_request(1, Sort.LATEST, 1)
    return request.result(answer(page(comment(**changes)))).entries[0]


def read_item(**changes: Any) -> Item:
    return items_request(CALLER, 1, 1).result(answer(page(item(**changes)))).entries[0]


def without(sample: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in sample.items() if name not in names}


def test_the_samples_of_the_interface_are_read() -> None:
    found = read_comment(children_count=1, children=[comment(id=32)])

    assert found.player.screen_name == "Juniper"
    assert not found.player.verified_at
    assert found.created_at == datetime(2024, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)
    assert [child.id for child in found.children] == [32]
    assert read_item().currency.singular_name == "Acorn"
    bought = read_one(Purchase, answer(purchase()).body)
    assert (bought.cost, bought.currency.icon_url) == (40, None)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-01T10:00:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00.5Z", datetime(2024, 5, 1, 10, 0, 0, 500_000, tzinfo=UTC)),
        ("2024-05-01T10:00:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01 10:00:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        (
            "2024-05-01T10:00:00+02:00",
            datetime(2024, 5, 1, 10, tzinfo=timezone(timedelta(hours=2))),
        ),
        (1714557600, datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("field", ["created_at", "last_active_at"])
def test_a_time_is_read_in_every_form(text: object, moment: datetime, field: str) -> None:
    sample = without(comment(), "created_at") | {field: text}

    request = comments_request(1, Sort.LATEST, 1)
    found = request.result(answer(page(sample))).entries[0]

    assert found.created_at == moment
    assert found.created_at.tzinfo is not None


def test_created_at_is_null_where_last_active_at_is_set() -> None:
    found = read_comment(created_at=None, last_active_at="2024-05-01T10:00:00Z")
    assert found.created_at == datetime(2024, 5, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("flag", ["has_purchased", "has_purchasd"])
@pytest.mark.parametrize(("sent", "owned"), [(True, True), (False, False), (1, True), ("0", False)])
def test_the_purchase_flag_is_read_in_either_spelling(flag: str, sent: object, owned: bool) -> None:
    sample = without(item(), "has_purchased") | {flag: sent}

    found = items_request(CALLER, 1, 1).result(answer(page(sample))).entries[0]

    assert found.has_purchased is owned
    assert found.is_coin_code_item is False


def test_a_name_that_quotes_the_other_spelling_stays_as_it_is() -> None:
    name = '{"has_purchasd": true}'
    sample = without(item(name=name), "has_purchased") | {"has_purchasd": False}

    found = items_request(CALLER, 1, 1).result(answer(page(sample))).entries[0]

    assert (found.name, found.has_purchased) == (name, False)


def test_absent_and_null_fields_that_only_decorate_are_no_fault() -> None:
    sample = without(comment(), "children", "children_count", "depth")
    sample["player"] = {"id": "7", "screen_name": 4711, "is_subscribed": None, "inventory": []}
    found = comments_request(1, Sort.LATEST, 1).result(answer({"data": [sample]})).entries[0]

    assert (found.depth, found.children, found.children_count) == (1, (), 0)
    assert (found.player.id, found.player.screen_name) == (7, "4711")
    assert read_item(is_clearance=None, unheard_of={"a": 1}).is_clearance is False
    assert read_item(currency={"id": 1, "name": "Acorns"}).currency.singular_name == "Acorns"


@pytest.mark.parametrize(
    ("item_type", "read"),
    [
        (None, ItemType()),
        ({}, ItemType()),
        ("Hat", ItemType()),
        ({"id": None, "name": None}, ItemType()),
        ({"name": "Hat"}, ItemType(name="Hat")),
        ({"id": "a", "name": "Hat"}, ItemType(name="Hat")),
        ({"id": -1, "name": ["Hat"]}, ItemType()),
        ({"id": 2**70}, ItemType()),
        ([{"id": 1}], ItemType()),
    ],
)
def test_an_item_is_shown_whatever_its_type(item_type: object, read: ItemType) -> None:
    found = read_item(item_type=item_type)
    assert found.item_type == read
    assert Item.from_json(found.to_json()) == found
    assert types_in([found]) == []
    sample = without(item(), "item_type")
    assert items_request(CALLER, 1, 1).result(answer(page(sample))).entries[0].item_type.id is None


@pytest.mark.parametrize("cost", [1, 40])
@pytest.mark.parametrize(
    "currency",
    [
        {"id": 1, "name": "Acorns", "singular_name": None},
        {"id": 1, "name": "Acorns", "singular_name": ""},
        {"id": 1, "name": None, "singular_name": "Acorns"},
        {"id": 1, "singular_name": "Acorns"},
        {"id": 1, "name": "Acorns", "singular_name": " \u200b"},
        {"id": 1, "name": "\u3164", "singular_name": "Acorns"},
    ],
)
def test_a_price_has_whatever_name_its_currency_has(cost: int, currency: object) -> None:
    assert price_of(read_item(cost=cost, currency=currency)) == f"{cost} Acorns"
    assert price_of(read_item(cost=cost, currency={"id": 1, "name": None})) == str(cost)


def test_the_number_of_children_need_not_be_the_number_sent() -> None:
    assert read_comment(children_count=900, children=[comment()]).children_count == 900
    assert read_comment(children_count=None, children=[comment()]).children_count == 1


@pytest.mark.parametrize(("sent", "count"), [(-1, 0), (10**40, 2**63 - 1), ("3", 3)])
def test_a_count_beyond_reckoning_is_brought_within(sent: object, count: int) -> None:
    found = read_comment(children_count=sent, depth=sent)
    assert (found.children_count, found.depth) == (count, count)


@pytest.mark.parametrize("verified", ["2024-05-01T10:00:00Z", True, 1714557600, {"by": "team"}])
def test_a_player_is_verified_by_whatever_type_says_so(verified: object) -> None:
    assert read_comment(player=player(verified_at=verified)).player.verified_at


@pytest.mark.parametrize("number", [0, 2**31, 2**53 + 1, 2**63 - 1])
def test_ids_are_exact(number: int) -> None:
    assert read_comment(id=number).id == number
    assert read_comment(id=str(number)).id == number


@pytest.mark.parametrize("number", [-1, 2**63, 10**40])
def test_ids_and_costs_that_could_not_be_kept_are_refused(number: int) -> None:
    with pytest.raises(game_errors.MalformedResponse):
        read_comment(id=number)
    with pytest.raises(game_errors.MalformedResponse):
        read_item(cost=2**63 if number < 0 else number)


@pytest.mark.parametrize(
    "address",
    [
        None, "", "/relative.png", "//host/a.png", "javascript:alert(1)", "data:image/png;base64,",
        "https://", "https://host/a b.png", "https://host/\u202e.png", "http://[::1", 12,
        "https://host/" + "a" * 2048, "https://user:password@host/a.png",
        "https://host:99999/a.png", "https://host:0/a.png", "https://host:port/a.png",
    ],
)  # fmt: skip
def test_an_address_that_discord_would_refuse_is_left_out(address: object) -> None:
    shown = read_comment(children=[comment(player=player(avatar_url=address))])
    assert shown.children[0].player.avatar_url is None
    assert read_comment(player=player(avatar_url=address)).player.avatar_url is None
    assert read_item(icon_url=address).icon_url is None


@pytest.mark.parametrize(
    ("sample", "path"),
    [
        ({}, "data"),
        ({"data": None}, "data"),
        ({"data": {"id": 1}}, "data"),
        ([], "the answer"),
        (page(without(comment(), "id")), "data.0.id"),
        (page(comment(player=player(id="who"))), "data.0.player.id"),
        (page(without(comment(), "created_at")), "data.0.created_at"),
        (page(comment(id=-1)), "data.0.id"),
        (page(comment(id=1.5)), "data.0.id"),
        (page(comment(created_at="yesterday")), "data.0.created_at"),
        (page("comment"), "data.0"),
    ],
)
def test_a_malformed_list_names_the_field_and_holds_nothing_else(sample: object, path: str) -> None:
    with pytest.raises(game_errors.MalformedResponse) as caught:
        comments_request(1, Sort.LATEST, 1).result(answer(sample))

    assert caught.value.detail.startswith(path)
    assert caught.value.status == 200
    assert "Juniper" not in repr(caught.value)
    assert caught.value.__context__ is None


def test_unreadable_replies_are_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    replies = [without(comment(), "id")] * 50

    assert read_comment(children=[comment(id=32), *replies]).children[0].id == 32
    (line,) = caplog.messages
    assert line == "Can't read 50 replies of a page, for example: data.0.children.1.id: missing"


def test_a_page_of_very_many_replies_reads_like_any_other() -> None:
    replies = [comment(id=number, children=[comment(id=1)]) for number in range(2000)]
    read = read_comment(children=replies, children_count=None)

    assert [reply.id for reply in read.children] == list(range(2000))
    assert read.children[:1] == read_comment(children=replies[:1]).children
    assert read.children_count == 2000


def test_a_comment_of_nobody_is_shown_all_the_same() -> None:
    assert read_comment(player=None).player.id is None


@pytest.mark.parametrize(
    ("sent", "year"),
    [("0001-01-01T00:00:00+14:00", 1970), ("9999-12-31T23:59:59-14:00", 9000), (0, 1970)],
)
def test_a_moment_beyond_reckoning_is_brought_within(sent: object, year: int) -> None:
    moment = read_comment(created_at=sent).created_at
    assert moment.year == year
    assert moment - timedelta(days=1) < moment < moment + timedelta(days=1)


def test_an_item_without_any_purchase_flag_is_not_taken_for_unowned() -> None:
    with pytest.raises(game_errors.MalformedResponse) as caught:
        read_item(has_purchased=None)
    assert caught.value.detail.startswith("data.0.has_purchased: ")
