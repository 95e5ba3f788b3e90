"""Stores the results of a run after each mutant, so that an interrupted run can continue."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from tools.mutants.mutant import Change, component_of
from tools.mutants.trial import Outcome
from tools.mutants.workspace import State

_KILLED = {"killed", "timeout"}


@dataclass(frozen=True)
class Result:
    """The result of a mutant.

    `test` is the test that killed it. `tests` is the number of tests that were chosen, and
    `left_out` the number of tests that run the statement but were not chosen.
    """

    change: Change
    line: int
    outcome: Outcome
    test: str = ""
    seconds: float = 0.0
    tests: int = 0
    left_out: int = 0

    @property
    def killed(self) -> bool:
        """Whether a test failed or exceeded the time limit."""
        return self.outcome in _KILLED


@dataclass(frozen=True)
class Equivalent:
    """A change without an effect that a reader or a caller can see, and the reason."""

    change: Change
    why: str


def read_equivalents(path: Path) -> list[Equivalent]:
    """Return the changes in a file such as `equivalent.yaml`; these are not drawn."""
    return [
        Equivalent(Change(**{name: text for name, text in entry.items() if name != "why"}), why)
        for entry in yaml.safe_load(path.read_text("utf-8")) or ()
        if (why := entry["why"])
    ]


def read_results(path: Path, state: State) -> dict[Change, Result]:
    """Return the stored results that are still valid, by change.

    If the package has changed, no result is valid. If any test file is new or has changed,
    survivors are not valid, because a new test may kill them. Killed mutants stay valid if the test
    that killed them is in an unchanged file.
    """
    if not path.exists():
        return {}
    kept = json.loads(path.read_text("utf-8"))
    earlier = State(**kept["state"])
    if earlier.package != state.package:
        return {}
    changed = set(state.changed(earlier))
    read = (Result(**{**one, "change": Change(**one["change"])}) for one in kept["results"])
    return {
        result.change: result
        for result in read
        if state.has_file(result.test)
        and (not changed or (result.killed and result.test.partition("::")[0] not in changed))
    }


def write_results(path: Path, state: State, results: Iterable[Result]) -> None:
    """Write the results atomically: a reader of the file sees all old or all new results."""
    content = {"state": asdict(state), "results": [asdict(result) for result in results]}
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(content, indent=1), encoding="utf-8")
    beside.replace(path)


def table(results: Sequence[Result]) -> Iterator[str]:
    """Yield lines: the numbers of drawn and killed mutants by component, then every survivor."""
    if not results:
        return
    components = sorted({component_of(result.change.path) for result in results})
    yield f"{'component':<12} {'drawn':>5} {'killed':>6}"
    for component in components:
        yield _row(
            component, [one for one in results if component_of(one.change.path) == component]
        )
    yield _row("all", results)
    survivors = [one for one in results if not one.killed]
    for result in sorted(survivors, key=lambda one: (one.change.path, one.line)):
        yield ""
        yield from _survivor(result)


def _row(name: str, results: Sequence[Result]) -> str:
    killed = sum(result.killed for result in results)
    return f"{name:<12} {len(results):>5} {killed:>6}  {killed / len(results):.0%}"


def _survivor(result: Result) -> Iterator[str]:
    change = result.change
    ran = f"{result.outcome}; {result.tests} tests"
    left_out = f", {result.left_out} more left out" if result.left_out else ""
    yield f"{change.path}:{result.line} {change.function or '(at import)'} ({ran}{left_out})"
    yield f"  - {change.before}"
    yield f"  + {change.after}"
