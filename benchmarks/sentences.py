"""Draw sentences that people read, to judge each by itself: `python -m benchmarks.sentences SEED`.

The pool has the texts of the built site, of every command's help, and of messages in the code.
Pages of single tests and reports are left out: their text is the output of tests.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import click
from selectolax.lexbor import LexborHTMLParser, LexborNode

from accelerator_reports.cli.main import main as command_line

ROOT = Path(__file__).parent.parent
SOURCES = (ROOT / "src", *sorted(ROOT.glob("packages/*/src")))

Places = dict[str, str]
"""Sentences, each with the first place at which it was found."""

_LEAST_WORDS = 4
# A cell of a table or a label without a final point is a value unless it is as long as a sentence.
_LEAST_WORDS_OF_A_CELL = 7
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"`])")
_PROSE = re.compile(r"[a-z]{3}")
_PLACEHOLDER = re.compile(r"\[[A-Za-z ]*\]")
# Characters of patterns, templates and code; messages have none of them.
_CODE = re.compile(r"[<>\\|^$]|\(\?|\w=\w|==|</|\{\{")

_BLOCKS = "p, li, dt, dd, th, td, h1, h2, h3, h4, summary, label, option, figcaption, legend"
_CELLS = frozenset({"th", "td", "option", "label"})
_NO_PROSE = "pre, script, style, svg, noscript, sup, .sources, .headerlink, .md-source-file"
# What remains of a block without its code; a block of commands alone has nothing left.
_LEAST_PROSE = 3
_OUTPUT_OF_TESTS = ("/tests/", "results/runs/")


def main() -> int:
    """Print the sample, each sentence with its place; return 1 if there is no built site."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sentences", description=__doc__)
    parser.add_argument("seed", type=int, help="the same seed and texts give the same sample")
    parser.add_argument("--number", type=int, default=100, help="sentences to draw (100)")
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="the built site (site/)")
    arguments = parser.parse_args()
    if not (arguments.site / "index.html").is_file():
        sys.stderr.write(f"{arguments.site}: site not found. Build it with: make site\n")
        return 1
    pool = site_sentences(arguments.site)
    for place, text in [*help_texts(command_line), *chain.from_iterable(map(messages, SOURCES))]:
        add(pool, place, text)
    print(f"{len(pool):,} sentences, seed {arguments.seed}")
    for number, (sentence, place) in enumerate(draw(pool, arguments.seed, arguments.number), 1):
        print(f"{number}. {sentence} [{place}]")
    return 0


def draw(pool: Places, seed: int, number: int) -> list[tuple[str, str]]:
    """Return at most `number` sentences with their places; the pool's order does not matter."""
    found = sorted(pool.items())
    return random.Random(seed).sample(found, min(number, len(found)))  # noqa: S311 - no secret


def add(pool: Places, place: str, text: str, least_words: int = _LEAST_WORDS) -> None:
    """Add the sentences of a text to the pool, except those of fewer than four words.

    A sentence without a final punctuation mark is also omitted if it has fewer than `least_words`
    words.
    """
    for sentence in _END.split(" ".join(text.split())):
        words = _PLACEHOLDER.sub("", sentence).split()
        ends = sentence.endswith((".", "!", "?", ":"))
        if len(words) >= (_LEAST_WORDS if ends else least_words) and _PROSE.search(sentence):
            pool.setdefault(sentence, place)


def site_sentences(site: Path) -> Places:
    """Return the sentences of all pages but those of single tests and reports."""
    pool: Places = {}
    for path in sorted(site.rglob("*.html")):
        page = path.relative_to(site).as_posix()
        if not any(part in page for part in _OUTPUT_OF_TESTS):
            for tag, text in blocks(path.read_text("utf-8")):
                add(pool, page, text, _LEAST_WORDS_OF_A_CELL if tag in _CELLS else _LEAST_WORDS)
    return pool


def blocks(html: str) -> Iterator[tuple[str, str]]:
    """Yield the tag and text of each innermost block in a page's `article`, without code blocks.

    Blocks with too few words outside of code are omitted.
    """
    article = LexborHTMLParser(html).css_first("article")
    if article is None:
        return
    for node in article.css(_NO_PROSE):
        node.decompose()
    for node in article.css(_BLOCKS):
        if not _has_blocks(node):
            text, code = node.text(separator=""), (code.text() for code in node.css("code"))
            if len(text.split()) - sum(len(words.split()) for words in code) >= _LEAST_PROSE:
                yield str(node.tag), text


def _has_blocks(node: LexborNode) -> bool:
    return any(inner.mem_id != node.mem_id for inner in node.css(f"{_BLOCKS}, ul, ol, dl, table"))


def help_texts(command: click.Command, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place and text of a command's help, of its options and of its subcommands."""
    path = path or "accelerator-portal"
    yield path, (command.help or "").replace("\b", "")
    for parameter in command.params:
        yield f"{path} {parameter.opts[0]}", getattr(parameter, "help", None) or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (below := command.get_command(context, name)) is not None:
                yield from help_texts(below, f"{path} {name}")


def messages(sources: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and text of each string in the code that has no characters of code."""
    for path in sorted(sources.rglob("*.py")):
        for line, text in literals(ast.parse(path.read_text("utf-8"))):
            if not _CODE.search(text):
                yield f"{path.relative_to(sources).as_posix()}:{line}", text


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and text of strings that are not docstrings.

    An expression in an f-string is shown as its last two words in brackets.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(map(_part, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        else:
            yield from literals(node)


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        names: Iterable[str] = re.findall(r"[A-Za-z]+", ast.unparse(node.value))
        return f"[{' '.join(list(names)[-2:])}]"
    return str(node.value) if isinstance(node, ast.Constant) else ""


if __name__ == "__main__":
    sys.exit(main())
