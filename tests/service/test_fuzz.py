"""The service against its own description, with whatever schemathesis thinks of."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.service.conftest import NEWCOMER, SUBSCRIBER
from tests.support.databases import game_address_at

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
ROOT = Path(__file__).resolve().parents[2]


# Loaded by the tests that run: otherwise, every worker of a run would wait for it. Its types
# leave checks, schemas and cases half unknown, hence Any below.
def library() -> Any:
    import schemathesis

    return schemathesis


def chosen_checks() -> list[Any]:
    checks = library().checks
    checks.load_all_checks()
    return checks.CHECKS.get_by_names(list(CHECKS))


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Generator[Any]:
    database = game_address_at(tmp_path_factory.mktemp("fuzz") / "game.db")
    arguments = ("--port", "0", "--database", database, "--demo")
    command = (sys.executable, "-m", "game_service", *arguments)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        base_url = service.stdout.readline().removeprefix("listening on ").strip()
        try:
            yield library().openapi.from_url(f"{base_url}/openapi.json")
        finally:
            service.terminate()


# hypothesis, of a source of chance that it keeps itself; Python 3.14 no longer shows it who does.
@pytest.mark.filterwarnings("ignore:It looks like `register_random` was passed")
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_whatever_is_sent_the_answer_is_one_that_is_described(description: Any, mode: str) -> None:
    checks = chosen_checks()
    for found in description.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=6,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        )
        @given(
            case=operation.as_strategy(library().GenerationMode(mode)),
            # Ids thought of at random are hardly ever of something.
            known=st.one_of(st.none(), st.integers(1, 3)),
            token=st.sampled_from([SUBSCRIBER, SUBSCRIBER, NEWCOMER, "nobody-has-this"]),
        )
        def check(case: Any, known: int | None, token: str) -> None:
            if known is not None:
                case.path_parameters = {"id": known}
            case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=checks)

        check()
