"""Creates the heading of a run's journal: facts about the whole run, which its report repeats."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping
from typing import Any

from accelerator_reports.environment import device_type
from accelerator_reports.files.clock import utc_now
from accelerator_reports.files.wording import count
from accelerator_reports.shortened_text import MAX_TEXT_LENGTH
from accelerator_validation.executorch.registry import DEFAULT_BACKEND
from accelerator_validation.journal import suite_options
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Plan
from accelerator_validation.platform_folder import settings_sentences
from accelerator_validation.probe import ProbeResult
from accelerator_validation.pytorch_tests.checkout import checkout_mismatch
from accelerator_validation.pytorch_tests.source import PYTORCH_SUITE
from accelerator_validation.request import SUITE_FAMILIES, TORCHBENCH, Request

ON_CPU = (
    "The CPU is tested against itself: results are compared with the same computation in float64. "
    "A test passes only if both agree."
)
ON_DEVICE = (
    "Results are compared with the same computation on the CPU, in the same data type. In "
    "tests of operators and models, TF32 and HF32 are off."
)
IN_EXECUTORCH = (
    "ExecuTorch programs are compared with the PyTorch model on the CPU, quantized programs with "
    "the quantized model. A program passes only if the backend executed a part of it. The recipe "
    "portable uses no backend."
)
SPEEDS = (
    "Speeds are medians with a 95% confidence interval. No other test uses the device during a "
    "measurement. If the repeats differ too much, no speed is published. PyTorch's settings are "
    "the defaults; convolutions in float32 then use TF32 on some devices."
)
OWN_TESTS = "PyTorch's own tests and pytest suites use their own assertions."

# The most characters for the paths of test files in a command; a report limits the whole command.
_MAX_PATHS_CHARS = MAX_TEXT_LENGTH // 2


def heading(
    request: Request, matrices: Mapping[str, Matrix], plan: Plan, probed: ProbeResult
) -> dict[str, Any]:
    """Return the heading of a run: device, environment, suites and other facts for its report."""
    counts = plan.counts()
    return {
        "accelerator": request.accelerator,
        "device": request.device,
        "kind": request.kind,
        "trigger": request.trigger,
        "level": request.level,
        "started": utc_now().replace(microsecond=0).isoformat(),
        "environment": {
            **{k: v for k, v in probed.environment.items() if v is not None},
            "locks": {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in request.locks},
        },
        "run_url": request.run_url,
        "aten": probed.aten,
        "note": _note(request, matrices, probed),
        "hw_classifications": dict(plan.hw_classifications),
        **({"shard": plan.shard.model_dump(exclude_none=True)} if plan.shard else {}),
        "suites": [
            {
                "name": name,
                "kind": matrix.kind,
                "planned": counts[name],
                **({"level": matrix.level} if matrix.level else {}),
                "command": _suite_command(request, name, matrix),
            }
            for name, matrix in matrices.items()
            if counts[name]
        ],
        **{
            name: {key: {"reason": i.reason, "url": str(i.url)} for key, i in issues.items()}
            for name, issues in (("skipped", plan.skipped), ("expected", plan.expected))
        },
    }


def _note(request: Request, matrices: Mapping[str, Matrix], probed: ProbeResult) -> str:
    workers, threads = count(request.workers, "worker"), count(request.threads, "thread")
    names, executorch_suites = set(matrices), set(SUITE_FAMILIES["executorch"])
    own_verdict_suites = {name for name, matrix in matrices.items() if matrix.own_verdict}
    speed_suites = {name for name, matrix in matrices.items() if matrix.kind == "speed"}
    on_cpu = device_type(request.device) == "cpu"
    sentences = [
        (
            names - executorch_suites - own_verdict_suites - speed_suites,
            ON_CPU if on_cpu else ON_DEVICE,
        ),
        (names & executorch_suites, IN_EXECUTORCH),
        (own_verdict_suites, OWN_TESTS),
        (speed_suites, SPEEDS),
    ]
    note_parts = [f"Run with accelerator-portal validate, {workers} with {threads} each."]
    note_parts += [sentence for suites, sentence in sentences if suites]
    if TORCHBENCH in matrices and (checkout_facts := matrices[TORCHBENCH].given):
        commit = checkout_facts.get("commit")
        note_parts.append(f"TorchBench: {f'commit {commit}' if commit else 'unknown commit'}.")
    if PYTORCH_SUITE in matrices and (checkout_facts := matrices[PYTORCH_SUITE].given):
        commit, version = checkout_facts.get("commit"), checkout_facts.get("version")
        version_text = f"commit {commit}" if commit else f"version {version or 'unknown'}"
        note_parts.append(f"PyTorch's tests: {version_text}.")
        if mismatch := checkout_mismatch(checkout_facts, probed.environment):
            note_parts.append(f"Warning: {mismatch}.")
    max_chars = MAX_TEXT_LENGTH - len(" ".join(note_parts))
    return " ".join([*note_parts, *settings_sentences(request.settings, matrices, max_chars)])


def _suite_command(request: Request, suite: str, matrix: Matrix) -> str:
    """Return the command that runs a suite again.

    For the suite `pytorch-tests`, the command also names the test files, or has the placeholder
    `FILES` if their names are too long for a report.
    """
    paths = ",".join(file.path for file in matrix.files)
    paths = paths if len(paths) <= _MAX_PATHS_CHARS else "FILES"
    file_options = ["--pytorch-files", paths] if suite == PYTORCH_SUITE else []
    only_options = [f"--only={name}={','.join(values)}" for name, values in request.only.items()]
    command = ["accelerator-portal", "validate", "--device", request.device, "--suite", suite]
    return shlex.join(
        [*command, *only_options, *repeat_options(request), *suite_options(suite), *file_options]
    )


def repeat_options(request: Request) -> list[str]:
    """Return the options with which a command repeats the same tests: `["--import", "torch_foo"]`.

    Device, suites and parameters are not among them.
    """
    imports = ["--import", request.imports] if request.imports else []
    backend = ["--backend", request.backend] if request.backend != DEFAULT_BACKEND else []
    level = ["--level", request.level] if request.level != "quick" else []
    return [*imports, *backend, *level]
