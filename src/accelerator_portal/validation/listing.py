"""Which tests there are: asked of the suites in a process of its own, without any plugin.

As a program, `python -m accelerator_portal.validation.listing` reads matrices by suite as JSON from
its standard input and prints the tests as JSON. Names
come from libraries that import torch; so that a broken plugin cannot keep a plan from being made,
that process does not load plugins.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from tempfile import TemporaryFile
from threading import Event, Timer

from accelerator_portal.validation.case import brief
from accelerator_portal.validation.context import load_suite
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import Offer
from accelerator_portal.validation.progress import echoed

AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"

# PyTorch's own tests are many files, each of which is imported.
_LIMIT_S = 1800


class ListingError(Exception):
    """The tests of a suite cannot be listed; the message says why."""


def listed(matrices: Mapping[str, Matrix]) -> dict[str, list[Offer]]:
    """Return the tests of suites by suite; raises ListingError."""
    asked = {suite: matrix.model_dump(mode="json") for suite, matrix in matrices.items()}
    with TemporaryFile("w+", encoding="utf-8") as given, TemporaryFile("w+") as printed:
        json.dump(asked, given)
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=given,
            env={**os.environ, AUTOLOAD: "0"},
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        words = _ended(process)
        if process.returncode:
            last = words[-1:] or [f"status {process.returncode}"]
            raise ListingError(f"the tests cannot be listed: {brief(last[0])}")
        printed.seek(0)
        found = json.loads(printed.read().splitlines()[-1])
    return {suite: [_offer(*item) for item in items] for suite, items in found.items()}


def _ended(process: subprocess.Popen[str]) -> list[str]:
    """Wait for the process that lists, and show how far it is; return the rest of what it says."""
    late = Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = Timer(_LIMIT_S, stop)
    timer.daemon = True
    timer.start()
    try:
        with process:
            words = echoed(process.stderr or ())
    finally:
        timer.cancel()
    if late.is_set():
        raise ListingError(f"the tests were not listed within {_LIMIT_S} s")
    return words


def _offer(
    name: str,
    only: Mapping[str, list[str]],
    parameters: Mapping[str, str],
    usual: bool,  # noqa: FBT001 - as it stands in the list
) -> Offer:
    return Offer(name, {a: frozenset(values) for a, values in only.items()}, parameters, usual)


def main() -> None:
    """Print the tests of the suites whose matrices come in."""
    found = {}
    for suite, written in json.load(sys.stdin).items():
        matrix = Matrix.model_validate(written)
        offers = load_suite(matrix).offers(matrix)
        found[suite] = [
            (
                offer.name,
                {axis: sorted(values) for axis, values in offer.only.items()},
                dict(offer.parameters),
                offer.usual,
            )
            for offer in offers
        ]
    sys.stdout.write(f"\n{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
