"""Defines a problem: where it is, what is wrong, and the fix."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

MAX_WORDS = 500

Severity = Literal["error", "warning"]
"""An error keeps a change out; a warning is told, and holds nobody up."""


@dataclass(frozen=True, slots=True)
class Fix:
    """What would be right, where that is certain: `new` for `old` in the line of the problem."""

    old: str
    new: str


@dataclass(frozen=True, order=True, slots=True)
class Problem:
    """One fault that a person can mend.

    `path` is relative to the repository and uses forward slashes; `line` counts from 1 (1 also
    where a fault concerns the whole file); `what` says what is wrong, `remedy` what would be right.
    `rule` is the id of the rule that found it; `format` for what keeps a file from being read.
    `record` is the name of the record that the fault is in, empty where that is the whole file.
    """

    path: str
    line: int
    what: str
    remedy: str
    rule: str = "format"
    level: Severity = "error"
    fix: Fix | None = field(default=None, compare=False)
    record: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """What is wrong and what would be right, in one line."""
        return printable(f"{_short(self.what)}; {_short(self.remedy)}")

    def __str__(self) -> str:
        """One line: where it is, what is wrong, what would be right."""
        return f"{printable(self.path)}:{self.line}: {self.words}"


def printable(text: str) -> str:
    """Return text as one line, whatever a file holds: no escape reaches a terminal or a log.

    GitHub's runner takes `::` at the beginning of a line for a command, and `##[` anywhere in it.
    Source: ActionCommand.cs of actions/runner.
    """
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    line = line.replace("##[", "##\\[")
    return f"\\{line}" if line.lstrip().startswith("::") else line


def _short(words: str) -> str:
    return words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"


class UserError(Exception):
    """Ends a command; the message is for its user, so that no traceback is shown."""


class ProblemsError(Exception):
    """Raised where work cannot go on; carries every problem found, in reading order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Say what would be right instead of an unknown `word`: the nearest of `known`, or all."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f'did you mean "{near[0]}"?'
    if not names:
        return "remove it"
    return f"use one of: {', '.join(names)}"
