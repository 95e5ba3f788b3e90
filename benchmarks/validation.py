"""Compare the suite `operators` with a plain loop over OpInfo: `python -m benchmarks.validation`.

Needs torch. Both compute the same samples of the same operators on the CPU and in float64, and
compare the results, with one thread. The isolated run has one worker, so that the difference is
the harness and not the number of processors. It is measured with and without the recording of
ATen operators. Imports are not counted: the worker is ready when the first case begins.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils._pytree import tree_leaves

from accelerator_validation.case import Case
from accelerator_validation.listing import list_tests
from accelerator_validation.matrix import Matrix, read_matrix
from accelerator_validation.plan import Plan, expand
from accelerator_validation.probe import ProbeResult
from accelerator_validation.request import Request
from accelerator_validation.run import begin_run
from accelerator_validation.suites.operators import seed_only_present_devices
from accelerator_validation.suites.sample_plan import choose_samples

SUITE = "operators"
AIM = 2.0
MODES = ("forward", "backward")
OPERATORS = {info.full_name: info for info in op_db}


def main() -> int:
    """Measure all three alternately; print the least seconds and their ratios."""
    arguments = _arguments()
    matrix = read_matrix(SUITE)
    plan = expand(SUITE, matrix, list_tests({SUITE: matrix})[SUITE], {"mode": MODES})
    cases = list(plan)[:: arguments.every]
    print(f"{len(cases)} operator cases, float32, forward and backward, one thread")
    torch.set_num_threads(1)
    seed_only_present_devices()  # else the plain loop would take twice as long
    plain, silent, recording = [], [], []
    for _ in range(arguments.repeat):
        plain.append(_plain(cases, matrix))
        silent.append(_isolated(cases, matrix, records=False))
        recording.append(_isolated(cases, matrix, records=True))
    print(f"plain loop in one process: {min(plain):.1f} s")
    for name, seconds in (("isolated", silent), ("isolated, recording operators", recording)):
        print(f"{name}: {min(seconds):.1f} s, {min(seconds) / min(plain):.2f} times")
    print(f"aim: at most {AIM} times without the recording")
    return 0


def _isolated(cases: Sequence[Case], matrix: Matrix, *, records: bool) -> float:
    """Return the seconds from the start of the first case to the end of the last.

    They include writing the journal and the report.
    """
    moments: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "report.json")
        request = Request("cpu", out, "cpu", workers=1, records_operators=records)
        plan = Plan(tuple(cases))
        found = ProbeResult({"torch": "as installed"})
        begin_run(
            request, {SUITE: matrix}, plan, found, lambda *_: moments.append(time.perf_counter())
        )
    return moments[-1] - moments[0]


def _plain(cases: Sequence[Case], matrix: Matrix) -> float:
    """Return the seconds of a loop that computes and compares the samples of the cases."""
    started = time.perf_counter()
    for case in cases:
        with suppress(Exception):  # what the harness reports as an outcome
            _compare(case, matrix.settings["samples"])
    return time.perf_counter() - started


def _compare(case: Case, number: int) -> None:
    backward = case["mode"] == "backward"
    torch.manual_seed(case.seed)
    made = OPERATORS[case.name].sample_inputs("cpu", torch.float32, requires_grad=backward)
    for sample in choose_samples(list(made), number):
        wide = sample.transform(_widened)
        with suppress(AssertionError, RuntimeError):
            found, wanted = (_results(case, s) for s in (sample, wide))
            torch.testing.assert_close(
                found, wanted, rtol=1e-3, atol=1e-3, equal_nan=True, check_dtype=False
            )


def _widened(value: object) -> object:
    if isinstance(value, torch.Tensor) and value.dtype is torch.float32:
        return value.detach().double().requires_grad_(value.requires_grad)
    return value


def _results(case: Case, sample: SampleInput) -> list[torch.Tensor]:
    torch.manual_seed(case.seed)
    result = OPERATORS[case.name](sample.input, *sample.args, **sample.kwargs)
    outputs = [
        v for v in tree_leaves(sample.output_process_fn_grad(result)) if isinstance(v, torch.Tensor)
    ]
    if case["mode"] == "forward":
        return outputs
    given = tree_leaves((sample.input, sample.args, sample.kwargs))
    inputs = [v for v in given if isinstance(v, torch.Tensor) and v.requires_grad]
    outputs = [v for v in outputs if v.requires_grad]
    ones = [torch.ones_like(v) for v in outputs]
    return [
        g for g in torch.autograd.grad(outputs, inputs, ones, allow_unused=True) if g is not None
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth case")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="runs of each (2)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
