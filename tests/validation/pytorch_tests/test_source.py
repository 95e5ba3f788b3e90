from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest

from accelerator_validation import launch
from accelerator_validation.case import Case
from accelerator_validation.journal import Journal
from accelerator_validation.journal_heading import heading
from accelerator_validation.matrix import Matrix, TestFile
from accelerator_validation.plan import Plan, RunError
from accelerator_validation.pytorch_tests.source import (
    PRELOADED,
    PYTORCH_SUITE,
    PytorchSource,
    with_pytorch_checkout,
)
from accelerator_validation.request import Request, read_matrices
from tests.validation.runs import TORCH, matrix


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "test_torch.py").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("device", "before_forks"), [("cpu", True), ("npu:1", True), ("cuda", False), ("xpu:0", False)]
)
def test_what_begins_to_use_a_device_is_not_imported_before_a_fork(
    checkout: Path, device: str, before_forks: object
) -> None:
    request = Request(device, checkout / "report.json", "example")
    found = with_pytorch_checkout(read_matrices([PYTORCH_SUITE]), request, PytorchSource(checkout))[
        PYTORCH_SUITE
    ]
    assert (found.module == PRELOADED) is before_forks
    assert found.given["device"] == device.partition(":")[0]
    assert [file.path for file in found.files] == ["test_torch"]


def test_a_resumed_run_has_the_files_of_its_tests(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "test" / "own").mkdir()
    (checkout / "test" / "own" / "test_own.py").touch()
    request = Request("cpu", checkout / "report.json", "example")
    with Journal(request.journal, anew=True) as journal:
        journal.plan({}, [Case(PYTORCH_SUITE, "own.test_own.TestOwn::test_a")])
    resumed: list[Mapping[str, Matrix]] = []
    monkeypatch.setattr(launch, "_require_packages", lambda _: None)
    monkeypatch.setattr(launch, "_usable_probe_result", lambda *_: TORCH)
    monkeypatch.setattr(launch, "continue_run", lambda _, matrices, *__: resumed.append(matrices))
    sources = launch.SuiteSources(pytorch=PytorchSource(checkout))
    launch.resume_run(request, sources, lambda _: nullcontext(lambda *_: None), lambda _: None)
    assert [file.path for file in resumed[0][PYTORCH_SUITE].files] == ["own/test_own"]


def test_a_command_with_too_many_files_for_a_report_has_a_placeholder(tmp_path: Path) -> None:
    for count, said in ((20, "test_0,test_1,"), (400, "FILES")):
        files = tuple(TestFile(path=f"test_{n}", covers="Many.") for n in range(count))
        suite = matrix(["test_0"]).model_copy(update={"files": files})
        (entry,) = heading(
            Request("cpu", tmp_path / "report.json", "example"),
            {PYTORCH_SUITE: suite},
            Plan((Case(PYTORCH_SUITE, "test_0"),)),
            TORCH,
        )["suites"]
        assert entry["command"].rpartition(" --pytorch-files ")[2].startswith(said)


def test_without_a_checkout_it_says_where_to_get_one(tmp_path: Path) -> None:
    request = Request("cpu", tmp_path / "report.json", "example")
    with pytest.raises(RunError, match=r"not in its wheels; clone .*, and name the folder with --"):
        with_pytorch_checkout(read_matrices([PYTORCH_SUITE]), request, PytorchSource())
    other = read_matrices(["operators"])
    assert with_pytorch_checkout(other, request, PytorchSource()) == other
