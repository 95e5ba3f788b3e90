"""Roll-ups of the archive: what many reports say of a suite in a month, as pandas DataFrames.

Each is a function of whole partitions: every group that it makes lies within one accelerator, suite
and month. So it gives the same for a frame of all rows as for each partition by itself, to the last
bit; `rolling_up` uses that where the rows do not fit into memory. Numbers are counts, and whole
microseconds, whose sums do not depend on the order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accelerator_portal.reports.outcomes import BAD, GOOD

if TYPE_CHECKING:
    import pandas as pd

    Frame = pd.DataFrame

PLACE = ("accelerator", "suite", "month")
"""What every roll-up is grouped by: the names of the archive's folders."""

CODE = ("torch", "torch_commit", "plugin_version", "plugin_commit", "commit")
"""What tells two versions of the tested code apart."""

MOST_SLOW = 10
"""So many of the slowest tests are listed of a suite and month."""


@dataclass(frozen=True, slots=True)
class Rollup:
    """A roll-up: the columns that it needs beside `PLACE`, and what makes it of them."""

    meaning: str
    """What it says, one sentence for readers."""
    columns: tuple[str, ...]
    make: Callable[[Any], Any]


def outcome_counts(frame: Frame) -> Frame:
    """Return how often each outcome was reported, by accelerator, suite and month."""
    found: Frame = _grouped(frame, *PLACE, "outcome").size().reset_index(name="results")
    return found


def pass_rates(frame: Frame) -> Frame:
    """Return how many results passed, failed, or say nothing of the product, and the pass rate.

    The rate is of those that passed or failed; where there are none it is absent.
    """
    marked = frame.assign(
        passed=frame["outcome"].isin(GOOD).astype("int64"),
        failed=frame["outcome"].isin(BAD).astype("int64"),
    )
    groups = _grouped(marked, *PLACE)
    found: Frame = groups.agg(
        reports=("report", "nunique"),
        results=("key", "size"),
        passed=("passed", "sum"),
        failed=("failed", "sum"),
    ).reset_index()
    return found.assign(pass_rate=found["passed"] / (found["passed"] + found["failed"]))


def flaky_tests(frame: Frame) -> Frame:
    """Return the tests that both passed and failed on the same code, and how often.

    Results that do not name PyTorch's version name no code, and are left out.
    """
    named = frame[frame["torch"].notna()]
    marked = named.assign(
        passed=named["outcome"].isin(GOOD).astype("int64"),
        failed=named["outcome"].isin(BAD).astype("int64"),
    )
    code = _grouped(marked, *PLACE, "key", *CODE)[["passed", "failed"]].sum().reset_index()
    both = code[(code["passed"] > 0) & (code["failed"] > 0)]
    found: Frame = _grouped(both, *PLACE, "key")[["passed", "failed"]].sum().reset_index()
    return found


def slowest_tests(frame: Frame) -> Frame:
    """Return the tests that took longest on average, the slowest first."""
    timed = frame[frame["seconds"].notna()]
    whole = timed.assign(microseconds=(timed["seconds"] * 1e6).round().astype("int64"))
    groups = _grouped(whole, *PLACE, "key")["microseconds"]
    found = groups.agg(runs="size", total="sum", longest="max").reset_index()
    found["mean_seconds"] = found["total"] / found["runs"] / 1e6
    found["longest_seconds"] = found["longest"] / 1e6
    ordered = found.sort_values(
        [*PLACE, "mean_seconds", "key"], ascending=[True, True, True, False, True]
    )
    first: Frame = _grouped(ordered, *PLACE).head(MOST_SLOW)
    return first[[*PLACE, "key", "runs", "mean_seconds", "longest_seconds"]].reset_index(drop=True)


def _grouped(frame: Frame, *names: str) -> Any:  # noqa: ANN401 - pandas has a class for each case
    return frame.groupby(list(names), sort=True, dropna=False, observed=True)


ROLLUPS: Mapping[str, Rollup] = {
    "outcomes": Rollup("How often each outcome was reported", ("outcome",), outcome_counts),
    "pass-rates": Rollup(
        "How many results passed and failed", ("key", "report", "outcome"), pass_rates
    ),
    "flaky": Rollup(
        "Tests that both passed and failed on the same code",
        ("key", "outcome", *CODE),
        flaky_tests,
    ),
    "slowest": Rollup(
        f"The {MOST_SLOW} tests of each suite that took longest on average",
        ("key", "seconds"),
        slowest_tests,
    ),
}
"""The roll-ups by the names that the command takes."""
