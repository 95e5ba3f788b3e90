"""Lists the outcomes that a test can have in a report, with their meaning and their look on pages.

Faults of the infrastructure, of the product and of the test itself have different outcomes. A test
that ran without a check of its result is `executed`; it is `passed` only if the result is right.

`OUTCOMES` contains everything that the portal knows about an outcome. To add an outcome, add it to
`Outcome` and to this table: readers and writers of other formats, the harness, pages, scripts and
the JSON Schema use the table. A new color also needs a value in tokens.css and a class in
tables.css.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeGuard

Outcome = Literal[
    "passed",
    "executed",
    "wrong-result",
    "unsupported-operator",
    "failed",
    "crashed",
    "timed-out",
    "out-of-memory",
    "infrastructure-error",
    "test-broken",
    "skipped",
    "not-run",
]

Stage = Literal[
    "build",
    "deploy",
    "import",
    "load",
    "export",
    "quantize",
    "lower",
    "eager",
    "compile",
    "run",
    "compare",
]

ReportKind = Literal["made-here", "self-reported", "baseline"]
RunLevel = Literal["quick", "standard", "full"]
"""How much of each test a run tries: `quick` takes minutes, `standard` also runs the variants of
operators, `full` runs all samples, data types and variants."""

TriggerKind = Literal["release", "nightly", "periodic", "pull-request", "manual", "unknown"]

OutcomeGroup = Literal["pass", "unchecked", "failure", "error", "skip", "missing"]
"""What an outcome says about the product. `pass`: the result is right. `unchecked`: the test ran,
and its result was not compared. `failure`: the product failed. `error`: the machine or the test
failed, not the product. `skip`: the test was skipped on purpose. `missing`: a planned test never
started."""

OutcomeSign = Literal["+", "-", ""]
"""`+` for good, `-` for bad, empty if the outcome says nothing about the product."""

OutcomeColor = Literal["pass", "fail", "warn", "info", "none"]
"""The color of an outcome: the ending of its CSS class, such as `pass` in `outcome--pass`."""


@dataclass(frozen=True, slots=True)
class OutcomeInfo:
    """The properties of an outcome: its meaning, its look and order on pages, and its effects."""

    words: str
    """The outcome in words, as pages show it."""
    meaning: str
    """One sentence for readers."""
    group: OutcomeGroup
    """What the outcome says about the product; pass rates, exit codes and other formats use it."""
    sign: str
    """One character that stands for the outcome in tables; each outcome has its own character."""
    color: OutcomeColor
    """The color of the sign."""
    merge_rank: int
    """If a file has two results of one test, the result with the lower rank counts: a pass never
    hides a failure, and a skip never hides a pass."""
    page_rank: int
    """The position in sorted tables: outcomes that need attention first, passed tests last."""
    retried: bool = False
    """Whether tests that ran before in the same process may cause the outcome. The harness then
    runs the test a second time, alone."""
    checks_device: bool = False
    """Whether the device may be unusable afterwards, or its memory not released. The harness then
    checks the device before the next test. A process that died is replaced in any case."""

    @property
    def bar_color(self) -> OutcomeColor:
        """The color in bars: `none` (gray) if the outcome is neither good nor bad, else `color`."""
        return "none" if self.color == "info" else self.color


OUTCOMES: Mapping[Outcome, OutcomeInfo] = {
    "passed": OutcomeInfo(
        "passed",
        "The test ran, and the result matches the reference.",
        group="pass",
        sign="✓",
        color="pass",
        merge_rank=100,
        page_rank=120,
    ),
    "executed": OutcomeInfo(
        "executed",
        "The test ran, but the result was not or cannot be checked.",
        group="unchecked",
        sign="○",
        color="info",
        merge_rank=90,
        page_rank=110,
    ),
    "wrong-result": OutcomeInfo(
        "wrong result",
        "The test ran, and the result differs from the reference.",
        group="failure",
        sign="≠",
        color="warn",
        merge_rank=20,
        page_rank=40,
    ),
    "unsupported-operator": OutcomeInfo(
        "unsupported operator",
        "A required operator or data type is not implemented.",
        group="failure",
        sign="∅",
        color="warn",
        merge_rank=40,
        page_rank=50,
    ),
    "failed": OutcomeInfo(
        "failed",
        "The test stopped with an error in PyTorch, the plugin or the driver.",
        group="failure",
        sign="✕",
        color="fail",
        merge_rank=30,
        page_rank=20,
        checks_device=True,
    ),
    "crashed": OutcomeInfo(
        "crashed",
        "The process crashed.",
        group="failure",
        sign="!",
        color="fail",
        merge_rank=10,
        page_rank=10,
        retried=True,
    ),
    "timed-out": OutcomeInfo(
        "timed out",
        "The test exceeded its time limit.",
        group="failure",
        sign="T",
        color="fail",
        merge_rank=60,
        page_rank=30,
        retried=True,
    ),
    "out-of-memory": OutcomeInfo(
        "out of memory",
        "The device or the machine ran out of memory.",
        group="failure",
        sign="M",
        color="warn",
        merge_rank=50,
        page_rank=60,
        retried=True,
        checks_device=True,
    ),
    "infrastructure-error": OutcomeInfo(
        "infrastructure error",
        "The machine, the network or the runner failed, not PyTorch, the plugin or the driver.",
        group="error",
        sign="I",
        color="info",
        merge_rank=70,
        page_rank=70,
        checks_device=True,
    ),
    "test-broken": OutcomeInfo(
        "test broken",
        "The test itself is broken: for example, its model doesn't load or its reference is wrong.",
        group="error",
        sign="B",
        color="info",
        merge_rank=80,
        page_rank=80,
    ),
    "skipped": OutcomeInfo(
        "skipped",
        "The test was skipped on purpose; see the reason.",
        group="skip",
        sign="–",
        color="info",
        merge_rank=110,
        page_rank=100,
    ),
    "not-run": OutcomeInfo(
        "not run",
        "The test was planned, but not started.",
        group="missing",
        sign="…",
        color="none",
        merge_rank=120,
        page_rank=90,
    ),
}


def outcome_counts_text(outcomes: Counter[Outcome]) -> str:
    """Return numbers of tests as text, in the order of `OUTCOMES`: `3 passed, 1 failed`."""
    return ", ".join(f"{outcomes[o]} {o}" for o in OUTCOMES if outcomes[o])


def outcomes_in(*groups: OutcomeGroup) -> frozenset[Outcome]:
    """Return all outcomes whose `OutcomeInfo.group` is one of `groups`."""
    return frozenset(outcome for outcome, info in OUTCOMES.items() if info.group in groups)


def is_outcome(word: str) -> TypeGuard[Outcome]:
    """Return whether a word is the name of an outcome."""
    return word in OUTCOMES


# Pass rates count these two sets; the other outcomes say nothing about the product.
GOOD = outcomes_in("pass")
BAD = outcomes_in("failure")

UNSUCCESSFUL = outcomes_in("failure", "error")
"""Outcomes that somebody has to look at, whatever the cause."""

UNSETTLED = outcomes_in("failure", "error", "missing")
"""Outcomes of tests that may be run again: failures, errors, and tests that never started."""

ATTEMPTED = outcomes_in("pass", "unchecked", "failure")
"""Outcomes of tests that used the product, with any result."""

WORST_FIRST: tuple[Outcome, ...] = tuple(sorted(OUTCOMES, key=lambda o: OUTCOMES[o].page_rank))
"""All outcomes in the order of sorted tables."""


def verdict(outcome: Outcome) -> OutcomeSign:
    """Return `+` for a good outcome and `-` for a bad outcome.

    The result is empty if the outcome says nothing about the product, as for `skipped`.
    """
    return "+" if outcome in GOOD else "-" if outcome in BAD else ""
