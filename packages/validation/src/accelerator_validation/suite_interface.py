"""What the harness and a suite expect of each other, and what remains of a crash."""

from __future__ import annotations

import importlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from accelerator_reports.outcomes import Stage
from accelerator_reports.report import Tolerance
from accelerator_validation.case import Case, ObservedOperators, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer

# Extracts the last step and the stack from the log of a process that died or was killed.

STEP_PREFIX = "validate: "
"""The prefix of a line in which a worker announces a step."""
REFERENCE_PREFIX = "the reference of "
"""The text after `STEP_PREFIX` that marks a step that does not use the device."""

# The number of bytes used; a stack of 100 frames with a list of 200 modules is smaller.
_READ_BYTES = 65_536
_MAX_OUTPUT_CHARS = 800
_MAX_STACK_CHARS = 2400
_MOST_FRAMES = 4
_MAX_PASSED_CHARS = 400
"""The most characters of the output of a test that did not fail; tens of thousands do not."""

# The first line of faulthandler. Python 3.14 and newer add the C stack below the Python stack.
_FAULTHANDLER_START = re.compile(r"^(?:Fatal Python error: |Timeout \()", re.MULTILINE)
_THREAD = re.compile(
    r"^(?=(?:Stack|(?:Current thread|Thread) \S+.*) \(most recent call first\):)", re.MULTILINE
)
# The identifier of a thread, which would make two equal crashes differ.
_THREAD_ID = re.compile(r"^(Current thread|Thread) 0x[0-9a-f]+", re.MULTILINE)
_C_STACK = re.compile(r"^(?=Current thread's C stack trace)", re.MULTILINE)
_MODULES = re.compile(r"^Extension modules: .*\n?", re.MULTILINE)

# The frames below are only those of this harness, with paths of this machine.
_HARNESS_FRAME = re.compile(r'^  File "[^"]*accelerator_validation/worker\.py".*', re.MULTILINE)
_PYTHON_FRAME_PATH = re.compile(r'(?<=^  File ")[^"]+(?=")', re.MULTILINE)
_C_FILE = re.compile(r'(?<=^  Binary file ")[^"]+(?=")', re.MULTILINE)
_STEP = re.compile(rf"^{STEP_PREFIX}.*\n?", re.MULTILINE)
_INSTALLED_FILE = re.compile(r"\S*/(?:site-packages|lib/python[\d.]+)/")
_INSTALL_PREFIX = re.compile(r".*/(?:site-packages|lib/python[\d.]+)/")


def read_log(path: Path) -> str:
    """Return the printable text in the last 64 KiB of a log file, or "" if it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _READ_BYTES))
            text = file.read(_READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return "".join(c for c in text if c.isprintable() or c == "\n")


def last_step(log: str) -> str | None:
    """Return the last step that a worker announced in its log, or None if it announced none."""
    steps = [line for line in log.splitlines() if line.startswith(STEP_PREFIX)]
    return steps[-1].removeprefix(STEP_PREFIX) if steps else None


def crash_excerpt(log: str) -> str:
    """Return the end of the output in a log, and the top of the stack that faulthandler wrote.

    The announcements of completed steps and faulthandler's list of modules are omitted.
    """
    *_, stack_start = (len(log), *(match.start() for match in _FAULTHANDLER_START.finditer(log)))
    lines = log[:stack_start].splitlines()
    step_numbers = [number for number, line in enumerate(lines) if line.startswith(STEP_PREFIX)]
    for number in reversed(step_numbers[:-1]):
        del lines[number]
    output = "\n".join(lines).strip()
    parts = [output if len(output) <= _MAX_OUTPUT_CHARS else f"…\n{output[-_MAX_OUTPUT_CHARS:]}"]
    return "\n".join(filter(None, [*parts, *_stack_parts(log[stack_start:])]))


def output_excerpt(log: str, *, steps: bool) -> str | None:
    """Return the end of a test's output, or None if there is none.

    If `steps` is true, the step that was announced last is included.
    """
    excerpt = crash_excerpt(log) if steps else _STEP.sub("", log).strip()[-_MAX_PASSED_CHARS:]
    return _INSTALLED_FILE.sub("", excerpt) or None


def error_stack(error: BaseException) -> str:
    """Return the last frames of an error's stack, without the folders of this machine."""
    stack = "".join(traceback.format_tb(error.__traceback__, limit=-_MOST_FRAMES))
    return _PYTHON_FRAME_PATH.sub(_shortened_path, stack)


def _stack_parts(text: str) -> list[str]:
    """Return the parts of a stack that faulthandler wrote, each shortened.

    The parts are the first line, the Python frames of the crashed thread, and the C frames, if any.
    If the crashed thread has no Python frames, the second part has those of the main thread.
    """
    python_stack, *c_stacks = _C_STACK.split(_MODULES.sub("", text), maxsplit=1)
    first_line, *threads = _THREAD.split(python_stack)
    crashed_threads = [
        t for t in threads if t.startswith(("Current thread", "Stack")) and '\n  File "' in t
    ]
    parts = [first_line]
    for frames in crashed_threads[:1] or threads[-1:]:  # the main thread is last
        above_harness = _HARNESS_FRAME.split(frames, maxsplit=1)[0]
        parts.append(_PYTHON_FRAME_PATH.sub(_shortened_path, _THREAD_ID.sub(r"\1", above_harness)))
    parts += [_C_FILE.sub(_shortened_path, part) for part in c_stacks]
    return [_top_frames(part.strip(), _MAX_STACK_CHARS // max(1, len(parts) - 1)) for part in parts]


def _shortened_path(match: re.Match[str]) -> str:
    """Return the path in `match` without the folders that are specific to this machine."""
    short_path = _INSTALL_PREFIX.sub("", match[0])
    return "/".join(short_path.split("/")[-3:]) if short_path == match[0] else short_path


def _top_frames(frames: str, limit: int) -> str:
    if len(frames) <= limit:
        return frames
    return frames[: frames.rfind("\n", 0, limit)] + "\n  …"


@dataclass
class Context:
    """The device, settings and progress of a running test."""

    device: str
    """The device under test, for example `cuda:0`."""
    matrix: Matrix
    """The definition of the test's suite."""
    backend: str = ""
    """The names of the ExecuTorch backends under test, separated by commas. Only the suites that
    test ExecuTorch use it."""
    imports: str = ""
    """The plugin's module to import after torch; empty if torch loads the plugin by itself."""
    stage: Stage = "load"
    """The stage that the test has reached. If the test raises an exception, the report names this
    stage, but always `compare` for a MismatchError."""
    reference: bool = False
    """True while the test runs a block of `on_reference`, which does not use the device. Stays
    true if the block raises an exception."""
    metrics: dict[str, tuple[float, str]] = field(default_factory=dict)
    """The value and unit of each metric so far, by metric name."""
    inputs: str | None = None
    """What the test runs on, for example `input_ids int64[1, 512]`."""
    tolerance: Tolerance | None = None
    """The allowed difference from the reference."""
    observation: Callable[[], ObservedOperators] | None = None
    """A function that repeats the computation and returns its ATen operators, or None. It is called
    only after a test has passed. Its errors change the reason of the result, not the outcome."""
    note: str | None = None
    """A text to add to the reason if the test does not succeed, such as how the test differs from
    PyTorch's own test."""

    @contextmanager
    def on_reference(self) -> Iterator[None]:
        """Mark the code in a `with` block as a part of the test that does not use the device.

        If the block raises an exception, the outcome is `test-broken`, unless `classify_error` has
        a fixed outcome for the exception.
        """
        previous_value, self.reference = self.reference, True
        yield
        self.reference = previous_value  # not reset after an exception: `classify_error` needs it

    def announce(self, step: str) -> None:
        """Write to the worker's log that a step begins. A crash report names the last step."""
        sys.stderr.write(f"{STEP_PREFIX}{REFERENCE_PREFIX if self.reference else ''}{step}\n")
        sys.stderr.flush()


class SuiteModule(Protocol):
    """The functions of a suite's module. Importing most of these modules imports torch."""

    def offers(self, matrix: Matrix) -> Iterator[Offer]:
        """Yield the tests of the suite, without using a device."""

    def run(self, case: Case, context: Context) -> Result:
        """Run a test and return its result.

        If this function raises an exception, the result is that of `classify_error`.
        """


def load_suite(matrix: Matrix) -> SuiteModule:
    """Import and return the module that lists and runs the tests of a suite."""
    return cast("SuiteModule", importlib.import_module(matrix.module))
