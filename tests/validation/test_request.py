from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.case import Case
from accelerator_validation.matrix import read_matrix
from accelerator_validation.plan import RunError
from accelerator_validation.report_builder import repeat_command
from accelerator_validation.request import (
    FULL_SIZE_SUITES,
    SUITE_FAMILIES,
    read_matrices,
    with_full_size_suites,
    with_torchbench_checkout,
)


def test_full_size_replaces_what_there_is_in_both_sizes() -> None:
    assert with_full_size_suites(["operators", "models"]) == (
        "operators",
        "small-diffusers",
        "full-timm",
        "full-transformers",
        "weak-spots",
    )
    assert set(SUITE_FAMILIES["full-models"]) == set(FULL_SIZE_SUITES.values())
    for small, full in FULL_SIZE_SUITES.items():
        assert read_matrix(small).module == read_matrix(full).module
        assert read_matrix(full).settings["full"]


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


def test_a_command_names_what_it_cannot_do_without_and_no_path_of_this_machine() -> None:
    assert repeat_command("npu", Case("torchbench", "dcgan")) == (
        "accelerator-portal validate --device npu --torchbench CHECKOUT --test torchbench/dcgan"
    )
    assert repeat_command("npu", Case("deploy", "from-wheel")) == (
        "accelerator-portal validate --device npu --known-issues PORTAL --run-scripts "
        "--test deploy/from-wheel"
    )
