from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.pytest_suites.source import default_suite_name, node_id_by_identity


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/me/torch_foo/tests", "pytest-torch-foo"),
        ("/home/me/torch_foo/test/unit", "pytest-unit"),
        ("/home/me/torch_foo/tests/test_ops.py", "pytest-test-ops"),
        ("/tests", "pytest"),
        ("/Größe", "pytest-gr-e"),
    ],
)
def test_a_suite_is_called_as_its_folder(path: str, name: str) -> None:
    assert default_suite_name(Path(path)) == name


def test_names_are_those_of_an_imported_report() -> None:
    found = node_id_by_identity(["tests/test_a.py::TestX::test_y[float32-3]"], "npu")
    assert list(found) == [("tests.test_a.TestX::test_y", (("case", "3"), ("dtype", "float32")))]


@pytest.mark.parametrize(
    ("device", "kept"),
    [("npu", "t.py::t[npu]"), ("npu:1", "t.py::t[npu]"), ("cpu", "t.py::t[cpu]")],
)
def test_of_tests_that_differ_by_device_that_of_the_device_is_kept(device: str, kept: str) -> None:
    for nodes in (["t.py::t[cpu]", "t.py::t[npu]"], ["t.py::t[npu]", "t.py::t[cpu]"]):
        assert list(node_id_by_identity(nodes, device).values()) == [kept]


def test_an_unknown_word_for_a_device_is_a_case() -> None:
    assert len(node_id_by_identity(["t.py::t[cpu]", "t.py::t[abacus]"], "abacus")) == 2
