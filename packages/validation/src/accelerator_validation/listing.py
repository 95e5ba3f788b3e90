"""Lists the tests of suites in a separate process that loads no plugin.

As a program, `python -m accelerator_validation.listing` reads matrices by suite as JSON from its
standard input and prints the tests as JSON. It imports torch, because the libraries that name the
tests import it. It loads no plugin, so that a broken plugin does not prevent a plan. The exception
is a vendor's pytest suite: a further process loads the plugin to collect its tests.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from pydantic import TypeAdapter

from accelerator_validation.case import short_message
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer, RunError
from accelerator_validation.side_process import SideProcess, WaitCallback, print_result
from accelerator_validation.suite_interface import load_suite

AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"

# PyTorch's own tests are many files, each of which is imported.
_LIMIT_S = 1800

_MATRICES = TypeAdapter(dict[str, Matrix])
_OFFERS = TypeAdapter(dict[str, list[Offer]])

# Starts the lines of standard error that report the progress of a long listing.
_PROGRESS_PREFIX = "progress: "


def start_listing(matrices: Mapping[str, Matrix]) -> SideProcess:
    """Start a process that lists the tests of suites; `wait_for_offers` waits for its result."""
    matrices_json = _MATRICES.dump_json(dict(matrices)).decode()
    return SideProcess(__name__, given=matrices_json, variables={AUTOLOAD: "0"})


def wait_for_offers(
    process: SideProcess,
    waiting: WaitCallback = lambda _: None,
    report_message: Callable[[str], None] = lambda _: None,
) -> dict[str, list[Offer]]:
    """Wait for the process of `start_listing`, and return the tests by suite name.

    `waiting` is called regularly with the seconds since the start. `report_message` is called with
    each message about the progress. Raises RunError if the process fails or takes more than 30
    minutes.
    """

    def report_progress(seconds: float) -> None:
        for message in progress_messages(process.new_error_lines()):
            report_message(message)
        waiting(seconds)

    process_output = process.wait(_LIMIT_S, report_progress)
    if process_output.status is None:
        raise RunError(f"the tests were not listed within {_LIMIT_S} s")
    if process_output.status or process_output.result is None:
        last_lines = process_output.stderr.strip().splitlines()[-1:] or [
            f"status {process_output.status}"
        ]
        raise RunError(f"the tests cannot be listed: {short_message(last_lines[0])}")
    return _OFFERS.validate_json(process_output.result)


def list_tests(matrices: Mapping[str, Matrix]) -> dict[str, list[Offer]]:
    """List the tests of suites and return them by suite name. Raises RunError if this fails."""
    with start_listing(matrices) as process:
        return wait_for_offers(process)


def print_progress(words: str) -> None:
    """Print a progress message to standard error, where the parent process reads it."""
    sys.stderr.write(f"{_PROGRESS_PREFIX}{words}\n")
    sys.stderr.flush()


def progress_messages(lines: Iterable[str]) -> Iterator[str]:
    """Yield the messages that `print_progress` wrote, from the listing process's output lines."""
    return (
        line.removeprefix(_PROGRESS_PREFIX) for line in lines if line.startswith(_PROGRESS_PREFIX)
    )


def main() -> None:
    """Print the tests of the suites whose matrices are on the standard input."""
    matrices = _MATRICES.validate_json(sys.stdin.read())
    try:
        offers_by_suite = {name: list(load_suite(m).offers(m)) for name, m in matrices.items()}
    except RunError as error:
        sys.exit(" ".join(str(error).split()))  # the last line is shown to the user
    print_result(_OFFERS.dump_json(offers_by_suite).decode())


if __name__ == "__main__":
    main()
