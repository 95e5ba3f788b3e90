from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.plan import RunError
from accelerator_validation.pytorch_tests.source import (
    PRELOADED,
    PYTORCH_SUITE,
    PytorchSource,
    with_pytorch_checkout,
)
from accelerator_validation.request import Request, read_matrices


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


def test_without_a_checkout_it_says_where_to_get_one(tmp_path: Path) -> None:
    request = Request("cpu", tmp_path / "report.json", "example")
    with pytest.raises(RunError, match=r"not in its wheels; clone .*, and name the folder with --"):
        with_pytorch_checkout(read_matrices([PYTORCH_SUITE]), request, PytorchSource())
    other = read_matrices(["operators"])
    assert with_pytorch_checkout(other, request, PytorchSource()) == other
