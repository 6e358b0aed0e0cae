"""Who may import whom, as the design draws it, and how the code is written."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from cogs import CORE, FEATURES
from tests.support.sources import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
# What any part of the bot may use.
SHARED = {
    "bot.background",
    "bot.cache",
    "bot.clock",
    "bot.i18n",
    "bot.log",
    "bot.rest",
    "bot.visible",
}
OURS = {"bot", "cogs", "storage", "game_service", "playground", "tools", "tests"}

# Each folder or module, and what it may import: of ours, and of the libraries that are doors to
# the outside. What is named first and fits is what counts.
RULES: dict[str, tuple[set[str], set[str]]] = {
    "storage": ({"storage"}, {"aiosqlite", "psycopg", "psycopg_pool", "sqlite3"}),
    "game_service": ({"game_service", "storage.database"}, {"aiohttp", "aiosqlite", "sqlite3"}),
    "bot/background.py": ({"bot.clock"}, set()),
    "bot/clock.py": (set(), set()),
    "bot/rest.py": ({"bot.clock"}, set()),
    "bot/cache.py": ({"bot.background"}, set()),
    "bot/game": (
        {"bot.background", "bot.cache", "bot.clock", "bot.errors"}
        | {"bot.game", "bot.i18n", "bot.log"},
        {"aiohttp"},
    ),
    "bot/i18n.py": (set(), set()),
    "bot/visible.py": (set(), set()),
    "bot/errors.py": ({"bot.i18n"}, set()),
    "bot/features": ({"bot.errors", "bot.features", "bot.game", "storage"} | SHARED, set()),
    **{
        service.relative_to(ROOT).as_posix(): (
            {"bot.errors", "bot.features", "bot.game", "storage"} | SHARED,
            set[str](),
        )
        for service in sorted(ROOT.glob("cogs/*/service.py"))
    },
    "bot/ui": (
        {"bot.errors", "bot.features", "bot.game.game_errors", "bot.game.models"}
        | {"bot.ui", "storage"}
        | SHARED,
        {"aiohttp", "discord"},
    ),
    "cogs": (
        {"bot.errors", "bot.features", "bot.game.game_errors", "bot.game.models"}
        | {"bot.i18n", "bot.program.kiosk", "bot.ui", "bot.visible", "storage"},
        {"discord"},
    ),
    # The bot and its wiring: nothing above imports it, except the type of the bot in cogs.
    "bot": ({"bot", "cogs.COGS", "storage", "game_service.app"}, {"aiohttp", "discord"}),
    "playground": ({"playground", "bot", "storage", "game_service"}, {"aiohttp", "discord"}),
}
# What asks the machine for the time, or waits by it.
ASKING = {
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
    *("time.time", "time.time_ns", "discord.utils.utcnow", "utils.utcnow"),
    *("time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns"),
    *("asyncio.sleep", "asyncio.timeout", "asyncio.timeout_at", "asyncio.wait", "asyncio.wait_for"),
    *("discord.ext.tasks", "discord.ext.tasks.loop"),
}
ASKING_A_LOOP = re.compile(r"loop(\(\))?\.(time|call_later|call_at)")
# Which files go by the machine's clock all the same, and why.
IN_REAL_TIME = {
    "bot/clock.py": "it is the clock",
    "bot/background.py": "the end of the program waits for tasks that hang",
    "bot/game/rate_limit.py": "a turn waits for aiolimiter, and for other requests",
    "bot/game/reading.py": "one log line an hour, whoever reads answers in this process",
    "bot/features/writing/orders.py": "a look ends with its lease, which the database measures",
    "bot/program/checking/__init__.py": "`check` waits for Discord",
    "bot/program/checking/endpoint.py": "`check` waits for the way from Discord to here",
    "bot/program/connecting.py": "the login waits for Discord",
    "bot/program/health.py": "health: how late the event loop is",
    "bot/program/kiosk.py": "Discord is asked for a name; whoever stops Kiosk waits for its end",
    "bot/program/listening.py": "balancers need time to notice that Kiosk ends",
    "bot/program/monitoring.py": "metrics",
    "bot/program/port.py": "strangers send bodies slowly",
    "bot/program/reach.py": "whether Discord can be reached",
    "bot/program/running.py": "the garbage collector",
    "bot/ui/messages/dispatcher.py": "the end waits for Discord to answer what was sent",
    "storage/claims.py": "claims, which the database measures",
    "storage/database/postgres.py": "the database",
    "storage/database/sqlite.py": "the database",
    "storage/database/steps.py": "the database, and older processes",
    "game_service/app.py": "hands on the machine's clock where it is given no other",
    "game_service/draining.py": "waits for the last requests before it stops",
    "game_service/times.py": "the machine's clock itself",
}
DOORS = {"aiohttp", "discord", "aiosqlite", "psycopg", "psycopg_pool", "sqlite3"}


def files_under(name: str) -> list[Path]:
    path = ROOT / name
    return [path] if path.suffix else sorted(path.rglob("*.py"))


CODE = [path for folder in ("bot", "cogs", "storage") for path in files_under(folder)]


def files_held_to(rule: str) -> list[Path]:
    before = list(RULES)[: list(RULES).index(rule)]
    held = {path for name in before for path in files_under(name)}
    return [path for path in files_under(rule) if path not in held]


def imports_of(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def names_of(path: Path) -> Sequence[str]:
    """Return what a file imports, and of a module of ours what it uses of it."""
    names: list[str] = []
    modules: dict[str, str] = {}
    for node in nodes_of(path):
        if not (isinstance(node, ast.ImportFrom) and node.module):
            continue
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            place = ROOT / name.replace(".", "/")
            if name.partition(".")[0] in OURS and (
                place.with_suffix(".py").is_file() or place.is_dir()
            ):
                modules[alias.asname or alias.name] = name
            else:
                names.append(name)
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in modules:
            names.append(f"{modules[ast.unparse(node.value)]}.{node.attr}")
    return names


def is_allowed(name: str, own_package: str, rule: str) -> bool:
    ours, doors = RULES[rule]
    top = name.partition(".")[0]
    if top in OURS:
        allowed = ours | {own_package}
        return any(name == one or name.startswith(f"{one}.") for one in allowed)
    return top not in DOORS - doors


@pytest.mark.parametrize("rule", RULES)
def test_a_part_imports_only_what_the_design_lets_it(rule: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files_held_to(rule)
        for name in imports_of(path)
        # A cog may import its own folder, and no other's.
        if not is_allowed(name, ".".join(path.relative_to(ROOT).parts[:2]), rule)
    ]

    assert not wrong, (
        f"{wrong}\nMove the code to a part that may import this (RULES above), or let "
        "bot/program/wiring.py hand over what it needs."
    )


def _assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def is_no_record(name: str) -> bool:
    """Return whether a name of storage stands for something that knows a database."""
    module, _, last = name.rpartition(".")
    path = ROOT / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        # A whole module, or the database itself.
        return True
    (defined,) = [
        node
        for node in tree_of(path).body
        if last in {getattr(node, "name", None), *_assigned(node)}
    ]
    return re.search(r"\b(Database|Transaction)\b", ast.unparse(defined)) is not None


@pytest.mark.parametrize("folder", ["bot/features", "bot/ui", "cogs"])
def test_features_open_no_database_and_cards_know_records_alone(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files_under(folder)
        # What is owed to Discord is written and held there.
        if path.parent.name != "messages" and not path.stem.endswith("_messages")
        # A feature is built from its store.
        if "async def setup(" not in path.read_text(encoding="utf-8")
        for name in names_of(path)
        if name.startswith("storage.")
        if (
            name.startswith("storage.database.") and not name.endswith(".Transaction")
            # Hooks hand transactions on to features.
            if folder == "bot/features" or path.name in ("service.py", "hooks.py")
            else is_no_record(name)
        )
    ]

    assert not wrong, (
        f"{wrong}\nMake the query a method of a store in storage/, which bot/features may call."
    )


def test_no_feature_imports_another_and_the_core_none() -> None:
    """A feature's folder can be deleted, so no one may depend on it.

    What the core asks or tells of it is a hook (bot/ui/hooks.py).
    """
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in CODE
        for name in imports_of(path)
        if (parts := name.split("."))[0] == "cogs"
        and parts[1] in FEATURES
        and path.relative_to(ROOT).parts[:2] != ("cogs", parts[1])
    ]

    assert not wrong
    assert {path.parent.name for path in ROOT.glob("cogs/*/__init__.py")} <= {*CORE, *FEATURES}


def test_no_two_classes_have_one_name() -> None:
    """A search for a class finds one: name the newer one by what it is of."""
    places: dict[str, list[str]] = {}
    for path in CODE:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())

    assert not {name: files for name, files in places.items() if len(files) > 1}


def test_nothing_but_the_program_imports_the_wiring() -> None:
    importers = {
        path.relative_to(ROOT).as_posix()
        for folder in ("bot", "cogs", "storage", "game_service")
        for path in files_under(folder)
        if any(name.startswith("bot.app") for name in imports_of(path))
    }

    assert importers == {"bot/program/running.py"}, (
        "Take what you need as an argument: bot/program/wiring.py hands it over."
    )


def test_every_part_is_held_to_a_rule() -> None:
    ours = {path for top in OURS - {"tools", "tests"} for path in files_under(top)}
    assert all(files_held_to(rule) for rule in RULES), "Take the rule of what is gone out of RULES."
    held = {path for rule in RULES for path in files_held_to(rule)}
    assert ours == held, f"Say in RULES what these may import: {sorted(map(str, ours - held))}"


def test_every_text_of_a_comment_reaches_its_screen_through_the_thread_service() -> None:
    readers = {
        path.relative_to(ROOT).as_posix()
        for rule in ("bot", "cogs")
        for path in files_under(rule)
        for node in nodes_of(path)
        if (isinstance(node, ast.Attribute) and node.attr in ("list_comments", "comments_request"))
        or (isinstance(node, ast.Name) and node.id == "comments_request")
    }

    assert readers - {"bot/game/game_client.py"} == {
        "bot/features/reading/threads.py",
        # These look for what was sent or is new, and whether the game answers; they show nothing.
        "bot/features/following/poller.py",
        "bot/features/following/followed_threads.py",
        "bot/features/writing/texts.py",
        "bot/program/checking/conformance.py",
        "bot/program/checking/game.py",
    }, "Read comments by ThreadService, which asks the policy; list the file here if it shows none."


def asks_for_time(code: str) -> Iterator[int]:
    """Yield the lines that ask the machine for the time, or wait by it."""
    tree = ast.parse(code)
    timeless = {
        call.func for call in ast.walk(tree) if isinstance(call, ast.Call) and _is_timeless(call)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and node not in timeless:
            names = {ast.unparse(node).removeprefix("dt.")}
        else:
            continue
        if any(name in ASKING or ASKING_A_LOOP.search(name) for name in names):
            yield node.lineno


def _is_timeless(call: ast.Call) -> bool:
    """Return whether a call that could wait by the machine's clock doesn't."""
    match ast.unparse(call.func):
        case "asyncio.sleep" | "asyncio.timeout":
            return isinstance(call.args[0], ast.Constant) and not call.args[0].value
        case "asyncio.wait":
            return all(keyword.arg != "timeout" for keyword in call.keywords)
        case _:
            return False


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("dt.datetime.now(dt.UTC)", True),
        ("def paced(now=time.monotonic): ...", True),
        ("from time import monotonic", True),
        ("asyncio.sleep(0)", False),
        ("asyncio.sleep(pause)", True),
        ("asyncio.timeout(None)", False),
        ("asyncio.timeout(1)", True),
        ("asyncio.wait(tasks)", False),
        ("asyncio.wait(tasks, timeout=1)", True),
        ("asyncio.get_running_loop().time()", True),
        ("loop.call_later(1, ring)", True),
        ("self.clock.call_later(1, ring)", False),
        ("self.clock.sleep(pause)", False),
        ("from discord.ext import tasks", True),
    ],
)
def test_who_asks_for_the_time_is_found(code: str, *, asks: bool) -> None:
    assert list(asks_for_time(code)) == [1] * asks


def test_nothing_but_the_clock_asks_for_the_time() -> None:
    """Deciding code gets the clock of `open_bot`. Code that waits for others is listed."""
    asking = {
        path.relative_to(ROOT).as_posix(): lines
        for path in [*CODE, *files_under("game_service")]
        if (lines := list(asks_for_time(path.read_text(encoding="utf-8"))))
    }
    in_sql = {
        path.name
        for path in ROOT.glob("storage/sql/*.sql")
        if "now()" in path.read_text(encoding="utf-8").lower()
    }

    assert asking.keys() == IN_REAL_TIME.keys(), (
        f"{asking}\nAsk the clock of `open_bot` (bot/clock.py), which tests move. If the file "
        "waits for something else than the time, list it in IN_REAL_TIME with the reason."
    )
    assert not in_sql, "Hand the time to the query as a parameter."


def test_no_code_leans_on_what_events_would_have_told() -> None:
    """Kiosk asks for no events, so that discord.py knows no server and no channel."""
    unknown = {"guild", "guilds", "get_guild", "get_channel", "wait_until_ready"}
    leaning = {
        f"{path.relative_to(ROOT)}:{node.lineno} .{node.attr}"
        for folder in ("bot", "cogs")
        for path in files_under(folder)
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute)
        and node.attr in unknown
        and not (isinstance(node.value, ast.Attribute) and node.value.attr == "http")
    }

    assert not leaning, (
        f"{leaning}\nTake it from the interaction (`here`), or ask Discord for it by `bot.http`."
    )


# Of other files of ours: those that a file imports, and those that it takes from modules.
MAX_NAMES_ON_AVERAGE = 19.5
MAX_NAMES_IN_COGS = 36.5


def test_a_file_uses_few_names() -> None:
    used = {
        path: {name for name in names_of(path) if name.partition(".")[0] in OURS} for path in CODE
    }
    cogs = {path: names for path, names in used.items() if "cogs" in path.parts}

    for files, most in ((used, MAX_NAMES_ON_AVERAGE), (cogs, MAX_NAMES_IN_COGS)):
        mean = sum(map(len, files.values())) / len(files)
        assert mean <= most, (
            f"A file uses {mean:.1f} names of other files on average, {most} at most. Find lines "
            "that use several names of one file, write them there as a function, and call that. "
            "These use the most names: "
            + ", ".join(path.name for path in sorted(files, key=lambda path: -len(files[path]))[:5])
        )


MAX_LINES = 500
# A file of more lines than this is named below, with what keeps it in one piece.
MAX_LINES_WITHOUT_A_REASON = 400
LONG_FILES = {
    "bot/features/feature_errors.py": "every error of the features, with its words",
    "bot/features/following/comparing.py": "the rules of news, which one table of cases tests",
    "bot/game/transport.py": "one request, from its turn to its answer",
    "bot/ui/drawing.py": "all parts of a card, so that a card needs one module",
    "bot/ui/permissions.py": "each use of a channel with what it needs, and what may be lacking",
    "cogs/announce/announcement_messages.py": "one message from its drawing to its deletion",
    "cogs/forum/text_cards.py": "one text in each of its states",
    "cogs/moderate/cards.py": "the words that the queue, the log and the reports share",
    "cogs/moderate/reports.py": "one card in the log channel, drawn and pressed",
    "cogs/shop/order_cards.py": "one order in each of its states",
    "storage/database/postgres.py": "an engine is one class",
    "storage/database/sqlite.py": "an engine is one class",
    "storage/messages.py": "all that changes a row of messages, beside one file of SQL",
    "storage/writes.py": "all that changes a row of writes, beside one file of SQL",
}


def test_a_long_file_has_a_reason() -> None:
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in CODE}
    long = {path for path, count in lines.items() if count > MAX_LINES_WITHOUT_A_REASON}

    assert max(lines.values()) <= MAX_LINES, max(lines, key=lines.__getitem__)
    assert long == LONG_FILES.keys(), "Part it where its story parts, or name it with a reason."


def _assigns_several(node: ast.Assign) -> bool:
    """Return whether several values are assigned that don't change places."""
    target, value = node.targets[0], node.value
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)):
        return False
    read = {ast.unparse(part) for part in ast.walk(value) if isinstance(part, ast.expr)}
    return not any(ast.unparse(part) in read for part in target.elts)


def test_names_say_what_they_stand_for_and_an_assignment_has_one_value() -> None:
    wrong = {
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path in CODE
        for node in nodes_of(path)
        if (isinstance(node, ast.Name) and node.id in ("one", "each"))
        or (isinstance(node, ast.arg) and node.arg in ("one", "each"))
        or (isinstance(node, ast.Assign) and _assigns_several(node))
    }

    assert not wrong, (
        f"{wrong}\nName it by a noun, such as `comment`, and give each name a line of its own."
    )
