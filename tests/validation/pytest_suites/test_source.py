from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.plan import RunError
from accelerator_validation.pytest_suites.source import PytestSource, pytest_matrices
from accelerator_validation.request import Request


def test_a_suite_has_the_settings_of_all_and_a_name_of_its_own(tmp_path: Path) -> None:
    request = Request("npu", tmp_path / "report.json", "example", imports="torch_foo")
    found = pytest_matrices(["mine", "operators"], request, PytestSource(tmp_path, "mine"))
    assert list(found) == ["mine"]
    assert found["mine"].own_verdict
    assert found["mine"].given["path"] == str(tmp_path)
    assert found["mine"].given["imports"] == "torch_foo"


def test_a_suite_that_is_not_to_run_needs_nothing(tmp_path: Path) -> None:
    request = Request("npu", tmp_path / "report.json", "example")
    assert pytest_matrices(["operators"], request, PytestSource()) == {}


@pytest.mark.parametrize(
    ("name", "words"), [("My Tests", 'write "my-tests"'), ("operators", "is a built-in suite")]
)
def test_a_name_that_cannot_be_is_told(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(RunError, match=words):
        _ = PytestSource(tmp_path, name).suite
