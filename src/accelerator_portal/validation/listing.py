"""Which tests there are: asked of the suites in a process of its own, without any plugin.

As a program, `python -m accelerator_portal.validation.listing` reads matrices by suite as JSON from
its standard input and prints the tests as JSON. Names
come from libraries that import torch; so that a broken plugin cannot keep a plan from being made,
that process does not load plugins.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from accelerator_portal.validation.case import brief
from accelerator_portal.validation.context import load_suite
from accelerator_portal.validation.matrix import Matrix
from accelerator_portal.validation.plan import ListingError, Offer
from accelerator_portal.validation.progress import reported
from accelerator_portal.validation.side_process import SideProcess, Waiting

AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"

# PyTorch's own tests are many files, each of which is imported.
_LIMIT_S = 1800


def begin_listing(matrices: Mapping[str, Matrix]) -> SideProcess:
    """Start to list the tests of suites."""
    asked = {suite: matrix.model_dump(mode="json") for suite, matrix in matrices.items()}
    return SideProcess(__name__, given=json.dumps(asked), variables={AUTOLOAD: "0"})


def offers_of(
    process: SideProcess,
    waiting: Waiting = lambda _: None,
    told: Callable[[str], None] = lambda _: None,
) -> dict[str, list[Offer]]:
    """Wait for the tests and return them by suite; raises ListingError.

    `told` hears how far a long listing is.
    """

    def also(seconds: float) -> None:
        for words in reported(process.new_errors()):
            told(words)
        waiting(seconds)

    done = process.wait(_LIMIT_S, also)
    if done.status is None:
        raise ListingError(f"the tests were not listed within {_LIMIT_S} s")
    if done.status:
        last = done.stderr.strip().splitlines()[-1:] or [f"status {done.status}"]
        raise ListingError(f"the tests cannot be listed: {brief(last[0])}")
    found = json.loads(done.stdout.splitlines()[-1])
    return {suite: [_offer(*item) for item in items] for suite, items in found.items()}


def listed(matrices: Mapping[str, Matrix]) -> dict[str, list[Offer]]:
    """Return the tests of suites by suite; raises ListingError."""
    with begin_listing(matrices) as process:
        return offers_of(process)


def _offer(
    name: str,
    only: Mapping[str, list[str]],
    parameters: Mapping[str, str],
    usual: bool,  # noqa: FBT001 - as it stands in the list
) -> Offer:
    return Offer(name, {a: frozenset(values) for a, values in only.items()}, parameters, usual)


def main() -> None:
    """Print the tests of the suites whose matrices come in."""
    try:
        found = {suite: _written(written) for suite, written in json.load(sys.stdin).items()}
    except ListingError as error:
        sys.exit(" ".join(str(error).split()))  # the last line is what is told
    sys.stdout.write(f"\n{json.dumps(found)}\n")


def _written(matrix: Mapping[str, Any]) -> list[tuple[str, dict[str, list[str]], Any, bool]]:
    read = Matrix.model_validate(matrix)
    return [
        (
            offer.name,
            {axis: sorted(values) for axis, values in offer.only.items()},
            dict(offer.parameters),
            offer.usual,
        )
        for offer in load_suite(read).offers(read)
    ]


if __name__ == "__main__":
    main()
