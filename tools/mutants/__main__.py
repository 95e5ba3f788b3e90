"""Run mutation tests: `make mutants`.

A mutant is a package with one small change. Draws mutants from all components with a seed, runs for
each mutant the tests that run the changed statement, and lists the mutants that no test kills. A
component is a folder of `accelerator_portal` or another package. Everything runs in copies of the
working tree.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from tools.mutants.mutant import Change, Mutant, component_of, draw
from tools.mutants.recording import (
    Recording,
    RecordingError,
    exclude_test,
    read_recording,
    record,
)
from tools.mutants.results import Result, read_equivalents, read_results, table, write_results
from tools.mutants.selection import select_tests
from tools.mutants.trial import Trials
from tools.mutants.workspace import State, copy_tree, mutated_tree, read_state

ROOT = Path(__file__).parents[2]
CACHE_FOLDER = ROOT / ".cache/mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")

# A trial takes longer than its tests did when they were recorded: it imports the package first.
_SLOWDOWN = 5.0
_LEAST_LIMIT = 60.0
_CONTROL_LIMIT = 1800.0


def main() -> int:
    """Run the mutants that the arguments select, and print the table, also after an interruption.

    Returns 130 after an interruption and 1 if the tests cannot be recorded, otherwise 0, whether or
    not mutants survive.
    """
    arguments = _arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    state = read_state(ROOT)
    mutants = _draw_mutants(arguments)
    results = read_results(CACHE_FOLDER / "results.json", state)
    try:
        status = _run(arguments, state, mutants, results)
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command to continue.")
        status = 130
    except RecordingError as error:
        print(f"The tests could not be recorded: {error}", file=sys.stderr)
        return 1
    found = [results[one.change] for one in mutants if one.change in results]
    print("\n".join(("", *table(found))))
    return status


def _run(
    arguments: argparse.Namespace,
    state: State,
    mutants: Sequence[Mutant],
    results: dict[Change, Result],
) -> int:
    """Run the mutants without a result, and add each result to `results`; return the exit status.

    Each result is written to the file at once. Raises RecordingError.
    """
    ends = time.monotonic() + arguments.minutes * 60
    for line in record(ROOT, CACHE_FOLDER / "recording", arguments.jobs):
        if time.monotonic() > ends:
            return 0
        print(line, flush=True)
    recording = read_recording(CACHE_FOLDER / "recording", state)
    if recording.failed:
        print(f"Not used, because they failed: {', '.join(recording.failed)}")
    waiting = [one for one in mutants if one.change not in results]
    print(f"{len(mutants)} mutants, {len(waiting)} of them to run", flush=True)
    for result in _run_trials(waiting, recording, arguments.jobs, ends):
        results[result.change] = result
        write_results(CACHE_FOLDER / "results.json", state, results.values())
        done = sum(one.change in results for one in mutants)
        print(_progress(done, len(mutants), result), flush=True)
    if any(one.change not in results for one in mutants):
        return 0  # there was no time for them
    for test in _failing_without_mutant({one.test for one in results.values() if "::" in one.test}):
        print(f"{test} also fails without a change. Run again to try its mutants with others.")
        exclude_test(CACHE_FOLDER / "recording", test)
        for change in [change for change, result in results.items() if result.test == test]:
            del results[change]
        write_results(CACHE_FOLDER / "results.json", state, results.values())
    return 0


def _failing_without_mutant(tests: set[str]) -> Iterator[str]:
    """Yield each of the `tests` that also fails without a mutant."""
    if not tests:
        return
    trials = Trials()
    with _tree_copies(1) as trees:
        tree = trees.get()
        while (trial := trials.run(tree, sorted(tests), _CONTROL_LIMIT)).test in tests:
            tests.discard(trial.test)
            yield trial.test


def _draw_mutants(arguments: argparse.Namespace) -> list[Mutant]:
    excluded = [entry.change for entry in read_equivalents(EQUIVALENT)]
    drawn = draw(ROOT, arguments.number, arguments.seed, excluded)
    components = set(arguments.component or ())
    return [one for one in drawn if not components or component_of(one.change.path) in components]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=200, help="mutants to draw (200)")
    parser.add_argument("--seed", default="1", help="another seed draws other mutants (1)")
    parser.add_argument(
        "--component", action="append", help="only the mutants of this component; repeatable"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="trials at once")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="stop after so long; run again to continue"
    )
    return parser.parse_args()


def _run_trials(
    mutants: Sequence[Mutant], recording: Recording, jobs: int, ends: float
) -> Iterator[Result]:
    """Yield the results of mutants as their trials end.

    No trial starts after the time `ends`. If the caller stops, all running trials are ended.
    """
    trials = Trials()
    with _tree_copies(jobs) as trees, ThreadPoolExecutor(jobs) as pool:

        def one(mutant: Mutant) -> Result | None:
            return _run_trial(mutant, recording, trials, trees) if time.monotonic() < ends else None

        waiting = [pool.submit(one, mutant) for mutant in mutants]
        try:
            for done in as_completed(waiting):
                result = done.result()
                if result:
                    yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            trials.stop()


def _run_trial(
    mutant: Mutant, recording: Recording, trials: Trials, trees: SimpleQueue[Path]
) -> Result:
    chosen = select_tests(ROOT, recording, mutant)
    tree = trees.get()
    try:
        with mutated_tree(tree, mutant):
            limit = _LEAST_LIMIT + _SLOWDOWN * chosen.seconds
            trial = trials.run(tree, chosen.tests, limit)
    finally:
        trees.put(tree)
    return Result(
        mutant.change,
        mutant.line,
        trial.outcome,
        trial.test,
        trial.seconds,
        len(chosen.tests),
        chosen.left_out,
    )


@contextmanager
def _tree_copies(number: int) -> Iterator[SimpleQueue[Path]]:
    """Yield a queue of copies of the working tree, one for each parallel trial."""
    with tempfile.TemporaryDirectory(prefix="portal-mutants-") as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for place in range(number):
            trees.put(copy_tree(ROOT, Path(folder, str(place))))
        yield trees


def _progress(done: int, all_: int, result: Result) -> str:
    where = f"{result.change.path}:{result.line}"
    return f"[{done:>3}/{all_}] {result.outcome:<11} {result.seconds:>6.1f} s  {where}"


if __name__ == "__main__":
    sys.exit(main())
