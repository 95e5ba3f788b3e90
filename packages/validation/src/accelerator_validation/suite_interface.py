"""Loads a suite's module, and declares its two functions and the context of a running test."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, cast

from accelerator_reports.outcomes import Stage
from accelerator_reports.report import Tolerance
from accelerator_validation.case import Case, ObservedOperators, Result
from accelerator_validation.crash_evidence import REFERENCE_PREFIX, STEP_PREFIX
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer


@dataclass
class Context:
    """The device, settings and progress of a running test."""

    device: str
    """The device under test, for example `cuda:0`."""
    matrix: Matrix
    """The definition of the test's suite."""
    backend: str = ""
    """The names of the ExecuTorch backends under test, separated by commas. Only the suites that
    test ExecuTorch use it."""
    imports: str = ""
    """The plugin's module to import after torch; empty if torch loads the plugin by itself."""
    stage: Stage = "load"
    """The stage that the test has reached. If the test raises an exception, the report names this
    stage, but always `compare` for a MismatchError."""
    reference: bool = False
    """True while the test runs a block of `on_reference`, which does not use the device. Stays
    true if the block raises an exception."""
    metrics: dict[str, tuple[float, str]] = field(default_factory=dict)
    """The value and unit of each metric so far, by metric name."""
    inputs: str | None = None
    """What the test runs on, for example `input_ids int64[1, 512]`."""
    tolerance: Tolerance | None = None
    """The allowed difference from the reference."""
    observation: Callable[[], ObservedOperators] | None = None
    """A function that repeats the computation and returns its ATen operators, or None. It is called
    only after a test has passed. Its errors change the reason of the result, not the outcome."""
    note: str | None = None
    """A text to add to the reason if the test does not succeed, such as how the test differs from
    PyTorch's own test."""

    @contextmanager
    def on_reference(self) -> Iterator[None]:
        """Mark the code in a `with` block as a part of the test that does not use the device.

        If the block raises an exception, the outcome is `test-broken`, unless `classify_error` has
        a fixed outcome for the exception.
        """
        previous_value, self.reference = self.reference, True
        yield
        self.reference = previous_value  # not reset after an exception: `classify_error` needs it

    def announce(self, step: str) -> None:
        """Write to the worker's log that a step begins. A crash report names the last step."""
        sys.stderr.write(f"{STEP_PREFIX}{REFERENCE_PREFIX if self.reference else ''}{step}\n")
        sys.stderr.flush()


class SuiteModule(Protocol):
    """The functions of a suite's module. Importing most of these modules imports torch."""

    def offers(self, matrix: Matrix) -> Iterator[Offer]:
        """Yield the tests of the suite, without using a device."""

    def run(self, case: Case, context: Context) -> Result:
        """Run a test and return its result.

        If this function raises an exception, the result is that of `classify_error`.
        """


def load_suite(matrix: Matrix) -> SuiteModule:
    """Import and return the module that lists and runs the tests of a suite."""
    return cast("SuiteModule", importlib.import_module(matrix.module))
