"""Compare the operator suite in a worker with a plain loop: `python -m benchmarks.validation`.

Needs torch. Both run the same cases in the same order with one thread. The isolated run has one
worker, so that the difference is the isolation and not the number of processors. Imports are not
counted: the worker is ready when the first case begins.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from accelerator_validation.case import Case
from accelerator_validation.listing import list_tests
from accelerator_validation.matrix import Matrix, read_matrix
from accelerator_validation.plan import Plan, expand
from accelerator_validation.probe import ProbeResult
from accelerator_validation.request import Request
from accelerator_validation.run import begin_run
from accelerator_validation.worker import Job, run_case
from benchmarks.measure import peak_memory

SUITE = "operators"
AIM = 1.5


def main() -> int:
    """Measure both alternately; print the least seconds, their ratio and the peak memory."""
    arguments = _arguments()
    matrix = read_matrix(SUITE)
    cases = list(expand(SUITE, matrix, list_tests({SUITE: matrix})[SUITE], {}))[:: arguments.every]
    print(f"{len(cases)} operator cases, float32, forward and backward, one thread")
    apart, bare = [], []
    for _ in range(arguments.repeat):
        apart.append(_isolated(cases, matrix))
        bare.append(_bare(cases, matrix))
    best = min(apart) / min(bare)
    print(f"bare loop in one process: {min(bare):.1f} s")
    print(f"isolated, one worker:     {min(apart):.1f} s")
    print(f"ratio:                    {best:.2f}  (aim: at most {AIM})")
    print(f"peak memory of this process with the bare loop: {_peak(resource.RUSAGE_SELF)} MiB")
    print(f"largest other process: {_peak(resource.RUSAGE_CHILDREN)} MiB")
    return 0


def _isolated(cases: Sequence[Case], matrix: Matrix) -> float:
    """Return the seconds from the start of the first case to the end of the last.

    They include writing the journal and the report.
    """
    moments: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        request = Request("cpu", Path(folder, "report.json"), "cpu", workers=1)
        plan = Plan(tuple(cases))
        found = ProbeResult({"torch": "as installed"})
        begin_run(
            request, {SUITE: matrix}, plan, found, lambda *_: moments.append(time.perf_counter())
        )
    return moments[-1] - moments[0]


def _bare(cases: Sequence[Case], matrix: Matrix) -> float:
    """Return the seconds of the same cases, one after the other in this process."""
    job = Job("cpu", {SUITE: matrix}, {SUITE: matrix.timeout_s}, 1)
    run_case(cases[0], job)  # the imports
    started = time.perf_counter()
    for case in cases:
        run_case(case, job)
    return time.perf_counter() - started


def _peak(whose: int) -> int:
    return round(peak_memory(resource.getrusage(whose)) / 2**20)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth case")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="runs of each (2)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
