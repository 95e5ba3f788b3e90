"""Prints problems as text, as annotations of GitHub, or as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog import Problem
from accelerator_portal.catalog.format_address import format_address
from accelerator_portal.catalog.problem import printable

MOST_COLUMNS = 120

_QUOTED = re.compile(r'"([^"]+)"')

ProblemFormat = Callable[[Path, Sequence[Problem]], str]
"""From the repository and its problems to a text."""


def as_text(root: Path, problems: Sequence[Problem]) -> str:
    """Return each problem with the line that it is about, and the spot in it underlined."""
    return "\n".join(line for problem in problems for line in _shown(root, problem))


def as_annotations(root: Path, problems: Sequence[Problem]) -> str:
    """Return GitHub's workflow commands, which put each problem beside its line.

    Source: "Workflow commands for GitHub Actions", GitHub's documentation.
    """
    return "\n".join(
        f"::{problem.level} file={_property(printable(problem.path))},line={problem.line},"
        f"title={_property(problem.rule)}::"
        f"{_message(problem.words)} ({_message(_help(root, problem))})"
        for problem in problems
    )


def as_json(root: Path, problems: Sequence[Problem]) -> str:
    """Return a list; `column` and `end_column` count from 1, the end is not part of the spot."""
    return json.dumps([_record(root, problem) for problem in problems], indent=1)


TELLERS: Mapping[str, ProblemFormat] = {"text": as_text, "github": as_annotations, "json": as_json}


def spot(line: str, problem: Problem) -> tuple[int, int]:
    """Return where in its line a problem is: what the message quotes, or all that is written."""
    named = _QUOTED.findall(problem.what)
    for word in [problem.fix.old, *named] if problem.fix else named:
        start = line.find(word)
        if start >= 0:
            return start, start + len(word)
    bare = line.lstrip()
    start = len(line) - len(bare)
    return start, start + len(bare.rstrip())


def _shown(root: Path, problem: Problem) -> list[str]:
    tag = problem.rule if problem.level == "error" else f"warning: {problem.rule}"
    lines = [f"{problem} [{tag}]"]
    line = _line(root, problem)
    see = f"  see {_help(root, problem)}"
    if not line.strip():
        return [*lines, see]
    start, end = spot(line, problem)
    number = str(problem.line)
    window = _window(start, len(line))
    under = " " * (start - window.start) + "^" * max(1, min(end, window.stop) - start)
    lines.append(f"  {number} | {_printable(line[window])}")
    lines.append(f"  {' ' * len(number)} | {click.style(under, fg='red')}")
    return [*lines, see]


def _help(root: Path, problem: Problem) -> str:
    """The page of the site that says what would be right."""
    if problem.rule == "format":
        return site_address(root) + format_address(problem.path, problem.record)
    return f"{site_address(root)}contribute/rules/#{problem.rule}"


def _window(start: int, length: int) -> slice:
    """So much of a long line that the spot can be seen."""
    if length <= MOST_COLUMNS:
        return slice(0, length)
    first = max(0, min(start - MOST_COLUMNS // 4, length - MOST_COLUMNS))
    return slice(first, first + MOST_COLUMNS)


def _printable(line: str) -> str:
    """What is not printed as one letter would shift the line that underlines, or do worse."""
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "�" for c in line)
    return shown.replace("##[", "##�")  # to GitHub's runner, a command


def _line(root: Path, problem: Problem) -> str:
    lines = _lines(root / problem.path)
    return lines[problem.line - 1] if problem.line <= len(lines) else ""


@lru_cache(maxsize=16)
def _lines(path: Path) -> tuple[str, ...]:
    """The lines of a small text; of anything else none: a problem may be about a folder."""
    try:
        if not path.is_file() or path.is_symlink() or path.stat().st_size > 1024**2:
            return ()
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError):
        return ()
    return tuple(text.split("\n"))


def _record(root: Path, problem: Problem) -> dict[str, Any]:
    line = _line(root, problem)
    start, end = spot(line, problem)
    return {
        "path": problem.path,
        "line": problem.line,
        "column": start + 1,
        "end_column": end + 1,
        "rule": problem.rule,
        "level": problem.level,
        "what": problem.what,
        "remedy": problem.remedy,
        "fix": bool(problem.fix),
        "help": _help(root, problem),
    }


def _message(text: str) -> str:
    """A line break would begin another command; `words` and `printable` have none left."""
    return text.replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


VARIABLE = "PORTAL_SITE_URL"
LOCAL = "http://127.0.0.1:8000/"

_REPOSITORY = re.compile(r"^repo_url: https://github\.com/([\w.-]+)/([\w.-]+)$", re.MULTILINE)


def site_address(root: Path) -> str:
    """Return the site's address, with a slash at its end.

    It is that of GitHub Pages for the repository that `mkdocs.yml` names, unless the environment
    names another one; without either, the address at which `make serve` shows the site.
    """
    given = os.environ.get(VARIABLE)
    return f"{given.rstrip('/')}/" if given else _pages(root)


@lru_cache(maxsize=4)
def _pages(root: Path) -> str:
    try:
        found = _REPOSITORY.search((root / "mkdocs.yml").read_text("utf-8"))
    except (OSError, ValueError):
        found = None
    return f"https://{found[1]}.github.io/{found[2]}/" if found else LOCAL
