"""What is deployed, watched and released with: files that nothing else runs here hold together."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from aiohttp import web

import bot
from bot.game import game_errors
from bot.program.interactions import MAX_BODY_BYTES
from bot.program.kiosk import Exit
from bot.program.monitoring import Metrics
from bot.program.running import MAX_STOP_SECONDS
from bot.settings import Settings
from tests.support.caddy import run_caddy

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
REQUIREMENTS = ROOT / "requirements"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_alerts_and_board_ask_for_all_that_is_measured_and_for_nothing_else() -> None:
    measured = {family.name for family in Metrics().registry.collect()}
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())
    asked = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    board = json.loads((DEPLOY / "grafana.json").read_text())
    asked += [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]

    names = {
        re.sub("_(total|bucket|sum|count)$", "", name)
        for query in asked
        for name in re.findall(r"\b(?:kiosk|process)_\w+", query)
    }
    # What any process tells of itself comes whole.
    assert {name for name in measured if name.startswith("kiosk_")} <= names
    assert names <= measured


def test_every_failure_of_the_game_counts_for_the_alert_about_it() -> None:
    rules = (DEPLOY / "prometheus/alerts.yml").read_text()
    (counted,) = re.findall(r'outcome=~"([^"]+)"', rules)

    # A request that was too late by itself says nothing of the game.
    failures = {*_below(game_errors.Unavailable), *_below(game_errors.MalformedResponse)}
    of_game = {kind.__name__ for kind in failures if kind.__module__ == game_errors.__name__}
    assert {*counted.split("|")} == of_game - {game_errors.TooLate.__name__}


def _below(kind: type) -> Iterator[type]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _below(narrower)


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("promtool") is None, reason="there is no promtool here")
@pytest.mark.parametrize(
    "arguments", [("check", "config", "prometheus.yml"), ("test", "rules", "alerts_test.yml")]
)
def test_prometheus_takes_the_alert_rules_and_they_fire(arguments: tuple[str, ...]) -> None:
    ended = subprocess.run(
        ["promtool", *arguments],
        cwd=DEPLOY / "prometheus",
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
@pytest.mark.parametrize("unit", ["kiosk.service", "kiosk-dump.service"])
def test_the_unit_is_as_closed_as_systemd_can_tell(unit: str) -> None:
    told = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", f"deploy/{unit}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.returncode == 0, told.stdout + told.stderr


def test_the_unit_and_both_documents_install_and_upgrade_by_the_same_commands() -> None:
    head = (DEPLOY / "kiosk.service").read_text().partition("[Unit]")[0].split("# To upgrade")
    installing, switching = (re.findall(r"^#     (.+)", part, re.MULTILINE) for part in head)

    def typed(page: str, heading: str) -> list[str]:
        below = (ROOT / "docs" / page).read_text().partition(f"\n{heading}\n")[2]
        return re.findall(r"^\$ (.+)", below.partition("\n#")[0], re.MULTILINE)

    assert typed("operators.md", "## systemd") == installing
    assert typed("upgrading.md", "### With systemd") == installing[:3] + switching
    version = bot.__version__.partition(".dev")[0]
    assert installing[0] == f"python3 -m venv /opt/kiosk/{version}"
    assert f"ln -sfn {version} /opt/kiosk/current" in {*installing} & {*switching}
    # What the link names is what runs, by systemd and by hand.
    for name in ("kiosk.service", "kiosk.sh"):
        assert "/opt/kiosk/current/bin/kiosk" in (DEPLOY / name).read_text()


def test_the_unit_starts_again_however_often_what_passes_fails() -> None:
    unit = (DEPLOY / "kiosk.service").read_text().splitlines()

    assert {
        "Restart=on-failure",
        "StartLimitIntervalSec=0",
        # Where systemd knows them.
        "RestartSteps=20",
        "RestartMaxDelaySec=100",
        f"RestartPreventExitStatus={Exit.TO_MEND.value}",
    } <= set(unit)


@pytest.mark.parametrize("name", ["compose.yaml", "compose.sqlite.yaml"])
def test_each_service_of_a_compose_file_runs_with_settings_that_there_are(name: str) -> None:
    services = yaml.safe_load((DEPLOY / name).read_text())["services"]

    ours = {each: service for each, service in services.items() if "build" in service}
    assert ours
    # Docker keeps logs for ever, unless it is told to drop them.
    assert all("max-size" in service["logging"]["options"] for service in services.values())
    # Whatever strangers send, the database keeps its memory.
    assert {each for each, service in services.items() if "mem_limit" not in service} <= {
        "database"
    }
    for service in ours.values():
        assert service["image"] == "${KIOSK_IMAGE:-kiosk}"
        assert int(service["stop_grace_period"].removesuffix("s")) > MAX_STOP_SECONDS
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
        assert "command" not in service
        assert {each.lower() for each in service["environment"]} <= Settings.model_fields.keys()
        # What a copied .env leaves empty would outrank the image's own.
        assert "MONITORING_PORT" in service["environment"]


async def test_caddy_asks_the_next_process_where_one_was_killed(tmp_path: Path) -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    ours = {name: service for name, service in services.items() if "build" in service}
    handed_on = (
        f"{name}:{each['environment']['INTERACTIONS_PORT']}" for name, each in ours.items()
    )
    assert f"reverse_proxy {' '.join(handed_on)} {{" in (DEPLOY / "Caddyfile").read_text()

    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(listening()) for _ in ours]
        targets = ("{}:{}".format(*each.addresses[0]) for each in processes)
        address = await stack.enter_async_context(run_caddy(tmp_path, *targets))
        session = await stack.enter_async_context(aiohttp.ClientSession(address))

        async def status(path: str, body: bytes = b"{}") -> int:
            async with session.post(path, data=body) as answer:
                return answer.status

        assert await status("/readyz") == 404
        assert await status("/interactions", b" " * MAX_BODY_BYTES) == 202
        assert await status("/interactions", b" " * (MAX_BODY_BYTES + 1)) == 413
        assert [await status("/interactions") for _ in ours] == [202] * len(ours)
        await processes[0].cleanup()
        assert [await status("/interactions") for _ in ours] == [202] * len(ours)


@asynccontextmanager
async def listening() -> AsyncGenerator[web.AppRunner]:
    """Answer as a process of Kiosk's does, on a free port, until the block ends."""

    async def readyz(_request: web.Request) -> web.Response:
        return web.Response()

    async def interactions(request: web.Request) -> web.Response:
        await request.read()
        answer = web.Response(status=202)
        answer.force_close()
        return answer

    app = web.Application()
    app.router.add_get("/readyz", readyz)
    app.router.add_post("/interactions", interactions)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner
    finally:
        await runner.cleanup()


def test_the_image_is_made_of_what_the_build_is_given() -> None:
    given = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    dockerfile = (DEPLOY / "Dockerfile").read_text()

    copied = set(re.findall(r"^COPY (?!--)(\S+)", dockerfile, re.MULTILINE))
    assert copied == given
    assert "/livez" in dockerfile


async def test_the_images_health_is_that_of_its_process_and_no_proxys() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    command = json.loads(dockerfile.partition("    CMD ")[2].partition("\n")[0])
    statuses = iter((200, 503))

    async def livez(_request: web.Request) -> web.Response:
        return web.Response(status=next(statuses))

    app = web.Application()
    app.router.add_get("/livez", livez)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()

    async def is_healthy(port: str) -> bool:
        environment = {"MONITORING_PORT": port, "http_proxy": "http://127.0.0.1:9"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command[1:], env=environment, stderr=asyncio.subprocess.DEVNULL
        )
        return await process.wait() == 0

    try:
        assert await is_healthy(str(runner.addresses[0][1]))
        assert not await is_healthy(str(runner.addresses[0][1]))
        # As if a copy of .env.example outranks the image's own.
        assert await is_healthy("")
    finally:
        await runner.cleanup()


PINNED = re.compile(r"^([a-z]\S+)==(\S+)", re.MULTILINE)


def with_those_before(path: Path) -> list[Path]:
    """Give a file of requirements and those that it begins with, as pip reads them."""
    before = re.findall(r"^-r (.+)", path.read_text(), re.MULTILINE)
    return [path, *(each for name in before for each in with_those_before(path.parent / name))]


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("play", ["run"]),
        ("test", ["play", "run"]),
        ("check", ["test", "play", "run"]),
        ("wheel", ["run"]),
        ("pictures", ["play", "run"]),
        ("mutants", ["test", "play", "run"]),
    ],
)
def test_whoever_installs_more_has_all_that_comes_before_and_pins_only_what_is_new(
    name: str, before: list[str]
) -> None:
    read = with_those_before(REQUIREMENTS / f"{name}.txt")

    assert [path.stem for path in read] == [name, *before]
    added, *others = [dict(PINNED.findall(path.read_text())).keys() for path in read]
    assert added
    assert not any(added & other for other in others)


@pytest.mark.parametrize("path", sorted(REQUIREMENTS.glob("*.txt")), ids=lambda path: path.stem)
def test_all_requirements_fit_into_one_environment(path: Path) -> None:
    text = path.read_text()
    checks = {
        package: version
        for each in with_those_before(REQUIREMENTS / "check.txt")
        for package, version in PINNED.findall(each.read_text())
    }

    pinned = dict(PINNED.findall(text))
    assert pinned
    assert {name: checks.get(name, version) for name, version in pinned.items()} == pinned
    # The installing command says where from. What comes must be what was pinned.
    assert "://" not in text
    assert not re.search(r"^[^ ]+==.*[^\\]$", text, re.MULTILINE)


def test_make_sees_that_the_python_of_its_environment_is_gone(tmp_path: Path) -> None:
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    # As one that has what it needs.
    python.symlink_to(shutil.which("true") or "")
    (tmp_path / ".run").touch()

    def told() -> str:
        command = ["make", "--dry-run", "install", f"VENV={tmp_path}"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert "venv" not in told()
    python.unlink()
    python.symlink_to(tmp_path / "gone")
    assert "-m venv" in told()
    assert "requirements/run.txt" in told()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_read_and_its_actions_are_pinned_by_commit(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text())

    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each) for each in used)
    assert workflow["permissions"] == {"contents": "read"}
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    made = re.findall(r"make (\w+)", " ".join(str(step.get("run")) for step in steps))
    assert set(made) <= set(targets)


def test_every_python_and_both_databases_are_tried() -> None:
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())

    matrix = ci["jobs"]["check"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert matrix["database"] == ["sqlite", "postgresql"]
    # What documents call tested: these, and the wheel's.
    versions = ci["jobs"]["postgresql"]["strategy"]["matrix"]["version"]
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert compose["database"]["image"] in {f"postgres:{version}" for version in versions}
    operators = (ROOT / "docs/operators.md").read_text()
    assert f"PostgreSQL {', '.join(versions)} and 18" in operators


def test_a_release_is_an_image_for_both_kinds_of_machine_and_the_latest() -> None:
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())

    commands = "".join(step.get("run", "") for step in release["jobs"]["release"]["steps"])
    (pushed,) = [line.split() for line in commands.splitlines() if "--push" in line]
    assert pushed[pushed.index("--platform") + 1] == "linux/amd64,linux/arm64"
    assert pushed[pushed.index("--tag") + 1] == '"$image:latest"'
    # Each is started once before.
    assert "for platform in linux/amd64 linux/arm64;" in commands


def test_a_release_runs_images_of_others_by_their_digest_alone() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text()

    pinned = re.findall(r"^ +([A-Z]+): [\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    others = re.findall(r"docker run (?:--\w+ )+\"\$([A-Z]+)\"|image=\$([A-Z]+)", text)
    assert {name or other for name, other in others} == {*pinned} == {"BINFMT", "BUILDKIT"}
    # The other one is what was built just now.
    assert text.count("docker run ") == 2


def test_what_is_deployed_names_the_version_that_still_gets_mends() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    images = [service["image"] for service in services.values() if "build" not in service]
    images += re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)

    # As each of them counts: what comes behind these numbers are fixes.
    fitting = re.compile(r"postgres:\d+|caddy:\d+\.\d+|python:\d+\.\d+-slim")
    assert len(images) == 5
    assert all(map(fitting.fullmatch, images))


def test_both_compose_files_are_tried_with_an_image_of_ones_own() -> None:
    ci = (ROOT / ".github/workflows/ci.yml").read_text()
    assert {path.name for path in DEPLOY.glob("compose*")} == {
        Path(each).name for each in re.findall(r"deploy/compose[\w.]*", ci)
    }
    assert 'KIOSK_IMAGE=x docker compose --file "$file"' in ci


def test_the_release_finds_the_version_in_the_code_and_in_the_changelog(tmp_path: Path) -> None:
    headings = re.findall(r"^## .*", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings == [
        "## [3.0.0] - 2026-11-30",
        "## [2.0.0] - 2026-11-27",
        "## [1.0.0] - 2026-11-26",
    ]
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    holding = next(each["run"] for each in release["jobs"]["release"]["steps"] if "run" in each)
    (tmp_path / "bot").mkdir()
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    (tmp_path / "bot/__init__.py").write_text('__version__ = "3.0.0"\n')

    def hold(tag: str) -> str:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        ended = subprocess.run(
            ["bash", "-c", holding],
            cwd=tmp_path,
            env={"PATH": path, "GITHUB_REF_NAME": tag},
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.stderr

    assert hold("v2.0.0") == "the tag says 2.0.0, the code 3.0.0\n"
    assert not hold("v3.0.0")
    assert "### Removed" in (tmp_path / "notes.md").read_text()


def files_in_the_wheel() -> Iterator[Path]:
    find = PROJECT["tool"]["setuptools"]["packages"]["find"]
    for pattern in find["include"]:
        yield from ROOT.glob(f"{pattern}/**/*.py")


def test_nothing_in_the_wheel_imports_what_only_developers_install() -> None:
    required = PROJECT["project"]["dependencies"]
    names = (re.split(r"[\[<>=.]", each)[0].lower().replace("-", "_") for each in required)
    # What some of these bring along, and are known for.
    brought = {"dotenv", "psycopg_pool", "pydantic_core", "yarl"}
    installed = {*names, *brought, *sys.stdlib_module_names}

    line = re.compile(r"^ *(?:from (\w+)[\w.]* import |import (\w+))", re.MULTILINE)
    imported = {
        one or other
        for path in files_in_the_wheel()
        for one, other in line.findall(path.read_text(encoding="utf-8"))
    }
    assert imported - installed == {"bot", "cogs", "storage", "game_service"}
