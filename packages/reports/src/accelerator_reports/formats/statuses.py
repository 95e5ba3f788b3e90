"""Maps the test statuses that other projects use to outcomes, with one table for each project.

PyTorch's dynamo benchmarks (`check_accuracy` in benchmarks/dynamo/common.py), and TorchBench, which
uses the same statuses:

- `pass`: the result was compared with the reference. For models on a list of non-deterministic
  models, the benchmark always writes `pass`; the file does not state which models these are.
- `pass_due_to_skip`: the result was not checked, so this is not a pass. Models on a list of large
  models are not even run, and the file does not state which these are. The outcome is therefore
  `skipped`, not `executed`.
- `fail_accuracy`: the result was compared, and differs.
- `fail_to_run`: the compiled model stops with an error, either during compilation or while it runs.
  The benchmark catches both errors in one place, so the stage is the later one, `run`.
- `eager_fail_to_run`, `eager_1st_run_fail`, `eager_2nd_run_fail`: the model stops even without the
  compiler. This is an error of the device's own code, and says nothing about the compiler.
- `eager_two_runs_differ`: the model ran twice without the compiler, with different results, so
  there is nothing to compare with.
- `model_fail_to_load`: the model failed before it used the device.
- `…_OOM`: too little memory. This depends on the card, not on the quality of the code.
- `timeout`, `infra_error`: the time limit was reached, or the machine failed.
- `not_implemented`: the model has no such mode, for example no training.

ExecuTorch's backend suite (`TestResult` in backends/test/suite/reporting.py):

- `SUCCESS_UNDELEGATED`: the backend ran no part of the model, so the backend was not tested.
  ExecuTorch counts this as passed.
- `SKIPPED`: the model fails before the backend has to do anything, in eager mode or in export.
- `QUANTIZE_FAIL`, `LOWER_FAIL`, `PTE_LOAD_FAIL`, `PTE_RUN_FAIL`: an error, in that stage.
- `OUTPUT_MISMATCH_FAIL`: the result was compared, and differs.
- `UNKNOWN_FAIL`: an error; no stage is known.

The model tests of Tenstorrent's TT-XLA (`BringupStatus` in tests/utils.py), for a known failure:

- `FAILED_FE_COMPILATION`, `FAILED_TTMLIR_COMPILATION`: an error of the frontend or the compiler.
- `FAILED_RUNTIME`: an error while the model runs.
- `INCORRECT_RESULT`: the result was compared, and differs.

A text that is in no table is an error message, which `failure_texts` classifies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from accelerator_reports.failure_texts import outcome_of_text
from accelerator_reports.outcomes import UNSUCCESSFUL, Outcome, Stage
from accelerator_reports.shortened_text import shortened_text


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """The outcome, stage and reason that a status of another project stands for.

    `raw_status` is the status itself, for example `fail_accuracy`. It is None in the tables of this
    module, whose keys are the statuses.
    """

    outcome: Outcome
    stage: Stage | None = None
    reason: str | None = None
    raw_status: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the outcome, stage, reason and raw status as fields of a `TestEntry`, by name."""
        return asdict(self)


DYNAMO: Mapping[str, StatusMeaning] = {
    "pass": StatusMeaning("passed", "compare"),
    "pass_due_to_skip": StatusMeaning(
        "skipped", reason="The benchmark doesn't check this model and may not run it."
    ),
    "fail_accuracy": StatusMeaning("wrong-result", "compare"),
    "fail_batch_invariance": StatusMeaning("wrong-result", "compare"),
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


MEASURED = StatusMeaning(
    "executed", "run", "The test was measured, but its result was not checked."
)
"""What a figure means if the file states nothing about the correctness of the result."""

# The benchmarks append the size of the batch at which a check failed.
_BATCH_SIZE = re.compile(r"(?<=\Afail_)(\w+?)_at_(?:batch_)?\d+\Z")


def dynamo_meaning(status: str) -> StatusMeaning:
    """Return the meaning of a status of the dynamo benchmarks or TorchBench.

    An unknown status is treated as an error message: it becomes the reason of a failure.
    """
    meaning = DYNAMO.get(_BATCH_SIZE.sub(r"\1", status))
    if meaning is None:
        return StatusMeaning(
            _failure_outcome(status), reason=shortened_text(status) or "The error has no message."
        )
    return replace(meaning, raw_status=status)


def executorch_meaning(status: str, error: str) -> StatusMeaning:
    """Return the meaning of a test's status, a name in ExecuTorch's `TestResult`.

    `error` is the test's error message. If the status only says that the test failed, the message
    decides the outcome, for example out-of-memory. Raises KeyError for an unknown status.
    """
    meaning = EXECUTORCH[status]
    outcome = _failure_outcome(error) if meaning.outcome == "failed" else meaning.outcome
    reason = shortened_text(error) or meaning.reason
    return StatusMeaning(outcome, meaning.stage, reason, status)


def _failure_outcome(text: str) -> Outcome:
    outcome = outcome_of_text(text)
    return outcome if outcome in UNSUCCESSFUL else "failed"
