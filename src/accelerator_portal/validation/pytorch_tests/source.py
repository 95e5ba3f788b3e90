"""What the command is given for PyTorch's tests, put into the matrix of their suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.pytorch_tests.checkout import TESTS, CheckoutError, described
from accelerator_portal.validation.pytorch_tests.files import SUITE, FilesError, selected_files
from accelerator_portal.validation.request import Request, RunError

PRELOADED = "accelerator_portal.validation.pytorch_tests.preloaded"

_USED_BY_IMPORT = frozenset({"cuda", "xpu"})


@dataclass(frozen=True, slots=True)
class PytorchSource:
    """A checkout of PyTorch, and the files of it that are wanted; none: the usual."""

    checkout: Path | None = None
    files: tuple[str, ...] = ()


def with_pytorch(
    matrices: Mapping[str, Matrix], request: Request, source: PytorchSource
) -> dict[str, Matrix]:
    """Return the matrices with the checkout, its files and the type of the device.

    Raises RunError.
    """
    if SUITE not in matrices:
        return dict(matrices)
    if source.checkout is None:
        what = "PyTorch's tests are not in its wheels; clone github.com/pytorch/pytorch at the tag"
        raise RunError(f"{what} of your torch, and name the folder with --pytorch")
    matrix = matrices[SUITE]
    try:
        given = described(source.checkout)
        files = selected_files(
            matrix,
            source.checkout.resolve() / TESTS,
            named=source.files,
            tests=request.tests,
            everything=request.everything,
        )
    except (CheckoutError, FilesError) as error:
        raise RunError(str(error)) from None
    device = request.device.partition(":")[0]
    module = matrix.module if device in _USED_BY_IMPORT else PRELOADED
    update = {"given": {**given, "device": device}, "files": files, "module": module}
    return {**matrices, SUITE: matrix.model_copy(update=update)}
