"""Count what makes English hard to read, in documents, cards, docstrings and comments.

`python -m tools.prose` prints how often each pattern is found, and the longest sentences.
"""

import ast
import re
import tokenize
from collections.abc import Iterable, Iterator

from tools.strings import ROOT, SOURCES, template

# By the letters that the guide has for them.
PATTERNS = {
    "A somebody": r"\b([Nn]o|[Ss]ome|[Ee]very|[Aa]ny)body\b",
    "B whoever": r"\b[Ww]ho(ever|mever)\b",
    "C where for if": (
        r"(?<![a-z])[Ww]here"
        r" (it|there|that|none|one|nobody|Kiosk|this|nothing|the|a|another|what)\b"
    ),
    "D stand for be": r"\b(stands?|stood|standing)\b(?! by)",
    "E go on": r"\b(goes|go|went) (on|away|with|back|as a whole|for good)\b",
    "F archaic": (
        r"\banew\b|\bmend(s|ed|ing)?\b|\bbut for\b|\bhears? of\b|\b(became|become|came) of\b"
    ),
    "G told of": r"\b(told|tells? of)\b",
    "H look for check": (r"\b(looks?|looked|looking) (at|for|through|after|whether|what|into)\b"),
    "I so long": r"\b(so|as) (much|many|long|often|few)\b",
    "J fronted": (r"(^|[.:;] )(Of|By|With|Without|Between|Among|From|For|In) [^,.:;]{3,60}, "),
    "K is none": r"\b(is|are) (none|no|nothing)\b",
    "L double genitive": r"\bof (Kiosk|Discord|the game)'s\b|\bof (theirs|yours|ours)\b",
    "M all that": r"\b(all|everything) that\b",
    "N one for a noun": r"\bone (of|with|that|who|is|without|for|in)\b",
    "O bare what": r"(^|[.;:] )What [a-z ]{2,60}\b(is|are|stays|goes|has)\b",
    "P meanwhile": r"\b(at hand|just now|by now|meanwhile)\b",
    "Q owe": r"\b(owed?|owes|owing)\b",
    "R semicolon": r";",
}
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_PICTURE = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"<[^>]*>")
# A heading, a point of a list, a cell of a table or a paragraph begins.
_PART = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.) ?)|\s\|\s?")
_SENTENCE = re.compile(r"(?<=[.!?])[\")”*]*\s+(?=[\"(“*]*[A-ZÄÖÜ`%0-9])")


def documents() -> dict[str, str]:
    """Return the prose of each document, by its path: without code, tags and addresses."""
    paths = [*(ROOT / name for name in DOCUMENTS), *sorted(ROOT.glob("docs/*.md"))]
    return {
        path.relative_to(ROOT).as_posix(): _prose(path.read_text(encoding="utf-8"))
        for path in paths
    }


def _prose(text: str) -> str:
    text = _CODE.sub("Code", _CODE_BLOCK.sub("\n\n", text))
    return _TAG.sub("", _PICTURE.sub(r"\1", text))


def cards() -> list[str]:
    """Return the English sentences of cards and commands, each form of a plural."""
    ids = (message.id for message in template() if message.id)
    return [form for said in ids for form in ([said] if isinstance(said, str) else said)]


def docstrings_and_comments() -> Iterator[str]:
    """Yield the docstrings and the comments of the sources."""
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(
                    node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
                ) and (said := ast.get_docstring(node)):
                    yield said
            with path.open("rb") as file:
                tokens = list(tokenize.tokenize(file.readline))
            yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text. A point, a cell and a heading end one, too."""
    for part in _PART.split(text):
        for sentence in _SENTENCE.split(part or ""):
            if said := " ".join(sentence.split()).strip("|-*# "):
                yield said


def length(sentence: str) -> int:
    """Return how many words a sentence has."""
    return len(re.findall(r"\w[\w'-]*", re.sub(r"%\(\w+\)s", "x", sentence)))


def _count(texts: Iterable[str], pattern: str) -> int:
    return sum(len(re.findall(pattern, text, re.MULTILINE)) for text in texts)


def main() -> None:
    """Print a table of counts, and the longest sentences of documents."""
    of_documents = documents()
    shown = cards()
    inside = list(docstrings_and_comments())
    print("| Pattern | documents | cards | docstrings and comments |\n|---|---:|---:|---:|")
    for name, pattern in PATTERNS.items():
        counts = (_count(texts, pattern) for texts in (of_documents.values(), shown, inside))
        print(f"| {name} | {' | '.join(map(str, counts))} |")
    for path, text in of_documents.items():
        found = sorted(sentences(text), key=length)
        print(f"{path}: {len(found)} sentences, the longest has {length(found[-1])} words")
    longest = sorted((part for text in shown for part in sentences(text)), key=length)
    print(f"cards: the longest sentence has {length(longest[-1])} words: {longest[-1]}")


if __name__ == "__main__":
    main()
