"""Count the lines and the statements of Kiosk.

`python -m tools.statements` prints a line for each folder, and one for all of them. It counts the
lines of Python and SQL, and the statements of Python: no formatter changes their number. It leaves
out `storage/steps`.
"""

import tokenize
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("bot", "cogs", "storage")


def main() -> None:
    """Print the counts of each folder, and of all."""
    counted: list[Path] = []
    for folder in FOLDERS:
        paths = [path for path in (ROOT / folder).rglob("*.*") if path.suffix in (".py", ".sql")]
        paths = [path for path in paths if path.parent.name != "steps"]
        _print_counts(folder, paths)
        counted += paths
    _print_counts("all", counted)


def _print_counts(name: str, paths: Collection[Path]) -> None:
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    statements = sum(_count_statements(path) for path in paths if path.suffix == ".py")
    print(f"{name}: {lines:,} lines, {statements:,} statements")


def _count_statements(path: Path) -> int:
    with tokenize.open(path) as file:
        tokens = tokenize.generate_tokens(file.readline)
        return sum(token.type == tokenize.NEWLINE for token in tokens)


if __name__ == "__main__":
    main()
