from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.plan import RunError
from accelerator_validation.request import (
    read_matrices,
    with_torchbench_checkout,
)


def test_torchbench_without_a_checkout_says_where_to_get_one(tmp_path: Path) -> None:
    matrices = read_matrices(["torchbench", "operators"])
    with pytest.raises(RunError, match=r"not on PyPI; clone .*, and name the folder with --torchb"):
        with_torchbench_checkout(matrices, None)
    with pytest.raises(
        RunError, match=r"is not a checkout of TorchBench; it has no torchbenchmark/m"
    ):
        with_torchbench_checkout(matrices, tmp_path)
    assert with_torchbench_checkout({"operators": matrices["operators"]}, None) == {
        "operators": matrices["operators"]
    }
