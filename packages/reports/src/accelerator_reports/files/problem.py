"""Describes a mistake in a contributed file as a Problem, with its place and the fix."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pydantic import ValidationError

MAX_TEXT_LENGTH = 500

Severity = Literal["error", "warning"]
"""An error blocks a change; a warning is only printed."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix that is certain: replace `old` with `new` in the line of the problem."""

    old: str
    new: str


@dataclass(frozen=True, order=True, slots=True)
class Problem:
    """A problem that a person can fix.

    `path` is relative to the repository and uses forward slashes. `line` counts from 1, and is 1
    for a problem of the whole file. `what` says what is wrong, `remedy` is the fix in words, and
    `fix` a fix that a command can apply. `rule` is the id of the rule that found the problem, or
    `format` if reading the file found it. `record` is the name of the model for the part of the
    file that has the problem: `Option` for an install option. `record` is empty for a problem of
    the whole file.
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
        """The problem and the fix, in one line."""
        return printable(f"{_shorten(self.what)}; {_shorten(self.remedy)}")

    def __str__(self) -> str:
        """Return the place, the problem and the fix, in one line."""
        return f"{printable(self.path)}:{self.line}: {self.words}"


def printable(text: str) -> str:
    """Return text as one line without effects on a terminal or a log.

    Control characters are escaped, and so are commands to GitHub's runner: `::` at the beginning of
    the text, and `##[` anywhere in the text. Source: ActionCommand.cs of actions/runner.
    """
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    line = line.replace("##[", "##\\[")
    return f"\\{line}" if line.lstrip().startswith("::") else line


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}…"


class UserError(Exception):
    """An error that ends a command; the user sees its message without a traceback."""


class ProblemsError(Exception):
    """Raised if work cannot continue because of `problems`, which are sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))

    def at(self, path: str) -> ProblemsError:
        """Return the same error with `path` as the path of all problems."""
        return ProblemsError(replace(problem, path=path) for problem in self.problems)


def system_error_text(error: OSError) -> str:
    """Return what the system refused, for which file, and the fix."""
    path = error.filename2 or error.filename
    prefix = f"{path} cannot be read or written: " if path else ""
    is_of_disk = path or error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}
    remedy = "Check the path, its permissions and the free space" if is_of_disk else "Try again"
    return f"{prefix}{error.strerror or error}. {remedy}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the fix for an unknown word: the most similar known word, or all known words.

    If `known` is empty, the fix is to remove the word.
    """
    names = sorted(known)
    similar_names = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if similar_names:
        return f'did you mean "{similar_names[0]}"?'
    if not names:
        return "remove it"
    return f"use one of: {', '.join(names)}"


def first_error_text(error: ValidationError) -> str:
    """Return the place and the message of the first error that pydantic found."""
    detail = error.errors(include_url=False, include_input=False)[0]
    field_path = ".".join(map(str, detail["loc"]))
    return f"{field_path}: {detail['msg']}" if field_path else detail["msg"]
