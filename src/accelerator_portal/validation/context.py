"""Defines the interface between the harness and the module of a suite."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, cast

from accelerator_portal.reports.outcomes import Stage
from accelerator_portal.validation.case import Case, Observation, Result
from accelerator_portal.validation.crash_evidence import REFERENCE, STEP
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import Offer


@dataclass
class Context:
    """Where a test runs, and its progress: `stage` and `reference` tell what an exception means."""

    device: str
    matrix: Matrix
    backend: str = ""
    """Name of the ExecuTorch backend under test; only its suites read it."""
    imports: str = ""
    """A plugin's module that a process has to import by itself; empty where torch does."""
    stage: Stage = "load"
    reference: bool = False
    metrics: dict[str, tuple[float, str]] = field(default_factory=dict)
    observation: Callable[[], Observation] | None = None
    """Computes once more and returns the ATen operators that took part. It runs after the
    verdict is sent: what happens in it says nothing of the test."""
    note: str | None = None
    """What the reason of a failure has to add: how the test differs from PyTorch's own."""

    @contextmanager
    def on_reference(self) -> Iterator[None]:
        """Mark a part that does not use the device: an exception in it is a fault of the test."""
        before, self.reference = self.reference, True
        yield
        self.reference = before  # after an exception it stays: that is what the verdict asks

    def announce(self, step: str) -> None:
        """Write into the worker's log which step begins: a crash is reported with its last step."""
        sys.stderr.write(f"{STEP}{REFERENCE if self.reference else ''}{step}\n")
        sys.stderr.flush()


class SuiteModule(Protocol):
    """What a suite's module has; both import torch themselves, when they are called."""

    def offers(self, matrix: Matrix) -> Iterator[Offer]:
        """Yield the tests that there are, without touching a device."""

    def run(self, case: Case, context: Context) -> Result:
        """Run one; an exception that it raises is judged by `classify`."""


def load_suite(matrix: Matrix) -> SuiteModule:
    """Return the module of a suite."""
    return cast("SuiteModule", importlib.import_module(matrix.module))
