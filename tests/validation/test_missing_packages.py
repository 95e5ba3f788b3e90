from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from accelerator_validation.launch import (
    SuiteSources,
    is_installed,
    make_plan,
    missing_packages,
    missing_packages_message,
)
from accelerator_validation.matrix import read_matrix, suite_names
from accelerator_validation.plan import RunError
from accelerator_validation.request import DEFAULT_SUITES, Request, read_matrices
from tests.validation.runs import TODAY


def test_a_suite_lacks_what_is_not_installed_and_no_more() -> None:
    matrices = read_matrices(["operators", "integration", "models"])
    assert missing_packages(matrices, lambda _: True) == {}
    assert missing_packages(matrices, lambda name: name != "numpy") == {"operators": ("numpy",)}
    assert missing_packages(matrices, lambda name: name in {"numpy", "timm"}) == {
        "operators": ("expecttest",),
        "small-diffusers": ("diffusers",),
        "small-timm": ("torchvision",),
        "small-transformers": ("transformers",),
    }


def test_the_words_name_the_packages_the_commands_and_the_suites_that_can_run() -> None:
    matrices = read_matrices(DEFAULT_SUITES)
    lacks = missing_packages(matrices, lambda name: name in {"expecttest", "numpy"})
    assert missing_packages_message(lacks, matrices) == (
        'The suite "small-diffusers" needs diffusers; the suite "small-timm" needs timm and '
        'torchvision; the suite "small-transformers" needs transformers, not installed for '
        f"{sys.executable}.\n"
        "Install them without changing any other package:\n"
        "  pip list --format=freeze > installed.txt\n"
        "  pip install --constraint installed.txt diffusers timm torchvision transformers\n"
        "Or run suites that don't need them: --suite integration --suite operators "
        "--suite operator-inputs --suite weak-spots"
    )


@pytest.mark.parametrize(
    ("suite", "packages"),
    [("pytest", ("pytest",)), ("pytorch-tests", ("expecttest", "hypothesis", "numpy"))],
)
def test_a_suite_of_other_tests_names_what_runs_them(suite: str, packages: tuple[str, ...]) -> None:
    assert missing_packages({suite: read_matrix(suite)}, lambda _: False) == {suite: packages}


def test_where_no_suite_can_run_none_is_offered() -> None:
    words = missing_packages_message({"small-timm": ("timm",)}, ["small-timm"])
    assert "Or run" not in words


# The suites of ExecuTorch need what their backend asks for, which is asked when it is known.
OWN_SUITES = [name for name in suite_names() if not name.startswith("executorch")]


@pytest.mark.parametrize("suite", OWN_SUITES)
def test_a_suite_names_the_libraries_of_models_that_it_imports(suite: str) -> None:
    matrix = read_matrix(suite)
    spec = find_spec(matrix.module)
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text("utf-8")
    for package in ("diffusers", "timm", "transformers"):
        imports = f"import {package}\n" in text or f"(load_{package}()" in text
        assert imports == (package in matrix.packages)


def test_a_package_is_found_without_importing_it() -> None:
    assert is_installed("json")
    assert not is_installed("no_such_package_anywhere")


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed here")
def test_without_torch_nothing_is_planned(tmp_path: Path) -> None:
    request = Request("cpu", tmp_path / "report.json", "cpu", suites=("operators",))
    with pytest.raises(
        RunError, match=r"PyTorch is not installed for .* has torch and your plugin"
    ):
        make_plan(request, SuiteSources(), TODAY)
