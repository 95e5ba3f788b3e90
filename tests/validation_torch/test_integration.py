"""Integration checks: each passes where the thing is there, and fails where it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from accelerator_validation.case import CheckFailedError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import process_group_checks
from tests.folders import REPOSITORY
from tests.validation.runs import matrix
from tests.validation_torch.conftest import Done, validate, validate_once

# What the simulated device does not have, and the words that say so.
LACKS = {
    "amp": ("unsupported-operator", "aten::copy_ is missing"),
    "checkpoint": ("failed", "no attribute 'device'"),
    "dataloader": ("failed", "pin memory"),
    "device-guard": ("failed", "paper:1 does not exist, but a tensor for it is on paper:0"),
    "event-timing": ("failed", "synchronizing"),
    "events": ("failed", "synchronizing events"),
    "memory": ("failed", "allocator"),
    "pinned-memory": ("failed", "getPinnedMemoryAllocator"),
    "process-group": ("failed", "Default backend not registered for device : paper"),
    "profiler": ("failed", "none of the device"),
    "random": ("failed", "getNewGenerator"),
    "storage": ("failed", "data pointer"),
    "stream-order": ("failed", "two new streams are the same stream"),
    "streams": ("failed", "two new streams are the same stream"),
    "synchronize": ("failed", "synchronizing"),
    "distributed": ("skipped", "one device"),
    "fsdp": ("skipped", "one device"),
    "second-device": ("skipped", "one device"),
}

# One fault for a check each, and what it must come to.
FAULTS = {
    "export": ("addmm=wrong", "wrong-result", "the exported program's result"),
    "fake-quantization": (
        "fake_quantize_per_channel_affine_cachemask=wrong",
        "wrong-result",
        "rounded to 8 bits",
    ),
    "in-place": ("add_=wrong", "wrong-result", "values changed in place"),
    "mixed-devices": ("mixed=allowed", "failed", "were added, on paper:0"),
    "out": ("mul=wrong", "wrong-result", "torch.mul with out="),
    "quantization": ("_int_mm=missing", "unsupported-operator", "aten::_int_mm is missing"),
    "rng-state": ("set_rng_state=ignored", "failed", "generated different numbers"),
    "views": ("fill_=wrong", "wrong-result", "the tensor after changes through its views"),
}


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory, site: str) -> Done:
    words = "--device=paper", "--suite=integration"
    return validate_once(tmp_path_factory, "healthy", *words, site=site)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory, site: str) -> Done:
    faults = ",".join(fault for fault, _, _ in FAULTS.values())
    tests = [f"--test=integration/{name}" for name in FAULTS]
    words = "--device=paper", *tests
    return validate_once(tmp_path_factory, "faulty-checks", *words, site=site, PAPER_FAULTS=faults)


def test_what_the_device_lacks_has_not_passed_and_all_else_has(healthy: Done) -> None:
    found = {name: test.outcome for name, test in healthy.tests.items()}
    wanted = {name: LACKS[name][0] if name in LACKS else "passed" for name in found}
    assert found == wanted
    assert set(LACKS) <= set(found)


@pytest.mark.parametrize("name", LACKS)
def test_the_reason_names_what_is_lacking(healthy: Done, name: str) -> None:
    assert LACKS[name][1] in (healthy.tests[name].reason or "")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_device_is_found(healthy: Done, faulty: Done, name: str) -> None:
    _, outcome, words = FAULTS[name]
    assert healthy.tests[name].outcome == "passed"
    test = faulty.tests[name]
    assert (test.outcome, words in (test.reason or "")) == (outcome, True), test


def test_a_device_without_a_backend_of_inductor_is_told_so(tmp_path: Path, site: str) -> None:
    words = "--device=paper", "--test=integration/compile"
    done = validate(tmp_path, *words, site=site, PAPER_FAULTS="gelu=missing")
    test = done.tests["compile"]
    assert test.outcome == "failed"
    assert (test.reason or "").startswith("Inductor has no backend for paper. ")


@pytest.mark.slow
def test_on_the_cpu_all_that_is_not_about_accelerators_passes(tmp_path: Path) -> None:
    done = validate(tmp_path, "--device=cpu", "--suite=integration")
    found = {test.outcome for test in done.tests.values()}
    assert found == {"passed", "skipped"}
    for name in ("distributed", "fsdp", "process-group", "quantization", "export"):
        assert done.tests[name].outcome == "passed"


@pytest.mark.slow
def test_sharding_is_checked_if_no_check_before_it_has_imported_it(tmp_path: Path) -> None:
    done = validate(tmp_path, "--device=cpu", "--test=integration/fsdp")
    assert done.tests["fsdp"].outcome == "passed", done.said


@pytest.mark.slow
def test_a_process_that_fails_is_named_at_once_and_not_one_that_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import sys\nif sys.argv[5] == '1':\n    raise RuntimeError('no second card')\n"
    (tmp_path / "plugin_of_one_card.py").write_text(program, "utf-8")
    path = os.pathsep.join([str(REPOSITORY / "src"), str(tmp_path)])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(process_group_checks, "_LIMIT_S", 60.0)
    context = Context("cpu", matrix([]), imports="plugin_of_one_card")
    with pytest.raises(CheckFailedError) as error:
        process_group_checks.distributed(context)
    assert str(error.value) == "rank 1 of 2 ended with status 1. RuntimeError: no second card"
