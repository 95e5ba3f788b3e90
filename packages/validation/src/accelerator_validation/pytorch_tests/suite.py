"""Runs PyTorch's own tests as a suite, from a checkout or an installation.

The first test of each file has the file's name. It passes if the file can be imported, and if
PyTorch can create all its test classes for the device.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
import traceback
import unittest
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch.testing._internal import common_device_type as generic
from torch.testing._internal import common_methods_invocations  # noqa: F401 - most files take seconds for it

from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import Stage
from accelerator_reports.test_ids import Parameters, parameters_of
from accelerator_validation.case import (
    UNEXPECTED_SUCCESS_REASON,
    BrokenTestError,
    Case,
    Result,
    classify_error,
    short_message,
)
from accelerator_validation.listing import print_progress
from accelerator_validation.matrix import Matrix, TestFile, find_test_file
from accelerator_validation.plan import Offer
from accelerator_validation.pytorch_tests.checkout import TESTS_FOLDER
from accelerator_validation.pytorch_tests.source import EXPECTED_FAILURE, name_and_parameters
from accelerator_validation.suite_interface import Context

CHECKOUT = "checkout"
DEVICE = "device"

_MOST_NAMED = 3

# The maximum number of characters of an error message that many results repeat.
_MAX_REPEATED_CHARS = 160

IMPORT_TIMEOUT_S = 300.0
"""The maximum number of seconds for importing one file to list its tests."""

SKIP_PREFIX = "PyTorch skips this test:"
EXPECTED_FAILURE_PREFIX = "PyTorch expects it to fail:"

_LOG_TAIL_CHARS = 1500


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests of the selected files. Without a checkout, yield nothing."""
    if CHECKOUT not in matrix.given:
        return
    tests_by_path = collect_tests(
        Path(matrix.given[CHECKOUT], TESTS_FOLDER), matrix.files, matrix.given[DEVICE]
    )
    for file in matrix.files:
        yield Offer(file.container)
        for class_name in tests_by_path[file.path].broken:
            yield Offer(f"{file.container}.{class_name}")
        classifications = tests_by_path[file.path].hw_classifications
        for name, parameters in tests_by_path[file.path].tests:
            classification = classifications.get(name.partition("::")[0])
            yield Offer(name, parameters=dict(parameters), hw_classification=classification)


def run(case: Case, context: Context) -> Result:
    """Run one of PyTorch's tests.

    If the test is named like a file, it passes if the file and all its test classes can be loaded
    for the device. If it is named like a class, it reports why the class cannot be loaded.
    """
    file = find_test_file(case.name, context.matrix.files)
    if file is None:
        raise BrokenTestError("The checkout doesn't contain this test file.")
    context.stage = "import"
    device, _, index = context.device.partition(":")
    if index:
        torch.get_device_module(device).set_device(int(index))
    checkout = context.matrix.given[CHECKOUT]
    loaded = _load_file_tests(Path(checkout, TESTS_FOLDER), file, device)
    if case.name == file.container:
        return _file_result(loaded, context, checkout)
    test = loaded.tests.get((case.name, case.parameters))
    if test is None:
        return _missing_test_result(case, file, loaded, checkout)
    context.stage = "run"
    return run_test(*test, checkout)


@cache
def _load_file_tests(folder: Path, file: TestFile, device: str) -> LoadedFile:
    # Importing PyTorch's helpers may start the device, so they are never imported before a fork.

    return load_test_file(folder, file, device)


def _file_result(loaded: LoadedFile, context: Context, checkout: str) -> Result:
    context.metrics["tests"] = (len(loaded.tests), "1")
    if loaded.error:
        return error_result(loaded.error, "import", checkout)
    if loaded.broken:
        name, error = next(iter(loaded.broken.items()))
        result = error_result(error, "load", checkout)
        names = ", ".join(list(loaded.broken)[:_MOST_NAMED])
        more = " and others" if len(loaded.broken) > _MOST_NAMED else ""
        problem = f"Classes that cannot be instantiated on the device: {names}{more}"
        reason = short_message(f"{problem}. {name}: {result.reason}")
        return Result(result.outcome, "load", reason, log_tail=result.log_tail)
    return Result("passed", "load")


def _missing_test_result(case: Case, file: TestFile, loaded: LoadedFile, checkout: str) -> Result:
    """Return the result of a planned test that the loaded file does not contain.

    The reason of the result says why the file does not contain the test. In the texts of the
    result, the path `checkout` is replaced by `CHECKOUT`.
    """
    class_name = case.name.partition("::")[0].removeprefix(f"{file.container}.")
    error = loaded.error or loaded.broken.get(class_name)
    if error is None:
        problem = "no such test" if "::" in case.name else "this class only"
        return Result("test-broken", "load", f"PyTorch creates {problem} for the device.")
    result = error_result(error, "load", checkout)
    if "::" not in case.name:
        return result
    problem = "file cannot be imported"
    if not loaded.error:
        problem = "class cannot be instantiated on the device"
    reason = short_message(result.reason or "", _MAX_REPEATED_CHARS)
    return Result("not-run", "load", f"Its {problem}; see the test {file.container}. {reason}")


class _ExceptionRecorder(unittest.TestResult):
    """A unittest result that stores exceptions, and not only their text as unittest does."""

    def __init__(self) -> None:
        super().__init__()
        self.exceptions: list[BaseException] = []

    def _exc_info_to_string(
        self, err: tuple[type[BaseException], BaseException, TracebackType], test: unittest.TestCase
    ) -> str:
        """Store the exception of a failure, an error or an expected failure, and return its text.

        unittest calls this method once for each of them, in order.
        """
        self.exceptions.append(err[1])
        return super()._exc_info_to_string(err, test)  # type: ignore[misc, no-any-return]


def run_test(kind: Callable[[str], unittest.TestCase], method: str, checkout: str) -> Result:
    """Run the method `method` of the test class `kind`, with its set-up, and return the result.

    In all texts, the path `checkout` is replaced by `CHECKOUT`.
    """
    recorder, test = _ExceptionRecorder(), kind(method)
    unittest.TestSuite([test]).run(recorder)
    if recorder.errors or recorder.failures:
        # An expected failure can only precede an error of the class's or module's tear-down.
        error = recorder.exceptions[len(recorder.expectedFailures)]
        return error_result(error, "run", checkout)
    if recorder.skipped:
        return error_result(unittest.SkipTest(recorder.skipped[0][1]), "run", checkout)
    caught: BaseException | None = getattr(test, EXPECTED_FAILURE, None)
    if expected := recorder.exceptions[0] if recorder.expectedFailures else caught:
        return _expected_failure_result(expected, checkout)
    if recorder.unexpectedSuccesses:
        return Result("failed", "run", UNEXPECTED_SUCCESS_REASON)
    return Result("passed", "run")


def _expected_failure_result(error: BaseException, checkout: str) -> Result:
    if isinstance(error, unittest.SkipTest):
        return error_result(error, "run", checkout)
    reason = f"{EXPECTED_FAILURE_PREFIX} {type(error).__name__}: {error}"
    return Result("skipped", "run", short_message(reason.replace(checkout, "CHECKOUT")))


def error_result(error: BaseException, stage: Stage, checkout: str) -> Result:
    """Return the result of a test that raised `error` in the stage `stage`.

    If `error` is a SkipTest, the outcome is `skipped`. If a missing package caused the error, the
    outcome is `test-broken`. Unless the test is skipped, the result has the end of the traceback.
    In the texts of the result, the path `checkout` is replaced by `CHECKOUT`.
    """
    if isinstance(error, unittest.SkipTest):
        skip_reason = f"{SKIP_PREFIX} {error}".replace(checkout, "CHECKOUT")
        return Result("skipped", None, short_message(skip_reason))
    result = classify_error(error, stage)
    missing_package = _missing_package(error)
    outcome = "test-broken" if missing_package else result.outcome
    reason = (
        f"The test requires {missing_package}, which is not installed."
        if missing_package
        else result.reason or ""
    )
    text = "".join(traceback.format_exception(error)).replace(checkout, "CHECKOUT")
    log_tail = text[-_LOG_TAIL_CHARS:].strip()
    return Result(
        outcome, result.stage, reason.replace(checkout, "CHECKOUT"), log_tail=log_tail or None
    )


def _missing_package(error: BaseException | None) -> str | None:
    """Return the name of the missing package that caused an error, or None for other causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__cause__
    return None


@dataclass(frozen=True, slots=True)
class FileTests:
    """The parts of a `LoadedFile` that a list of tests needs."""

    tests: tuple[tuple[str, Parameters], ...] = ()
    broken: tuple[str, ...] = ()
    hw_classifications: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Reader:
    """A process that imports a file, and its start as a time of `time.monotonic()`."""

    file: TestFile
    process: BaseProcess
    started: float


def collect_tests(folder: Path, files: Iterable[TestFile], device: str) -> dict[str, FileTests]:
    """Return the tests of files by path. Each file is imported in a separate process.

    `folder` is the folder of PyTorch's tests. A file that ends its process or hangs has no tests.
    """
    # A forked process keeps the imports of this one. Forks are only safe on Linux.
    is_linux = sys.platform == "linux"
    context: ForkContext | SpawnContext = get_context("fork") if is_linux else get_context("spawn")
    waiting_files, readers = deque(files), dict[Connection, _Reader]()
    tests_by_path: dict[str, FileTests] = {}
    while waiting_files or readers:
        while waiting_files and len(readers) < min(4, os.cpu_count() or 1):
            receiver, sender = context.Pipe(duplex=False)
            file = waiting_files.popleft()
            process = context.Process(target=_send_file_tests, args=(sender, folder, file, device))
            process.start()
            sender.close()
            readers[receiver] = _Reader(file, process, time.monotonic())
        for connection in _ended_connections(readers):
            reader = readers.pop(connection)
            path = reader.file.path
            tests_by_path[path] = _received_tests(connection, reader)
            seconds = time.monotonic() - reader.started
            print_progress(
                f"{path}: {count(len(tests_by_path[path].tests), 'test')} ({seconds:.1f} s)"
            )
    return tests_by_path


def _ended_connections(readers: dict[Connection, _Reader]) -> list[Connection]:
    """Wait until a process sends its tests, ends or exceeds `IMPORT_TIMEOUT_S`.

    Returns the connection to this process, or to all such processes if there are several. `readers`
    has the process at the other end of each connection.
    """
    first_deadline = min(reader.started for reader in readers.values()) + IMPORT_TIMEOUT_S
    ready = wait(list(readers), max(0.0, first_deadline - time.monotonic()))
    earliest_start = time.monotonic() - IMPORT_TIMEOUT_S
    return [c for c, reader in readers.items() if c in ready or reader.started <= earliest_start]


def _received_tests(connection: Connection, reader: _Reader) -> FileTests:
    file_tests = FileTests()
    with suppress(EOFError):  # it died; the file's own test reports the reason when it runs
        if connection.poll():
            file_tests = connection.recv()
    if reader.process.is_alive() and not file_tests.tests:
        reader.process.kill()
    reader.process.join()
    connection.close()
    return file_tests


def _send_file_tests(connection: Connection, folder: Path, file: TestFile, device: str) -> None:
    """Import a file in this separate process, and send its tests through `connection`."""
    with Path(os.devnull).open("w", encoding="utf-8") as null_file:
        os.dup2(null_file.fileno(), 1)
        os.dup2(null_file.fileno(), 2)

    loaded = load_test_file(folder, file, device, listing=True)
    tests, broken = tuple(loaded.tests), tuple(loaded.broken)
    connection.send(FileTests(tests, broken, loaded.hw_classifications))
    connection.close()
    os._exit(0)  # don't wait for threads that the file's import started


# Imports a file of PyTorch's tests, and returns the tests that PyTorch creates for one device.
#
# PyTorch has a base class for each device type, a subclass of DeviceTypeTestBase. PyTorch combines
# each generic test class of a file with this base class into a test class for that device type.

# The device type of plugins. They use PyTorch's PrivateUse1TestBase, or the base class that they
# name in TORCH_TEST_DEVICES, which PyTorch reads itself.
PLUGIN_TYPE = "privateuse1"

# Devices for which PyTorch makes the tests of a class only if the class asks for it.
OPT_IN = {"mps": "allow_mps", "xpu": "allow_xpu", "lazy": "include_lazy"}

BaseClass = type[Any]
"""A subclass of DeviceTypeTestBase, which PyTorch does not type."""


@dataclass
class LoadedFile:
    """The tests of a file. If the file could not be imported, `error` is the exception.

    `tests` has the class and the method name of each test, by the test's name and parameters in
    reports. `broken` has the exceptions of classes that could not be created, by class name.
    `hw_classifications` has the names of PyTorch's hardware classifications, by the test's class.
    """

    tests: dict[tuple[str, Parameters], tuple[type[Any], str]] = field(default_factory=dict)
    broken: dict[str, BaseException] = field(default_factory=dict)
    hw_classifications: dict[str, str] = field(default_factory=dict)
    error: BaseException | None = None


def load_test_file(
    folder: Path, file: TestFile, device: str, *, listing: bool = False
) -> LoadedFile:
    """Import a file and return its tests for a device type. Errors are in the returned object.

    `folder` is the folder of PyTorch's tests. If `listing` is true, neither the device nor its
    plugin is needed, and the tests can be listed but not run.
    """
    base, is_in_torch_list = find_base_class(device)
    base = deviceless_base_class(base) if listing else tolerant_base_class(base)
    use_only_base_class(base)
    loaded, instantiate = LoadedFile(), generic.instantiate_device_type_tests

    def instantiate_and_record(
        generic_test_class: type[Any], scope: dict[str, Any], *args: Any, **options: Any
    ) -> None:
        """Create the tests of a generic class as PyTorch does, and add them to `loaded`."""
        scope_before = dict(scope)
        if not creates_tests_for(base, options, of_torch=is_in_torch_list):
            scope.pop(generic_test_class.__name__, None)
            return
        try:
            instantiate(generic_test_class, scope, *args, **options)
        except Exception as error:  # noqa: BLE001 - one class that cannot be made ends no file
            loaded.broken[generic_test_class.__name__] = error
        container = f"{file.container}.{generic_test_class.__name__}"
        device_name = device_name_in_tests(base)
        for key, created_class in scope.items():
            if scope_before.get(key) is created_class or not isinstance(created_class, type):
                continue
            # A member of HardwareClassification in PyTorch 2.14 and newer.
            if classification := getattr(created_class, "hw_classification", None):
                loaded.hw_classifications[container] = classification.name
            for method in sorted(name for name in vars(created_class) if name.startswith("test")):
                parsed_test = name_and_parameters(container, method, device_name)
                loaded.tests[parsed_test.name, parameters_of(parsed_test.parameters)] = (
                    created_class,
                    method,
                )

    generic.instantiate_device_type_tests = instantiate_and_record
    decorate = generic.expectedFailure.__call__
    generic.expectedFailure.__call__ = lambda decorator, test: decorate(decorator, _noted(test))
    try:
        _import_test_file(folder, file)
    except BaseException as error:  # noqa: BLE001 - a file may raise anything, also SystemExit
        loaded.error = error
    finally:
        generic.instantiate_device_type_tests = instantiate
        generic.expectedFailure.__call__ = decorate
    return loaded


def _noted(test: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test that stores its exception in its object before it raises the exception.

    PyTorch's decorators for one device type, such as expectedFailureXPU, catch the exception of a
    test that fails as expected, so that to unittest the test passes.
    """

    @wraps(test)
    def noted_test(instance: Any, *args: Any, **options: Any) -> Any:
        setattr(instance, EXPECTED_FAILURE, None)
        try:
            return test(instance, *args, **options)
        except Exception as error:
            setattr(instance, EXPECTED_FAILURE, error)
            raise

    return noted_test


def _import_test_file(folder: Path, file: TestFile) -> None:
    """Import a file as if it were run as a script, with its own folder first in `sys.path`."""
    path = folder / f"{file.path}.py"
    for import_path in (str(folder), str(path.parent)):
        if import_path in sys.path:
            sys.path.remove(import_path)
        sys.path.insert(0, import_path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # a process that a test starts finds it by this name
    spec.loader.exec_module(module)


def use_only_base_class(base: BaseClass) -> None:
    """Make PyTorch create device-type tests for this base class only, also in child processes."""
    generic.device_type_test_bases[:] = [base]
    os.environ[generic.PYTORCH_TESTING_DEVICE_ONLY_FOR_KEY] = base.device_type


def creates_tests_for(base: BaseClass, options: dict[str, Any], *, of_torch: bool) -> bool:
    """Return whether PyTorch creates the tests of a test class for the device type of `base`.

    `options` has the options that the test file passes to `instantiate_device_type_tests` for the
    class, such as `allow_mps`. `of_torch` is true if PyTorch's list `device_type_test_bases`
    contains `base`.
    """
    opt_in = OPT_IN.get(base.device_type)
    return of_torch or opt_in is None or bool(options.get(opt_in))


def device_name_in_tests(base: BaseClass) -> str:
    """Return the device type that the names of tests contain, such as `cuda`.

    For a plugin, this is the name that the plugin registers with torch.
    """
    type_name: str = base.device_type
    return torch._C._get_privateuse1_backend_name() if type_name == PLUGIN_TYPE else type_name


def find_base_class(device: str) -> tuple[BaseClass, bool]:
    """Return the base class for a device type, and whether `device_type_test_bases` contains it.

    If PyTorch has no base class for the device type, a new class is returned.
    """
    type_name = PLUGIN_TYPE if _is_plugin_type(device) else device
    for base in generic.device_type_test_bases:
        if base.device_type in {type_name, device}:
            return base, True
    parent = generic.DeviceTypeTestBase
    for base in vars(generic).values():
        is_base = isinstance(base, type) and issubclass(base, parent)
        if is_base and base.device_type == type_name:
            return base, False
    return type(f"{type_name.upper()}TestBase", (parent,), {"device_type": type_name}), False


def deviceless_base_class(base: BaseClass) -> BaseClass:
    """Return a subclass of `base` that lists tests without using the device.

    The base class for the CPU is returned unchanged.
    """
    if base.device_type == "cpu":
        return base
    name = f"{device_name_in_tests(base)}:0"
    overrides = {
        "get_primary_device": classmethod(lambda _: name),
        "get_all_devices": classmethod(lambda _: [name]),
        "setUpClass": classmethod(lambda _: None),
    }
    return type(base.__name__, (base,), overrides)


def tolerant_base_class(base: BaseClass) -> BaseClass:
    """Return a subclass of a plugin's base class that works if the plugin lacks two functions.

    PyTorch calls the plugin's `current_device` and `device_count` to create tests. If they are
    missing, the subclass uses device 0 and a count of 1. If `base` is not the base class of
    plugins, it is returned unchanged.
    """
    if base.device_type != PLUGIN_TYPE:
        return base

    def set_up(cls: Any) -> None:
        name = torch._C._get_privateuse1_backend_name()
        cls.device_type, cls.device_mod = name, getattr(torch, name, None)
        cls.primary_device = f"{name}:{_call_or_default(cls.device_mod, 'current_device', 0)}"

    def all_devices(cls: Any) -> list[str]:
        first_device = cls.get_primary_device()
        count = _call_or_default(cls.device_mod, "device_count", 1)
        device_names = (f"{first_device.partition(':')[0]}:{index}" for index in range(count))
        return [first_device, *(name for name in device_names if name != first_device)]

    overrides = {"setUpClass": classmethod(set_up), "get_all_devices": classmethod(all_devices)}
    return type(base.__name__, (base,), overrides)


def _call_or_default(module: Any, name: str, default: int) -> int:
    function = getattr(module, name, None)
    return int(function()) if function else default


def _is_plugin_type(device: str) -> bool:
    """Return whether a device type belongs to a plugin.

    This is the case if a plugin registered the name, or if torch does not know the device type.
    """
    if device == torch._C._get_privateuse1_backend_name():
        return True
    try:
        torch.device(device)
    except RuntimeError:
        return True
    return False
