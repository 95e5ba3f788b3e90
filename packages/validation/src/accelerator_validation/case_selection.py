"""Selects the tests to run: by a `-k` expression, or those that failed in an earlier report."""

from __future__ import annotations

import re
from collections.abc import Callable

from accelerator_reports.outcomes import UNSETTLED
from accelerator_reports.report import Report
from accelerator_reports.test_keys import identity_of

NameTest = Callable[[str], bool]

_TOKEN = re.compile(r"\s*(?:([()])|([^\s()]+))")


class ExpressionError(ValueError):
    """Raised if a `-k` expression is invalid; the message says why."""


def parse_expression(text: str) -> NameTest:
    """Return a function that tells whether a test id matches the expression `text`.

    An expression has words, `and`, `or`, `not` and parentheses. As in pytest's `-k`, a word matches
    any part of the id, in upper or lower case. Unlike in pytest's `-k`, a word can be
    `dtype=float32`. Raises ExpressionError if `text` is invalid.
    """
    parser = _Parser([a or b for a, b in _TOKEN.findall(text)])
    matches = parser.parse_or()
    if parser.left:
        raise ExpressionError(f'"{parser.left[0]}" is not valid at this position')
    return matches


class _Parser:
    """Parses the tokens of a `-k` expression; `left` are the tokens that remain to be parsed."""

    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens

    def parse_or(self) -> NameTest:
        parts = [self.parse_and()]
        while self._skip_token("or"):
            parts.append(self.parse_and())
        return lambda key: any(part(key) for part in parts)

    def parse_and(self) -> NameTest:
        parts = [self.parse_not()]
        while self._skip_token("and"):
            parts.append(self.parse_not())
        return lambda key: all(part(key) for part in parts)

    def parse_not(self) -> NameTest:
        if self._skip_token("not"):
            inner = self.parse_not()
            return lambda key: not inner(key)
        if self._skip_token("("):
            inner = self.parse_or()
            if not self._skip_token(")"):
                raise ExpressionError('missing ")"')
            return inner
        if not self.left or self.left[0] in {"and", "or", ")"}:
            raise ExpressionError("missing word")
        word = self.left.pop(0).lower()
        return lambda key: word in key.lower()

    def _skip_token(self, token: str) -> bool:
        is_next = bool(self.left) and self.left[0] == token
        if is_next:
            del self.left[0]
        return is_next


def failed_keys(report: Report) -> frozenset[str]:
    """Return the keys of a report's tests that failed, ended with an error, or did not run."""
    return frozenset(identity_of(t).key for t in report.tests if t.outcome in UNSETTLED)
