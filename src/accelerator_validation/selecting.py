"""Selects tests by `-k` expressions, or by their failures in another report."""

from __future__ import annotations

import re
from collections.abc import Callable

from accelerator_portal.reports.identity import identity_of
from accelerator_portal.reports.outcomes import UNSETTLED
from accelerator_portal.reports.report import Report

NameTest = Callable[[str], bool]

_TOKEN = re.compile(r"\s*(?:([()])|([^\s()]+))")


class ExpressionError(ValueError):
    """Raised if a `-k` expression is invalid; the message says why."""


def expression(text: str) -> NameTest:
    """Return a function that tells whether a test id matches an expression.

    The expression has words, `and`, `or`, `not` and parentheses. Like in pytest's `-k`, a word
    matches any part of the id, in any case. pytest's own parser is private and does not allow words
    such as "dtype=float32", which ids contain. Raises ExpressionError if `text` is invalid.
    """
    parser = _Parser([a or b for a, b in _TOKEN.findall(text)])
    found = parser.either()
    if parser.left:
        raise ExpressionError(f'"{parser.left[0]}" is not valid at this position')
    return found


class _Parser:
    """Parses the tokens of a `-k` expression; `left` are the tokens that are not parsed yet."""

    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens

    def either(self) -> NameTest:
        parts = [self.both()]
        while self._next("or"):
            parts.append(self.both())
        return lambda key: any(part(key) for part in parts)

    def both(self) -> NameTest:
        parts = [self.negated()]
        while self._next("and"):
            parts.append(self.negated())
        return lambda key: all(part(key) for part in parts)

    def negated(self) -> NameTest:
        if self._next("not"):
            inner = self.negated()
            return lambda key: not inner(key)
        if self._next("("):
            inner = self.either()
            if not self._next(")"):
                raise ExpressionError('missing ")"')
            return inner
        if not self.left or self.left[0] in {"and", "or", ")"}:
            raise ExpressionError("missing word")
        word = self.left.pop(0).lower()
        return lambda key: word in key.lower()

    def _next(self, token: str) -> bool:
        found = bool(self.left) and self.left[0] == token
        if found:
            del self.left[0]
        return found


def failed_in(report: Report) -> frozenset[str]:
    """Return the keys of a report's tests that failed, ended with an error, or did not run."""
    return frozenset(identity_of(t).key for t in report.tests if t.outcome in UNSETTLED)
