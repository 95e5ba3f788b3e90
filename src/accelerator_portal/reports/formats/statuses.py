"""Maps the statuses of other projects' suites to outcomes, one table for each project.

PyTorch's dynamo benchmarks (`check_accuracy` in benchmarks/dynamo/common.py), from which TorchBench
has its words:

- `pass`: the result was compared with the reference. For models on a list of non-deterministic
  ones the benchmark writes `pass` whatever it finds; the file does not say which those are.
- `pass_due_to_skip`: the result was not checked, so this is no pass. For models on a list of large
  ones nothing is even run, and the file does not say which those are: so not even "executed".
- `fail_accuracy`: the result was compared, and differs.
- `fail_to_run`: the model, compiled, stops with an error. While it is compiled or while it runs:
  the benchmark catches both in one place, so the stage is the later one, `run`.
- `eager_fail_to_run`, `eager_1st_run_fail`, `eager_2nd_run_fail`: it stops without the compiler
  already. That is an error of the device's own code, and no word about the compiler.
- `eager_two_runs_differ`: it ran twice, with two results; there is nothing to compare with.
- `model_fail_to_load`: the model did not come so far that the device could fail.
- `…_OOM`: too little memory. It says how big a card is, not how good the code is.
- `timeout`, `infra_error`: the limit, and the machine.
- `not_implemented`: the model has no such mode, for example no training.

ExecuTorch's backend suite (`TestResult` in backends/test/suite/reporting.py):

- `SUCCESS_UNDELEGATED`: the backend took no part of the model, so that it was not tested.
  ExecuTorch counts this as passed.
- `SKIPPED`: the model fails before the backend has to do anything, in eager mode or in export.
- `QUANTIZE_FAIL`, `LOWER_FAIL`, `PTE_LOAD_FAIL`, `PTE_RUN_FAIL`: an error, in that stage.
- `OUTPUT_MISMATCH_FAIL`: the result was compared, and differs.
- `UNKNOWN_FAIL`: an error; no stage is known.

The model tests of Tenstorrent's TT-XLA (`BringupStatus` in tests/utils.py), for a known failure:

- `FAILED_FE_COMPILATION`, `FAILED_TTMLIR_COMPILATION`: an error of the frontend or the compiler.
- `FAILED_RUNTIME`: an error while the model runs.
- `INCORRECT_RESULT`: the result was compared, and differs.

What stands in no table is the message of an error: `failure_texts` says what it tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from accelerator_portal.reports.failure_texts import outcome_of_text
from accelerator_portal.reports.outcomes import UNSUCCESSFUL, Outcome, Stage
from accelerator_portal.reports.texts import shortened


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """The meaning of a status for a test."""

    outcome: Outcome
    stage: Stage | None = None
    reason: str | None = None
    raw_status: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the meaning as fields of a test."""
        return {
            "outcome": self.outcome,
            "stage": self.stage,
            "reason": self.reason,
            "raw_status": self.raw_status,
        }


DYNAMO: Mapping[str, StatusMeaning] = {
    "pass": StatusMeaning("passed", "compare"),
    "pass_due_to_skip": StatusMeaning(
        "skipped", reason="The benchmark doesn't check this model and may not run it."
    ),
    "fail_accuracy": StatusMeaning("wrong-result", "compare"),
    "fail_to_run": StatusMeaning("failed", "run"),
    "eager_fail_to_run": StatusMeaning("failed", "eager"),
    "eager_1st_run_fail": StatusMeaning("failed", "eager"),
    "eager_2nd_run_fail": StatusMeaning("failed", "eager"),
    "eager_two_runs_differ": StatusMeaning(
        "executed", "eager", "Two runs without a compiler already differ, so there is no reference."
    ),
    "model_fail_to_load": StatusMeaning("test-broken", "load"),
    "eager_1st_run_OOM": StatusMeaning("out-of-memory", "eager"),
    "eager_2nd_run_OOM": StatusMeaning("out-of-memory", "eager"),
    "OOM": StatusMeaning("out-of-memory", "run"),
    "timeout": StatusMeaning("timed-out"),
    "infra_error": StatusMeaning("infrastructure-error"),
    "not_implemented": StatusMeaning("skipped", reason="The model doesn't have this mode."),
}

EXECUTORCH: Mapping[str, StatusMeaning] = {
    "SUCCESS": StatusMeaning("passed", "compare"),
    "SUCCESS_UNDELEGATED": StatusMeaning(
        "executed", "lower", "The backend executed no part of the model. Nothing ran on the device."
    ),
    "SKIPPED": StatusMeaning("skipped", reason="The model fails before the backend is used."),
    "QUANTIZE_FAIL": StatusMeaning("failed", "quantize"),
    "LOWER_FAIL": StatusMeaning("failed", "lower"),
    "PTE_LOAD_FAIL": StatusMeaning("failed", "load"),
    "PTE_RUN_FAIL": StatusMeaning("failed", "run"),
    "OUTPUT_MISMATCH_FAIL": StatusMeaning("wrong-result", "compare"),
    "UNKNOWN_FAIL": StatusMeaning("failed"),
    "PROCESS_CRASH": StatusMeaning("crashed"),
}

TT_XLA: Mapping[str, StatusMeaning] = {
    "FAILED_FE_COMPILATION": StatusMeaning("failed", "compile"),
    "FAILED_TTMLIR_COMPILATION": StatusMeaning("failed", "compile"),
    "FAILED_RUNTIME": StatusMeaning("failed", "run"),
    "INCORRECT_RESULT": StatusMeaning("wrong-result", "compare"),
}


def verdict_of(status: str) -> StatusMeaning:
    """Return the meaning of a status of the dynamo benchmarks or TorchBench.

    Any other text is the message of an error.
    """
    known = DYNAMO.get(status)
    if known is None:
        return StatusMeaning(
            _of_text(status), reason=shortened(status) or "The error has no message."
        )
    return replace(known, raw_status=status)


def executorch_verdict(status: str, error: str) -> StatusMeaning:
    """Return the meaning of ExecuTorch's `TestResult` with its error message.

    If the status is only a failure, the message can show the cause: no memory, missing
    operator. Raises KeyError for an unknown status.
    """
    known = EXECUTORCH[status]
    outcome = _of_text(error) if known.outcome == "failed" else known.outcome
    reason = shortened(error) or known.reason
    return StatusMeaning(outcome, known.stage, reason, status)


def _of_text(text: str) -> Outcome:
    outcome = outcome_of_text(text)
    return outcome if outcome in UNSUCCESSFUL else "failed"
