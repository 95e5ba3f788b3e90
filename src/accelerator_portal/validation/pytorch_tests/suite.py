"""Runs the suite `pytorch-tests`: tests of a checkout, each as PyTorch runs it.

The first test of each file, which has the file's name, says whether the file can be imported and
its classes be made on the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from accelerator_portal.validation.case import Case, Result, brief
from accelerator_portal.validation.classify import BrokenTestError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.matrix import Matrix, TestFile, file_of
from accelerator_portal.validation.plan import Offer
from accelerator_portal.validation.pytorch_tests.checkout import TESTS
from accelerator_portal.validation.pytorch_tests.collecting import collected_tests
from accelerator_portal.validation.pytorch_tests.running import of_error, run_test

if TYPE_CHECKING:
    from accelerator_portal.validation.pytorch_tests.loading import LoadedFile

CHECKOUT = "checkout"
DEVICE = "device"

_MOST_NAMED = 3

_LONGEST = 160
"""Characters of an error that stands with each of many tests."""


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests of the chosen files; none without a checkout."""
    if CHECKOUT not in matrix.given:
        return
    found = collected_tests(Path(matrix.given[CHECKOUT], TESTS), matrix.files, matrix.given[DEVICE])
    for file in matrix.files:
        yield Offer(file.container)
        for kind in found[file.path].broken:
            yield Offer(f"{file.container}.{kind}")
        for name, parameters in found[file.path].tests:
            yield Offer(name, parameters=dict(parameters))


def run(case: Case, context: Context) -> Result:
    """Run a test, or say of a file or class whether it can be used."""
    file = file_of(case.name, context.matrix.files)
    if file is None:
        raise BrokenTestError("The checkout doesn't contain this test file.")
    context.stage = "import"
    device, _, index = context.device.partition(":")
    if index:
        torch.get_device_module(device).set_device(int(index))
    hidden = context.matrix.given[CHECKOUT]
    loaded = _loaded(Path(hidden, TESTS), file, device)
    if case.name == file.container:
        return _of_file(loaded, context, hidden)
    test = loaded.tests.get((case.name, case.parameters))
    if test is None:
        return _without_test(case, file, loaded, hidden)
    context.stage = "run"
    return run_test(*test, hidden)


@cache
def _loaded(folder: Path, file: TestFile, device: str) -> LoadedFile:
    # PyTorch's helpers may begin to use a device as they are imported: never before a fork.
    from accelerator_portal.validation.pytorch_tests.loading import load

    return load(folder, file, device)


def _of_file(loaded: LoadedFile, context: Context, hidden: str) -> Result:
    context.metrics["tests"] = (len(loaded.tests), "1")
    if loaded.error:
        return of_error(loaded.error, "import", hidden)
    if loaded.broken:
        name, error = next(iter(loaded.broken.items()))
        found = of_error(error, "load", hidden)
        names = ", ".join(list(loaded.broken)[:_MOST_NAMED])
        more = " and others" if len(loaded.broken) > _MOST_NAMED else ""
        what = f"Classes that cannot be instantiated on the device: {names}{more}"
        reason = brief(f"{what}. {name}: {found.reason}")
        return Result(found.outcome, "load", reason, log_tail=found.log_tail)
    return Result("passed", "load")


def _without_test(case: Case, file: TestFile, loaded: LoadedFile, hidden: str) -> Result:
    """Say why a planned test is not there; the file's own test has the error and its traceback."""
    kind = case.name.partition("::")[0].removeprefix(f"{file.container}.")
    error = loaded.error or loaded.broken.get(kind)
    if error is None:
        what = "no such test" if "::" in case.name else "this class only"
        return Result("test-broken", "load", f"PyTorch creates {what} for the device.")
    found = of_error(error, "load", hidden)
    if "::" not in case.name:
        return found
    what = "file cannot be imported"
    if not loaded.error:
        what = "class cannot be instantiated on the device"
    why = brief(found.reason or "", _LONGEST)
    return Result("not-run", "load", f"Its {what}; see the test {file.container}. {why}")
