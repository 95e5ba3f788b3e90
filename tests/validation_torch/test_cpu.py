"""On the CPU itself: what passes was compared, and everything wrong with a call is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.case import Case
from accelerator_validation.matrix import read_matrix
from accelerator_validation.plan import expand
from accelerator_validation.worker import Job, run_case
from tests.validation_torch.conftest import validate


@pytest.mark.slow
def test_a_few_of_each_suite_pass_and_show_their_differences(tmp_path: Path) -> None:
    words = "(add? or linear or bert or lstm or test_vit or autograd) and not training"
    suites = ["--suite=operators", "--suite=models", "--suite=integration"]
    done = validate(tmp_path, "--device=cpu", *suites, "-k", words)
    assert done.status == 0, done.said
    found = done.tests
    assert {"add", "BertForSequenceClassification", "lstm", "test_vit", "autograd"} <= set(found)
    for name in ("BertForSequenceClassification", "lstm", "test_vit"):
        assert 0 < found[name].metrics["max-abs-error"].value < 1e-3
    assert "float64" in done.report.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--suite=weak-spots", "-k", "nothing-is-called-so"], "no test is selected"),
        (["--suite=operaters"], 'did you mean "operators"?'),
        (["--suite=weak-spots", "--dtype=float31"], 'did you mean "float32"?'),
        (["--test=weak-spots/lsttm"], 'there is no test "weak-spots/lsttm"'),
        (["--device=nowhere", "--suite=weak-spots"], '"nowhere": the device cannot be used'),
        (["--device=npu", "--suite=integration"], "--import torch_npu"),
        (["--device=npu", "--suite=integration", "--import=json"], "--import torch_npu"),
        (["--device=cpu:7", "--suite=integration"], "There is no cpu:7. This machine has cpu:0"),
        (["--device=meta", "--suite=integration"], '"meta": the device cannot be used'),
    ],
)
def test_a_wrong_call_says_what_would_be_right(words: list[str], said: str, tmp_path: Path) -> None:
    done = validate(tmp_path, "--device=cpu", *words)  # the last --device counts
    assert (done.status, done.report.exists()) == (2, False)
    assert said in done.said
    assert "Traceback" not in done.said


def result(suite: str, name: str, device: str = "cpu", **parameters: str) -> tuple[str, object]:
    """Run one case in this process."""
    matrix = read_matrix(suite)
    job = Job(device, {suite: matrix}, {suite: 60}, 1)
    found = run_case(Case(suite, name, tuple(sorted(parameters.items()))), job)
    return found.outcome, found.metrics.get("max-abs-error")


def test_the_same_case_gives_the_same_numbers_whatever_ran_before() -> None:
    asked = {"dtype": "float32", "mode": "backward"}
    first = result("operators", "nn.functional.linear", **asked)
    result("operators", "rand_like", dtype="float32", mode="forward")
    assert result("operators", "nn.functional.linear", **asked) == first
    assert first[0] == "passed"


def test_every_model_of_the_libraries_can_be_planned() -> None:
    from accelerator_validation.suite_interface import load_suite

    least = {"small-diffusers": 15, "small-timm": 20, "small-transformers": 35}
    names: set[str] = set()
    for suite, number in least.items():
        matrix = read_matrix(suite)
        names = {case.name for case in expand(suite, matrix, load_suite(matrix).offers(matrix), {})}
        assert len(names) >= number
    wanted = {"LlamaForCausalLM", "MistralForCausalLM", "Qwen3ForCausalLM", "Gemma3ForCausalLM"}
    assert wanted <= names
