"""The tests of a file, each once: faults by place, and what to do with two of one identity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.reports.gathering import Gathering
from accelerator_portal.reports.identity import Identity, identity_of
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.reports.reading import MAX_TESTS, Options, refuse
from accelerator_portal.reports.report import TestEntry
from accelerator_portal.reports.test_ids import suite_id

# Of two results the one that stands first here is kept: nothing bad is hidden.
_WORST_FIRST: tuple[Outcome, ...] = (
    "crashed",
    "wrong-result",
    "failed",
    "unsupported-operator",
    "out-of-memory",
    "timed-out",
    "infrastructure-error",
    "test-broken",
    "executed",
    "passed",
    "skipped",
    "not-run",
)
_RANK = {outcome: rank for rank, outcome in enumerate(_WORST_FIRST)}

# Devices of the machine that runs the tests of an accelerator, and of no machine at all.
_NOT_THE_ACCELERATOR = frozenset({"cpu", "meta"})


_REMEDY = "see the page of the report format"


class Entries:
    """Collects tests and faults.

    As hardware is no part of an identity, a file may hold a test twice: for the accelerator and
    for the processor beside it (the accelerator's is kept), for two cards, or as pytest writes a
    test that fails and whose clean-up fails as well (the worst is kept).
    """

    def __init__(self, path: Path) -> None:
        self._faults = Gathering(path)
        self._tests: dict[Identity, tuple[str | None, TestEntry]] = {}

    def fault(self, line: int, what: str, remedy: str) -> None:
        """Take note of what is wrong."""
        self._faults.fault(line, what, remedy)

    def invalid(self, line: int, place: str, error: ValidationError) -> None:
        """Take note of each thing that makes a record invalid."""
        for what in _faults(place, error):
            self.fault(line, what, _REMEDY)

    def add(
        self, line: int, place: str, fields: Mapping[str, Any], device: str | None = None
    ) -> None:
        """Add a test, or take note of why it cannot be one; `place` names it in a fault.

        Raises ProblemsError where a file has more tests than a report may have.
        """
        try:
            test = TestEntry.model_validate(fields)
        except ValidationError as error:
            self.invalid(line, place, error)
            return
        key = identity_of(test)
        known = self._tests.get(key)
        if known is None or _better((device, test), known):
            self._tests[key] = (device, test)
        if len(self._tests) > MAX_TESTS:
            self.fault(line, f"the file has more than {MAX_TESTS:,} tests", "split it by suite")
            self._faults.done()

    def done(self) -> tuple[TestEntry, ...]:
        """Return the tests; raises ProblemsError with every fault that was found."""
        self._faults.done()
        return tuple(test for _, test in self._tests.values())


def _better(new: tuple[str | None, TestEntry], old: tuple[str | None, TestEntry]) -> bool:
    if (new[0] in _NOT_THE_ACCELERATOR) != (old[0] in _NOT_THE_ACCELERATOR):
        return old[0] in _NOT_THE_ACCELERATOR
    return _RANK[new[1].outcome] < _RANK[old[1].outcome]


def _faults(place: str, error: ValidationError) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        named = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]
        )
        words = detail["msg"][:1].lower() + detail["msg"][1:]
        yield f"{(place + named).removeprefix('.') or 'the file'}: {words}"


def refused(path: Path, error: ValidationError) -> ProblemsError:
    """Make the error with which a reader refuses a file of which not even the outline is right."""
    return ProblemsError(Problem(path.name, 1, what, _REMEDY) for what in _faults("", error))


def said_suite(path: Path, options: Options) -> str | None:
    """Return the suite that a person named, if one did; raises ProblemsError."""
    if options.suite is not None and suite_id(options.suite) != options.suite:
        what = f'"{options.suite[:60]}" is no name of a suite'
        near = suite_id(options.suite)
        raise refuse(path, 1, what, f'write "{near}"' if near else "use lower-case letters")
    return options.suite


def with_parameters(fields: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Return a test's fields with the parameters that a person said of all tests of the file.

    Where the file says another value of a parameter, the file's counts.
    """
    own = fields.get("parameters", {})
    if not options.parameters or not isinstance(own, Mapping):
        return dict(fields)
    return {**fields, "parameters": {**options.parameters, **own}}
