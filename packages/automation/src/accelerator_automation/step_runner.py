"""Runs the steps of a job in order; a failed step does not stop the others."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from accelerator_portal.http.traffic import Traffic, count_traffic
from accelerator_reports.files.problem import ProblemsError, UserError, system_error_text

NightStep = tuple[str, Callable[[], str]]
"""A step: its name, and a function that carries it out and returns the result in one line."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The name and the result of a step.

    `words` is the result in one line. If the step `failed`, `words` gives the reason. `seconds` is
    the duration of the step.
    """

    name: str
    words: str
    failed: bool = False
    seconds: float = field(default=0, compare=False)
    traffic: Traffic = field(default_factory=Traffic, compare=False)
    """The step's network traffic, without the traffic of programs that the step started."""


class StepFailed(Exception):  # noqa: N818 - the name says what the step did
    """A step could not be done; the message gives the reason."""


_EXPECTED_ERRORS = (ProblemsError, StepFailed, UserError)


def run_steps(
    steps: Sequence[NightStep], on_result: Callable[[StepResult], None]
) -> tuple[StepResult, ...]:
    """Run the steps in order and return their results; a failed step does not stop the others.

    `on_result` is called with the result of each step. If a step raises an unexpected exception,
    the step has failed, and the reason is the end of the traceback. Only an interruption, such as
    Ctrl+C, skips the remaining steps.
    """
    results = []
    for step in steps:
        start = time.monotonic()
        with count_traffic() as traffic:
            result = _run_step(step)
        result = replace(result, seconds=time.monotonic() - start, traffic=traffic)
        on_result(result)
        results.append(result)
    return tuple(results)


def _run_step(step: NightStep) -> StepResult:
    name, work = step
    try:
        return StepResult(name, work())
    except OSError as error:
        return StepResult(name, system_error_text(error), failed=True)
    except _EXPECTED_ERRORS as error:
        return StepResult(name, str(error), failed=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other steps can be done
        lines = "".join(traceback.format_exception(error)).strip().splitlines()
        return StepResult(name, " / ".join(lines[-3:]), failed=True)
