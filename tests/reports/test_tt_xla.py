from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.tt_xla import read_tt_xla
from tests.reports.format_file import FormatFile

# The structure is that of TT-XLA's files; the models are made up.
CONFIG = """\
# A comment
test_config:
  a/pytorch-Base-single_device-inference:
    status: EXPECTED_PASSING
    required_pcc: 0.98
  b/pytorch-single_device-inference:
    status: EXPECTED_PASSING
    assert_pcc: false
  c/pytorch-tensor_parallel-training:
    status: KNOWN_FAILURE_XFAIL
    bringup_status: INCORRECT_RESULT
    reason: "PCC 0.1"
    supported_archs: [n300-llmbox]
  d/pytorch-single_device-inference:
    status: EXPECTED_PASSING
    arch_overrides:
      p150: {status: KNOWN_FAILURE_XFAIL, bringup_status: FAILED_TTMLIR_COMPILATION, reason: "no"}
  e/pytorch-single_device-inference:
    status: EXPECTED_PASSING
    supported_archs: [n150]
    arch_overrides:
      p150: {status: KNOWN_FAILURE_XFAIL}
  f/pytorch-single_device-inference: {status: NOT_SUPPORTED_SKIP}
  g/pytorch-single_device-inference: {status: EXCLUDE_MODEL}
  h/pytorch-single_device-inference: {required_pcc: 0.9}
  i/pytorch-single_device-inference: {status: KNOWN_FAILURE_XFAIL}
  j/pytorch-single_device-training: {status: NOT_SUPPORTED_SKIP, reason: "crash"}
  k/pytorch-single_device-training:
    status: KNOWN_FAILURE_XFAIL
    reason: "no"
    arch_overrides:
      n150: {status: NOT_SUPPORTED_SKIP}
      p150: {required_pcc: 0.9}
  l/pytorch-single_device-training:
    status: expected_passing
    bringup_status: INCORRECT_RESULT
    required_pcc: 0.96
    reason: "PCC 0.98"
  m/pytorch-seq_1-tensor_parallel-mesh_2x4-inference: {status: known_failure_xfail,
    bringup_status: incorrect_result}
"""


FILE = FormatFile("models.yaml", read_tt_xla)


def test_the_worst_expectation_of_the_boards_on_which_a_model_runs(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, CONFIG)
    assert detect_format(tmp_path / FILE.name) == "tt-xla"
    assert [(t.name, t.outcome, t.stage, t.raw_status, t.reason) for t in found.tests] == [
        ("a/pytorch-Base", "passed", "compare", "EXPECTED_PASSING", None),
        ("b/pytorch", "executed", "run", "EXPECTED_PASSING",
         "TT-XLA runs the model and accepts any result."),
        ("c/pytorch", "wrong-result", "compare", "INCORRECT_RESULT", "n300-llmbox: PCC 0.1"),
        ("d/pytorch", "failed", "compile", "FAILED_TTMLIR_COMPILATION", "p150: no"),
        ("e/pytorch", "passed", "compare", "EXPECTED_PASSING", None),
        ("f/pytorch", "skipped", None, "NOT_SUPPORTED_SKIP", "The file states no reason."),
        ("i/pytorch", "failed", None, "KNOWN_FAILURE_XFAIL", None),
        ("j/pytorch", "skipped", None, "NOT_SUPPORTED_SKIP", "crash"),
        ("k/pytorch", "failed", None, "KNOWN_FAILURE_XFAIL", "p150: no"),
        ("l/pytorch", "passed", "compare", "EXPECTED_PASSING",
         "TT-XLA calls the result incorrect, but accepts a PCC of 0.96. PCC 0.98"),
        ("m/pytorch-seq_1", "wrong-result", "compare", "INCORRECT_RESULT", None),
    ]  # fmt: skip
    assert found.entries == {
        "taken": 11, "with the status EXCLUDE_MODEL": 1, "with the status UNSPECIFIED": 1
    }  # fmt: skip
    assert found.tests[2].parameters == {"parallelism": "tensor_parallel", "mode": "training"}
    assert found.tests[-1].parameters["mesh"] == "2x4"
    assert [(suite.name, suite.kind) for suite in found.suites] == [("tt-forge-models", "model")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("test_config:\n  a: {}\n", 'models.yaml:2: "a" does not end in a parallelism and a mode'),
        ("test_config:\n  x-single_device-inference:\n    status: FINE\n", "models.yaml:2: x-"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (problem,) = FILE.problems(tmp_path, text)
    assert words in problem
