"""The harness against the oracle: every operator on which their verdicts differ is a failure."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from accelerator_reports.report_file import read_report
from tests.folders import REPOSITORY
from tests.validation_torch.agreement import Pair, pairs
from tests.validation_torch.oracle import questions
from tests.validation_torch.oracle_samples import DTYPE

# Each fault of the simulated device, forward and backward, beside operators that have none.
FAULTS = {
    "tanh": "missing",
    "sinh": "crash",
    "cosh": "error",
    "expm1": "exit",
    "gelu": "wrong",
    "mm": "memory",
    "sigmoid_backward": "wrong",
    "log_backward": "missing",
}
ON_PAPER = (
    *("add", "as_strided", "cosh", "empty", "expm1", "mm", "nn.functional.gelu", "randn"),
    *("sigmoid", "sinh", "softmax", "tanh", "zeros"),
)
ON_CPU = (
    *("add", "bernoulli", "cumsum", "empty", "fft.fft", "linalg.qr", "masked_fill", "max.binary"),
    *("nn.functional.conv1d", "nn.functional.dropout", "nn.functional.gelu", "randn", "sort"),
    *("split", "where"),
)
SAMPLES = 8  # as many as the suite takes
TIMEOUT_S = 60

DEVICE = os.environ.get("VALIDATION_DEVICE")
MODULE = os.environ.get("VALIDATION_IMPORT")
SOURCE = REPOSITORY / "packages/validation/src"


def compare(
    folder: Path,
    device: str,
    names: Sequence[str],
    *,
    source: Path = SOURCE,
    limit_s: float = 500,
    **environment: str,
) -> list[Pair]:
    """Run the harness and the oracle on a device; all operators where no names are given."""
    path = os.pathsep.join(filter(None, [str(source), environment.pop("site", "")]))
    variables = {**os.environ, **environment}
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))

    def run(*words: str) -> None:
        done = subprocess.run(
            [sys.executable, *words],
            env=variables,
            cwd=REPOSITORY,
            timeout=limit_s,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode in {0, 1}, done.stderr

    report, verdicts = folder / "report.json", folder / "oracle.json"
    plugin = ["--import", MODULE] if MODULE and device == DEVICE else []
    chosen = [
        f"--test=operators/{question.name}?dtype=float32&mode={question.mode}"
        for question in questions(names, device, SAMPLES)
        if names
    ] or ["--suite=operators", "--dtype=float32"]
    program = "from accelerator_reports.cli import main; main()"
    where = ["--device", device, *plugin]
    run("-c", program, "validate", *where, f"--timeout={TIMEOUT_S}", *chosen, "--out", str(report))
    oracle = ["-m", "tests.validation_torch.oracle", *where, f"--samples={SAMPLES}"]
    run(*oracle, f"--timeout={TIMEOUT_S}", "--out", str(verdicts), *names)
    return list(pairs(read_report(report), json.loads(verdicts.read_text("utf-8"))))


def disagreements(found: Sequence[Pair]) -> str:
    """Return them one a line: a failure shows the whole text."""
    return "\n".join(str(pair) for pair in found if not pair.agrees)


def faults() -> str:
    """Return the faults as the simulated device takes them."""
    return ",".join(f"{name}={fault}" for name, fault in FAULTS.items())


def test_both_say_the_same_of_a_faulty_device(site: str, tmp_path: Path) -> None:
    found = compare(tmp_path, "paper", ON_PAPER, site=site, PAPER_FAULTS=faults())
    assert disagreements(found) == ""
    assert {pair.oracle for pair in found} == {
        *("right", "wrong", "raised", "crashed", "not comparable")
    }
    verdicts = {(pair.name, pair.mode): pair.oracle for pair in found}
    assert verdicts["sigmoid", "forward"] == "right"
    assert verdicts["sigmoid", "backward"] == "wrong"


@pytest.mark.slow
def test_both_say_the_same_of_the_cpu(tmp_path: Path) -> None:
    found = compare(tmp_path, "cpu", ON_CPU)
    assert disagreements(found) == ""
    assert {pair.oracle for pair in found} == {"right", "not comparable"}


@pytest.mark.slow
def test_a_harness_that_lets_wrong_numbers_pass_is_caught(site: str, tmp_path: Path) -> None:
    """Give a copy of the harness so wide a tolerance that no number is ever wrong."""
    broken = shutil.copytree(SOURCE, tmp_path / "src")
    settings = broken / "accelerator_validation/suites/operators.yaml"
    text = settings.read_text("utf-8")
    wide = text.replace("float32: {rtol: 1.0e-3, atol: 1.0e-3}", "float32: {rtol: 1, atol: 1000}")
    assert wide != text
    settings.write_text(wide, "utf-8")
    names = ["nn.functional.gelu", "sigmoid"]
    found = compare(tmp_path, "paper", names, source=broken, site=site, PAPER_FAULTS=faults())
    said = disagreements(found)
    assert "nn.functional.gelu forward: the harness says passed, the oracle wrong" in said
    assert "sigmoid backward: the harness says passed, the oracle wrong" in said
    assert len(said.splitlines()) == len(["gelu", "sigmoid"])


@pytest.mark.slow
@pytest.mark.skipif(not DEVICE, reason="VALIDATION_DEVICE names no device")
def test_both_say_the_same_of_the_named_device(tmp_path: Path) -> None:
    assert disagreements(compare(tmp_path, DEVICE or "", (), limit_s=4 * 3600)) == ""


def test_the_oracle_asks_for_every_operator_that_has_float32() -> None:
    from torch.testing._internal.common_methods_invocations import op_db

    forward = [q.name for q in questions((), "cpu", None) if q.mode == "forward"]
    assert sorted(forward) == sorted(i.full_name for i in op_db if DTYPE in i.dtypes)


@pytest.mark.parametrize(
    ("oracle", "outcome", "agrees"),
    [
        ("right", "passed", True),
        ("right", "executed", True),
        ("right", "failed", False),
        ("wrong", "passed", False),
        ("wrong", "executed", False),
        ("crashed", "passed", False),
        ("raised", "wrong-result", False),
        ("not comparable", "passed", False),
        ("missing", "passed", False),
        ("right", "missing", False),
    ],
)
def test_what_cannot_both_be_true_is_a_disagreement(
    oracle: str,
    outcome: str,
    agrees: bool,  # noqa: FBT001 - of the table
) -> None:
    pair = Pair("add", "forward", oracle, outcome, "")
    assert pair.agrees is agrees
    assert f"the harness says {outcome}, the oracle {oracle}" in str(pair)
