from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.matrix import find_test_file, read_matrix
from accelerator_validation.plan import RunError
from accelerator_validation.pytorch_tests.source import PYTORCH_SUITE, select_test_files

MATRIX = read_matrix(PYTORCH_SUITE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("test_torch", "test_ops_jit", "test_view_ops", "nn/test_pooling", "own/test_own"):
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.touch()
    return tmp_path


def paths(folder: Path, **asked: object) -> list[str]:
    return [file.path for file in select_test_files(MATRIX, folder, **asked)]  # type: ignore[arg-type]


def test_the_usual_files_that_are_there_are_run_and_the_others_on_request(folder: Path) -> None:
    assert paths(folder) == ["test_torch", "test_view_ops", "nn/test_pooling"]
    assert "test_ops_jit" in paths(folder, everything=True)


def test_files_are_named_as_they_are_called(folder: Path) -> None:
    named = ["test/test_view_ops.py", "nn/test_pooling", "own/test_own", "test_view_ops"]
    assert paths(folder, named=named) == ["test_view_ops", "nn/test_pooling", "own/test_own"]


def test_named_tests_need_no_other_file_than_their_own(folder: Path) -> None:
    tests = [
        f"{PYTORCH_SUITE}/nn.test_pooling.TestPooling::test_a?dtype=float32",
        f"{PYTORCH_SUITE}/own.test_own",
        "operators/test_torch",
        "no key",
    ]
    assert sorted(paths(folder, tests=tests)) == ["nn/test_pooling", "own/test_own"]


def test_a_file_that_is_not_there_is_told_with_the_nearest(folder: Path) -> None:
    with pytest.raises(RunError, match=r'no file "test_view_op\.py" in .*; did you mean "test_v'):
        select_test_files(MATRIX, folder, named=["test_view_op"])


def test_a_folder_with_none_of_the_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"has no PyTorch test files.*Pass files with --pytorch-fil"):
        select_test_files(MATRIX, tmp_path)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("test_ops", "test_ops"),
        ("test_ops.TestCommon::test_out_add", "test_ops"),
        ("test_ops_gradients.TestX::test_a", "test_ops_gradients"),
        ("functorch.test_ops.TestX::test_a", "functorch/test_ops"),
        ("test_of_nobody.TestX::test_a", None),
    ],
)
def test_a_test_is_of_the_file_that_its_name_begins_with(name: str, path: str | None) -> None:
    file = find_test_file(name, MATRIX.files)
    assert (file.path if file else None) == path
    assert MATRIX.group(name) == (path or "").replace("/", ".")
