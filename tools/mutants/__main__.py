"""Change the package in small ways and see whether a test notices: `make mutants`.

Draws mutants over all rooms with a seed, runs for each one the tests that run the changed
statement, and lists those that no test notices. All of it happens in copies of the working tree.
"""

from __future__ import annotations

import argparse
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

from tools.mutants.mutant import Change, Mutant, draw
from tools.mutants.recording import Recording, read_recording, record
from tools.mutants.results import (
    Result,
    read_equivalents,
    read_results,
    table,
    write_results,
)
from tools.mutants.selection import select
from tools.mutants.trial import Trials
from tools.mutants.workspace import copy_tree, digest, mutated

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".cache/mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")

# A trial takes longer than its tests did when they were recorded: it imports the package first.
_SLOWER = 5.0
_LEAST_LIMIT = 60.0


def main() -> int:
    """Run what the arguments ask for; print the table, also of a run that was stopped."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    recording = _recording(arguments.jobs)
    if recording is None:
        return 1
    if recording.failed:
        print(f"Not used, because they failed: {', '.join(recording.failed)}")
    excluded = [entry.change for entry in read_equivalents(EQUIVALENT)]
    mutants = draw(ROOT, arguments.number, arguments.seed, excluded)
    run = f"{arguments.seed} {digest(ROOT)}"
    results = read_results(KEPT / "results.json", run)
    waiting = [one for one in mutants if one.change not in results]
    print(f"{len(mutants)} mutants, {len(waiting)} of them to run")
    status = 0
    try:
        for result in _run(waiting, recording, arguments.jobs, arguments.minutes):
            results[result.change] = result
            write_results(KEPT / "results.json", run, results.values())
            print(_progress(len(results), len(mutants), result), flush=True)
    except KeyboardInterrupt:
        print("\nInterrupted; the same command continues.")
        status = 130
    drawn = [results[one.change] for one in mutants if one.change in results]
    if drawn:
        print("\n".join(("", *table(drawn))))
    return status


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=200, help="mutants to draw (200)")
    parser.add_argument("--seed", default="1", help="another seed draws other mutants (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="trials at once")
    parser.add_argument("--minutes", type=float, help="stop after so long; run again to continue")
    return parser.parse_args()


def _recording(jobs: int) -> Recording | None:
    """The recording of the tests as they are, made anew if they or the package changed."""
    kept, mark = KEPT / "recording", KEPT / "recording" / "digest"
    now = digest(ROOT)
    if not mark.exists() or mark.read_text("utf-8") != now:
        print("Recording which tests run which lines…", flush=True)
        if record(ROOT, kept, jobs) not in {0, 1}:
            print("The tests could not be run.", file=sys.stderr)
            return None
        mark.write_text(now, encoding="utf-8")
    return read_recording(kept)


def _run(
    mutants: Sequence[Mutant], recording: Recording, jobs: int, minutes: float | None
) -> Iterator[Result]:
    """Yield results as they come; stop what is running when the caller does not want more."""
    ends = time.monotonic() + minutes * 60 if minutes else float("inf")
    trials = Trials()
    with _trees(jobs) as trees, ThreadPoolExecutor(jobs) as pool:

        def one(mutant: Mutant) -> Result | None:
            return _result(mutant, recording, trials, trees) if time.monotonic() < ends else None

        waiting = [pool.submit(one, mutant) for mutant in mutants]
        try:
            for done in as_completed(waiting):
                result = done.result()
                if result:
                    yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            trials.stop()


def _result(
    mutant: Mutant, recording: Recording, trials: Trials, trees: SimpleQueue[Path]
) -> Result:
    chosen = select(ROOT, recording, mutant)
    tree = trees.get()
    try:
        with mutated(tree, mutant):
            limit = _LEAST_LIMIT + _SLOWER * chosen.seconds
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
def _trees(number: int) -> Iterator[SimpleQueue[Path]]:
    """Copies of the working tree, for as many trials at once."""
    with tempfile.TemporaryDirectory(prefix="portal-mutants-") as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for place in range(number):
            trees.put(copy_tree(ROOT, Path(folder, str(place))))
        yield trees


def _progress(done: int, all_: int, result: Result) -> str:
    change: Change = result.change
    where = f"{change.path}:{result.line}"
    return f"[{done:>3}/{all_}] {result.outcome:<11} {result.seconds:>6.1f} s  {where}"


if __name__ == "__main__":
    sys.exit(main())
