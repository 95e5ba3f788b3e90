"""One word for how a test stands, as its last report left it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from accelerator_portal.results.standing import Basis, Standing, State, verdict

FLAKY_WINDOW = 8
FLAKY_FLIPS = 3
"""So many turns in so many of the last verdicts make a test flaky; on the same code, one does."""

Class = Literal[
    "regressed",  # passed before, and fails in the last report that has it
    "fixed",  # failed before, and passes in the last report that has it
    "new",  # only one report has it
    "gone",  # the last report of its suite, mode, dtype and compiler does not have it
    "flaky",  # went back and forth in its last verdicts, FLAKY_FLIPS times or on the same code
    "never passed",  # failed, and passed in no report
    "still failing",  # passed once, and failed in an earlier report and ever since
    "unchanged",  # nothing of the above
    "expectation changed",  # the last baseline expects something else than the one before
]


def flips(standing: Standing) -> int:
    """Return how often the last verdicts of a test went from good to bad or back."""
    last = standing.verdicts[-FLAKY_WINDOW:]
    return sum(one[-1] != other[-1] for one, other in pairwise(last))


def turned_on_same_code(standing: Standing) -> bool:
    """Say whether a test lately both passed and failed on the same code."""
    return any(verdict.startswith("=") for verdict in standing.verdicts[-FLAKY_WINDOW:])


def is_flaky(standing: Standing) -> bool:
    """Say whether a test goes back and forth."""
    return flips(standing) >= FLAKY_FLIPS or turned_on_same_code(standing)


def classify(standing: Standing, basis: Basis) -> Class:
    """Say how a test stands; the first word that fits, from `gone` over `flaky` to `unchanged`.

    What says nothing of the product (an error of the infrastructure, a broken or skipped test, one
    not run, one not checked) neither breaks nor mends: the test stands as before.
    """
    if standing.gone:
        return "gone"
    if basis == "baselines":
        return _expectation(standing)
    if is_flaky(standing):
        return "flaky"
    return "new" if _seen_once(standing) else _course(standing)


def _seen_once(standing: Standing) -> bool:
    return standing.first_seen == standing.last_seen


def _expectation(standing: Standing) -> Class:
    if _seen_once(standing):
        return "new"
    return "expectation changed" if standing.since == standing.last_seen else "unchanged"


def _course(standing: Standing) -> Class:
    """The word for a test that is neither new nor gone nor flaky."""
    turn = "".join(v[-1] for v in standing.verdicts[-2:]) if verdict(standing.outcome) else ""
    if turn == "-+":
        return "fixed"
    if standing.first_bad is None:
        return "unchanged"
    if standing.last_good is None:
        return "never passed"
    return "regressed" if turn == "+-" else "still failing"


def classes(state: State) -> Iterator[tuple[str, Class]]:
    """Yield every test of a state with its word, in the order of the keys."""
    return ((key, classify(standing, state.basis)) for key, standing in state.tests())
