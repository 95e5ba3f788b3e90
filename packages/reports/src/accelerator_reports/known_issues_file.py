"""Models `known-issues.yaml`: tests to skip, or to run and expect to fail, until a date."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Literal

from accelerator_reports.files.fields import Day, Line, StrictModel, Url, exactly_one_of

_LITERAL_BRACKET = re.compile(r"\[(?![*?]\])")


class KnownFailure(StrictModel):
    """A known issue: tests to skip, or to run and expect to fail, until a date."""

    test: Line | None = None
    """Key of a test: `suite/name?dtype=float32`. The issue applies to all values of parameters that
    the key does not name."""
    glob: Line | None = None
    """Pattern for the keys of several tests, for example `operators/fft*`: `*` stands for any text
    and `?` for any one character; `[*]` and `[?]` stand for the character. Use this key instead of
    `test`."""
    action: Literal["skip", "expect"]
    """`skip`: the test is not run. `expect`: the test is run and its failure is expected."""
    reason: Line
    """Why the test fails or must not run."""
    url: Url
    """The address of the issue that tracks the failure."""
    expires: Day
    """Date from which the known issue no longer applies."""

    _check_one_key = exactly_one_of("test", "glob")


class KnownIssues(StrictModel):
    """The known issues of one platform.

    `accelerator-portal validate` uses them as its skip list.
    """

    issues: tuple[KnownFailure, ...]
    """The known issues."""


def matches_key_pattern(pattern: str, key: str) -> bool:
    """Return whether a test key matches a pattern such as `KnownFailure.glob`.

    `*` stands for any text, `?` for any one character, and `[*]` and `[?]` for these two signs.
    Other brackets stand for themselves, because names of pytest tests contain them.
    """
    return fnmatchcase(key, _LITERAL_BRACKET.sub("[[]", pattern))
