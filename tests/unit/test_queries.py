"""The queries, as they stand in their files."""

import re

from storage.database import load_queries
from tests.support.program import ROOT

PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
DECLARED = re.compile(r"^-- name: (\w+)(?:\(([\w, ]*)\))?", re.MULTILINE)
FILES = sorted(path for part in ("storage", "game_service") for path in (ROOT / part).glob("sql/*"))


def test_a_query_takes_what_the_line_above_it_says_and_no_name_stands_twice() -> None:
    assert FILES
    for file in FILES:
        declared = DECLARED.findall(file.read_text(encoding="utf-8"))
        queries = load_queries(file)

        assert [name for name, _ in declared] == list(queries), file
        for name, taken in declared:
            used = set(PARAMETER.findall(queries[name]))
            assert used == set(re.findall(r"\w+", taken)), f"{file.name}: {name}"


def test_a_step_has_no_parameter_not_even_in_a_comment() -> None:
    steps = [path for part in ("storage", "game_service") for path in (ROOT / part).glob("steps/*")]

    found = {path.name: PARAMETER.findall(path.read_text(encoding="utf-8")) for path in steps}

    assert steps
    assert not {name: names for name, names in found.items() if names}
