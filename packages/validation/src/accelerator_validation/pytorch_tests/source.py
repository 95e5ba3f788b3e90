"""Adds a PyTorch checkout and the test files to run to the matrix of the suite `pytorch-tests`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from accelerator_reports.files.problem import did_you_mean
from accelerator_reports.test_ids import (
    MAX_NAME,
    ParsedTestId,
    UnreadableKeyError,
    parse_device_generic_name,
    parse_key,
    shortened_with_digest,
)
from accelerator_validation.matrix import Matrix, TestFile, find_test_file
from accelerator_validation.plan import RunError
from accelerator_validation.pytorch_tests.checkout import TESTS_FOLDER, checkout_facts
from accelerator_validation.request import Request

PYTORCH_SUITE = "pytorch-tests"
PRELOADED = "accelerator_validation.pytorch_tests.preloaded"

EXPECTED_FAILURE = "accelerator_portal_expected_failure"
"""The attribute of a test's object with the exception that PyTorch expects and catches, or None."""

# Devices that the helpers of PyTorch's tests use when they are imported.
_DEVICES_USED_BY_IMPORT = frozenset({"cuda", "xpu"})


@dataclass(frozen=True, slots=True)
class PytorchSource:
    """The folder of a PyTorch checkout, and the test files to run.

    If `files` is empty, the usual files run.
    """

    checkout: Path | None = None
    files: tuple[str, ...] = ()


def with_pytorch_checkout(
    matrices: Mapping[str, Matrix], request: Request, source: PytorchSource
) -> dict[str, Matrix]:
    """Return the matrices by suite, with a PyTorch checkout added to the suite `pytorch-tests`.

    The test files to run and the device type are added, too. Without this suite, the matrices are
    returned unchanged. Raises RunError if the suite runs and its checkout is missing or invalid,
    and the errors of `select_test_files`.
    """
    if PYTORCH_SUITE not in matrices:
        return dict(matrices)
    if source.checkout is None:
        problem = (
            "PyTorch's tests are not in its wheels; clone github.com/pytorch/pytorch at the tag"
        )
        raise RunError(f"{problem} of your torch, and name the folder with --pytorch")
    matrix = matrices[PYTORCH_SUITE]
    facts = checkout_facts(source.checkout)
    files = select_test_files(
        matrix,
        source.checkout.resolve() / TESTS_FOLDER,
        named=source.files,
        tests=request.tests,
        everything=request.everything,
    )
    device = request.device.partition(":")[0]
    module = matrix.module if device in _DEVICES_USED_BY_IMPORT else PRELOADED
    update = {"given": {**facts, "device": device}, "files": files, "module": module}
    return {**matrices, PYTORCH_SUITE: matrix.model_copy(update=update)}


def select_test_files(
    matrix: Matrix,
    folder: Path,
    *,
    named: Iterable[str] = (),
    tests: Iterable[str] = (),
    everything: bool = False,
) -> tuple[TestFile, ...]:
    """Return the test files to run. `folder` is the folder of PyTorch's tests.

    The files are selected by the first of these that applies:

    1. If `named` has paths of files, these files are selected, even if the matrix lacks them.
    2. If `tests` has keys of tests, the files that contain these tests are selected.
    3. If `everything` is true, all files of the matrix are selected, otherwise its usual files.

    Raises RunError if a selected file does not exist, or if there is no file to select.
    """
    file_by_path = {file.path: file for file in matrix.files if _has_test_file(folder, file.path)}
    paths = [name.strip().removeprefix("test/").removesuffix(".py") for name in named]
    paths = paths or _paths_of_tests(tests, [file.path for file in matrix.files], folder)
    if not paths:
        usual_files = tuple(file for file in file_by_path.values() if file.usual or everything)
        if not usual_files:
            problem = f"{folder} has no PyTorch test files such as test_torch.py"
            raise RunError(f"{problem}. Pass files with --pytorch-files")
        return usual_files
    for name in paths:
        if not _has_test_file(folder, name):
            remedy = (
                did_you_mean(name, list(file_by_path)) if file_by_path else "use an existing file"
            )
            raise RunError(f'there is no file "{name}.py" in {folder}; {remedy}')
    return tuple(file_by_path.get(n) or TestFile(path=n, covers=n) for n in dict.fromkeys(paths))


def _paths_of_tests(keys: Iterable[str], listed_paths: Iterable[str], folder: Path) -> list[str]:
    """Return the paths of the files that contain the tests of `pytorch-tests` with these keys.

    Keys of other suites are ignored. `listed_paths` are the paths of the files in the matrix. The
    paths of files that the matrix lacks are derived from the names of the tests.
    """
    containers: dict[str, None] = {}  # files and classes, in order
    for key in keys:
        with suppress(UnreadableKeyError):  # the plan says that there is no such test
            identity = parse_key(key)
            if identity.suite == PYTORCH_SUITE:
                containers[identity.name.partition("::")[0]] = None
    paths = dict.fromkeys(listed_paths)
    for container in containers:
        name_parts = container.split(".")  # the last one may be a class
        possible_paths = ("/".join(name_parts[:end]) for end in range(1, len(name_parts) + 1))
        paths |= dict.fromkeys(path for path in possible_paths if _has_test_file(folder, path))
    files = [TestFile(path=path, covers=path) for path in paths]
    matching_files = (find_test_file(container, files) for container in containers)
    return list(dict.fromkeys(file.path for file in matching_files if file))


def _has_test_file(folder: Path, path: str) -> bool:
    return (folder / f"{path}.py").is_file()


def name_and_parameters(container: str, method: str, device: str) -> ParsedTestId:
    """Return the name and the parameters of a test that PyTorch created for a device.

    `container` is the file and the class: `test_torch.TestTorch`. `method` is the name of the
    method: `test_add_cuda_float32`. The text after the device is usually a data type. Any other
    text becomes the parameter `case`.
    """
    if parsed_test := parse_device_generic_name(container, method, device):
        return parsed_test
    base, device_part, suffix = method.rpartition(f"_{device}_")
    if device_part and base and suffix:
        return ParsedTestId(
            shortened_with_digest(f"{container}::{base}", MAX_NAME), {"case": suffix}, device
        )
    return ParsedTestId(shortened_with_digest(f"{container}::{method}", MAX_NAME), {}, device)
