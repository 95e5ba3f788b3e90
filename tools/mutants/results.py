"""The results of a run: kept after each mutant, so that a run that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from tools.mutants.mutant import Change, room_of
from tools.mutants.trial import Outcome
from tools.mutants.workspace import State

_KILLED = {"killed", "timeout"}


@dataclass(frozen=True)
class Result:
    """One mutant and what became of it."""

    change: Change
    line: int
    outcome: Outcome
    test: str = ""
    seconds: float = 0.0
    tests: int = 0
    left_out: int = 0

    @property
    def killed(self) -> bool:
        """Whether a test failed or did not end."""
        return self.outcome in _KILLED


@dataclass(frozen=True)
class Equivalent:
    """A change that alters nothing that a reader or a caller can see, and why."""

    change: Change
    why: str


def read_equivalents(path: Path) -> list[Equivalent]:
    """The file of explained changes: what the draw leaves out."""
    return [
        Equivalent(Change(**{name: text for name, text in entry.items() if name != "why"}), why)
        for entry in yaml.safe_load(path.read_text("utf-8")) or ()
        if (why := entry["why"])
    ]


def read_results(path: Path, state: State) -> dict[Change, Result]:
    """The results that still hold: of the same package, and of tests that did not change.

    A mutant that survived may be killed by any test that is new.
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
        if not changed or (result.killed and result.test.partition("::")[0] not in changed)
    }


def write_results(path: Path, state: State, results: Iterable[Result]) -> None:
    """Keep the results; a reader of the file sees the old ones or the new ones."""
    content = {"state": asdict(state), "results": [asdict(result) for result in results]}
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(content, indent=1), encoding="utf-8")
    beside.replace(path)


def table(results: Sequence[Result]) -> Iterator[str]:
    """Lines: what was killed in each room, then every survivor."""
    if not results:
        return
    rooms = sorted({room_of(result.change.path) for result in results})
    yield f"{'room':<12} {'drawn':>5} {'killed':>6}"
    for room in rooms:
        yield _row(room, [one for one in results if room_of(one.change.path) == room])
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
