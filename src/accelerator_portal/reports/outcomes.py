"""What can happen to a test, and how far it got: the vocabulary of the common test report format.

Infrastructure, the product and the test itself are kept apart, and so are "ran" and "is right".
"""

from __future__ import annotations

from typing import Literal

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

MEANING: dict[Outcome, str] = {
    "passed": "Ran, and the result matches the reference.",
    "executed": "Ran, but the result was not checked, or cannot be.",
    "wrong-result": "Ran, and the result differs from the reference.",
    "unsupported-operator": "An operator or a type that it needs is not implemented.",
    "failed": "Stopped with an error of the product.",
    "crashed": "The process died.",
    "timed-out": "Did not end within its limit.",
    "out-of-memory": "The device, or the machine, had too little memory.",
    "infrastructure-error": "The machine, the network or the runner failed, not the product.",
    "test-broken": "The test itself cannot work: its model does not load, its reference is wrong.",
    "skipped": "Left out on purpose; the reason says why.",
    "not-run": "Planned, and never started.",
}

# Rates count these, in this order of severity; what stands in neither says nothing of the product.
GOOD: frozenset[Outcome] = frozenset({"passed"})
BAD: frozenset[Outcome] = frozenset(
    {"wrong-result", "unsupported-operator", "failed", "crashed", "timed-out", "out-of-memory"}
)

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

Kind = Literal["made-here", "self-reported", "baseline"]
TriggerKind = Literal["release", "nightly", "periodic", "pull-request", "manual", "unknown"]
