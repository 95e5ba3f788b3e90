"""A device that fails on request: what each of its faults is called, and that no two look alike."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from accelerator_reports.report import Component
from tests.validation_torch.conftest import Done, validate, validate_once
from tests.validation_torch.installing import install_double

# Of an operator's test: the fault of the ATen operator beneath it, and what must be said.
_SAID = {
    "add": ("", "passed", ""),
    "tanh": ("tanh=missing", "unsupported-operator", "aten::tanh is missing"),
    "nn.functional.gelu": ("gelu=wrong", "wrong-result", "not close"),
    "sinh": ("sinh=crash", "crashed", "SIGSEGV"),
    "erf": ("erf=hang", "timed-out", "Timed out after 12 s"),
    "mm": ("mm=memory", "out-of-memory", "Tried to allocate 2.00 GiB"),
    "expm1": ("expm1=exit", "crashed", "status 3"),
    "cosh": ("cosh=error", "failed", "PAPER_STATUS_EXECUTION_FAILED"),
    "atan": ("atan=model", "failed", "NotImplementedError"),
    "randn": ("", "executed", "random numbers"),
    "empty": ("", "executed", "uninitialized memory"),
    "zeros": ("", "passed", ""),
    # Nothing passes or fails for a reason of the harness.
    "exp": ("exp=at-home", "wrong-result", "the result of sample 1 is on cpu, not on paper"),
    "bernoulli": (
        "bernoulli=at-home",
        "wrong-result",
        "the result of sample 1 is on cpu, not on paper",
    ),
    "multinomial": (
        "multinomial=double",
        "wrong-result",
        "has torch.float64, the reference has torch.int64",
    ),
    "new_empty_strided": ("new_empty_strided=contiguous", "wrong-result", "has the strides"),
    "asinh": ("asinh=crash-plain", "crashed", "SIGSEGV at sample 1: float32[20, 20]"),
    "acosh": (
        "acosh=crash-observed",
        "passed",
        "could not be recorded: The process crashed with SIGSEGV at the recording of operators",
    ),
    # Samples need no operator of the device that draws numbers.
    "acos": ("uniform_=missing,random_=crash", "passed", ""),
    "asin": ("", "passed", ""),
    "tensor_split": ("", "passed", ""),
    "index_put": ("", "passed", ""),
    "as_strided.partial_views": ("", "passed", ""),
    "to": ("", "passed", ""),
    "nn.functional.conv2d": (
        "convolution=overrideable",
        "unsupported-operator",
        "aten::convolution_overrideable is missing",
    ),
}
INPUTS = "operator-inputs"
SAID = {
    **{f"operators/{name}?dtype=float32&mode=forward": case for name, case in _SAID.items()},
    "operators/narrow?dtype=float32&mode=backward": ("", "passed", ""),
    f"{INPUTS}/log1p?dtype=float32&inputs=drawn": (
        "log1p=at-home",
        "wrong-result",
        "is on cpu, not on paper",
    ),
    f"{INPUTS}/nn.functional.gelu?dtype=float32&inputs=drawn": (
        "",
        "wrong-result",
        "the result of input 1, (",
    ),
    # The value is empty that could be wrong.
    f"{INPUTS}/nn.functional.gelu?dtype=float32&inputs=empty": ("", "passed", ""),
    f"{INPUTS}/sin?dtype=float32&inputs=strided": ("", "passed", ""),
}
GOOD = {"passed", "executed"}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory, site: str) -> Done:
    """One run over all faults."""
    faults = ",".join(fault for fault, _, _ in SAID.values() if fault)
    words = "--device=paper", "--timeout=12", *(f"--test={key}" for key in SAID)
    return validate_once(tmp_path_factory, "faulty", *words, site=site, PAPER_FAULTS=faults)


@pytest.mark.parametrize("key", SAID)
def test_each_fault_is_told_apart(faulty: Done, key: str) -> None:
    _, outcome, words = SAID[key]
    test = faulty.by_key[key]
    assert (test.outcome, words in (test.reason or "")) == (outcome, True), test
    assert faulty.command(test).endswith(shlex.join(["--test", key]))


def test_the_run_failed_and_says_how_to_repeat(faulty: Done) -> None:
    assert faulty.status == 1
    assert set(faulty.by_key) == set(SAID)
    assert "--test 'operators/mm?dtype=float32&mode=forward'" in faulty.said


def test_the_device_and_its_plugin_are_named(faulty: Done) -> None:
    environment = faulty.environment
    assert environment.plugin == Component(name="torch-paper", version="1.0")
    assert environment.hardware == "A4, 80 g"


def test_only_operators_with_right_numbers_are_covered(faulty: Done) -> None:
    coverage = next(suite.operators for suite in faulty.suites if suite.name == "operators")
    assert coverage is not None
    assert "asin" in coverage.covered
    assert "gelu" not in coverage.covered
    assert 100 < coverage.core < coverage.registered


@pytest.mark.slow
def test_the_command_of_a_failure_repeats_it(faulty: Done, site: str, tmp_path: Path) -> None:
    gelu = "operators/nn.functional.gelu?dtype=float32&mode=forward"
    command = faulty.command(faulty.by_key[gelu])
    words = shlex.split(command)[2:]
    again = validate(tmp_path, *words, site=site, PAPER_FAULTS="gelu=wrong")
    assert (again.status, again.by_key[gelu].outcome) == (1, "wrong-result")


@pytest.mark.slow
def test_what_failed_can_be_run_again_from_the_report(
    faulty: Done, site: str, tmp_path: Path
) -> None:
    again = validate(
        tmp_path, "--device=paper", f"--only-failed={faulty.report}", "-k", "not erf", site=site
    )
    bad = {key for key, (_, outcome, _) in SAID.items() if outcome not in GOOD}
    assert set(again.by_key) == {key for key in bad if "erf" not in key}
    assert again.status == 0


@pytest.mark.slow
def test_a_model_that_runs_with_wrong_numbers_has_not_passed(site: str, tmp_path: Path) -> None:
    chosen = "-k", "(llama or gemma2) and inference"
    words = ["--device=paper", "--suite=small-transformers", *chosen]
    done = validate(tmp_path, *words, site=site, PAPER_FAULTS="silu=wrong,gelu=missing")
    assert done.tests["LlamaForCausalLM"].outcome == "wrong-result"
    assert done.tests["Gemma2ForCausalLM"].outcome == "unsupported-operator"


def test_a_device_that_separates_tied_weights_is_told_what_it_lacks(
    site: str, tmp_path: Path
) -> None:
    test = "--test=weak-spots/tied-weights?compiler=eager&dtype=float32&mode=training"
    done = validate(tmp_path, "--device=paper", test, site=site)
    found = done.tests["tied-weights"]
    assert found.outcome == "wrong-result"
    assert "out.weight after a step exists only on the device" in (found.reason or "")
    assert "_has_compatible_shallow_copy_type" in (found.reason or "")


@pytest.mark.slow
def test_in_a_narrow_type_only_what_the_cpu_can_tell_is_wrong(site: str, tmp_path: Path) -> None:
    chosen = "-k", "(llama or dla46) and inference"
    words = ["--device=paper", "--suite=models", "--dtype=bfloat16", *chosen]
    done = validate(tmp_path, *words, site=site, PAPER_FAULTS="mm=wrong,relu_=wrong")
    assert done.tests["LlamaForCausalLM"].outcome == "wrong-result"
    assert done.tests["dla46_c"].outcome == "executed"
    assert "Rounding in bfloat16 alone" in (done.tests["dla46_c"].reason or "")


LOADING = "--suite=integration", "-k", "entry-point or import or autoload or views"


def outcomes(done: Done) -> dict[str, str]:
    return {name: test.outcome for name, test in done.tests.items()}


@pytest.mark.slow
def test_a_plugin_that_loads_itself_passes(site: str, tmp_path: Path) -> None:
    done = validate(tmp_path, "--device=paper", *LOADING, site=site)
    assert set(outcomes(done).values()) == {"passed"}
    assert done.status == 0


def test_a_plugin_that_breaks_import_torch_leaves_a_report_that_says_so(
    site: str, tmp_path: Path
) -> None:
    done = validate(tmp_path, "--device=paper", *LOADING, site=site, PAPER_LOADING="broken")
    assert done.status == 1
    found = outcomes(done)
    assert found.pop("autoload-off") == "passed"
    assert set(found.values()) == {"failed"}
    for name in found:
        assert "libpaper.so" in (done.tests[name].reason or ""), done.tests[name]


@pytest.mark.slow
def test_without_a_suite_that_can_say_why_a_broken_plugin_is_an_error(
    site: str, tmp_path: Path
) -> None:
    words = "--device=paper", "--suite=operators"
    done = validate(tmp_path, *words, site=site, PAPER_LOADING="broken")
    assert (done.status, done.report.exists()) == (2, False)
    assert "import torch fails" in done.said
    assert "libpaper.so" in done.said
    assert "Traceback" not in done.said


@pytest.mark.slow
def test_a_plugin_that_loads_and_brings_no_device_is_told(site: str, tmp_path: Path) -> None:
    done = validate(tmp_path, "--device=paper", *LOADING, site=site, PAPER_LOADING="absent")
    found = outcomes(done)
    assert (found["entry-point"], found["import"]) == ("passed", "passed")
    assert found["autoload-on"] == "failed"
    assert done.status == 1


@pytest.mark.slow
def test_a_plugin_that_must_be_imported_is_told_and_can_be_tested(tmp_path: Path) -> None:
    site = str(install_double(tmp_path / "site", entry_point=False))
    unknown = validate(tmp_path, "--device=paper", *LOADING, site=site)
    assert (unknown.status, unknown.report.exists()) == (2, False)
    done = validate(tmp_path, "--device=paper", "--import=torch_paper", *LOADING, site=site)
    found = outcomes(done)
    assert (found["entry-point"], found["autoload-on"]) == ("failed", "failed")
    assert (found["import"], found["views"]) == ("passed", "passed")
    assert "--import torch_paper" in done.command(done.tests["entry-point"])
