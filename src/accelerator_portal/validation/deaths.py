"""From how a worker ended to what came of the case that it was at."""

from __future__ import annotations

import signal

from accelerator_portal.reports.missing_operators import missing_operator
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.validation.case import Result, brief
from accelerator_portal.validation.crash_evidence import REFERENCE, evidence, last_step


def death(code: int | None, log: str, *, alone: bool) -> Result:
    """Say what a worker's end means for its case; `alone`: nothing ran before it in the process.

    A process that dies twice while the CPU computes the reference says nothing of the device.
    """
    step = last_step(log)
    reference = step is not None and step.startswith(REFERENCE)
    outcome: Outcome = "test-broken" if reference and alone else "crashed"
    return Result(outcome, "run", _reason(code, log, step), log_tail=evidence(log) or None)


def out_of_time(limit: float, log: str) -> Result:
    """Return the result of a case whose worker was killed after so many seconds."""
    reason = f"Timed out after {limit:g} s{_at(last_step(log))}."
    kept = evidence(log) or None
    return Result("timed-out", "run", brief(reason), seconds=limit, log_tail=kept)


def _reason(code: int | None, log: str, step: str | None) -> str:
    if code is None or code >= 0:
        return brief(f"The process exited with status {code}{_at(step)}.")
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if -code == signal.SIGKILL:
        why = "the usual cause is too little memory"
        return brief(f"The process was killed by {name}{_at(step)}; {why}.")
    operator = missing_operator(log)
    return brief(
        f"The process crashed with {name}{f' in {operator}' if operator else ''}{_at(step)}."
    )


def _at(step: str | None) -> str:
    return f" at {step}" if step else ""
