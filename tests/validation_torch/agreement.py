"""Whether a report of the operator suite and the oracle's verdicts can both be true.

    python -m tests.validation_torch.agreement report.json oracle.json

prints how often each verdict meets each outcome, then every disagreement, and ends with status 1
where there is one.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report

DTYPE = "float32"

# What the harness may say where the oracle says this. `executed` claims nothing of the numbers, so
# it is never a lie about an operator that is right; of one that is wrong it hides what is known.
# What nobody can compare, the harness may leave out.
AGREES: Mapping[str, frozenset[str]] = {
    "right": frozenset({"passed", "executed"}),
    "wrong": frozenset({"wrong-result"}),
    "raised": frozenset({"unsupported-operator", "failed", "out-of-memory"}),
    "crashed": frozenset({"crashed"}),
    "hung": frozenset({"timed-out"}),
    "not comparable": frozenset({"executed", "missing"}),
}


@dataclass(frozen=True)
class Pair:
    """What both say of one operator in one mode; `missing` stands for one that says nothing."""

    name: str
    mode: str
    oracle: str
    outcome: str
    reasons: str

    @property
    def agrees(self) -> bool:
        """Whether both can be true."""
        return self.outcome in AGREES.get(self.oracle, frozenset())

    def __str__(self) -> str:
        head = f"{self.name} {self.mode}: the harness says {self.outcome}, the oracle {self.oracle}"
        return f"{head} ({self.reasons})"


Verdicts = Mapping[str, Mapping[str, tuple[str, str]]]


def pairs(report: Report, verdicts: Verdicts) -> Iterator[Pair]:
    """Yield what both say, for every operator that either of them knows."""
    outcomes = {
        (test.name, str(test.parameters["mode"])): (test.outcome, test.reason or "")
        for test in report.tests
        if test.suite == "operators" and test.parameters["dtype"] == DTYPE
    }
    answers = {(name, mode): found for name, by in verdicts.items() for mode, found in by.items()}
    for name, mode in sorted(outcomes.keys() | answers.keys()):
        outcome, said = outcomes.get((name, mode), ("missing", ""))
        oracle, detail = answers.get((name, mode), ("missing", ""))
        reasons = "; ".join(text[:120].replace("\n", " ") for text in (said, detail) if text)
        yield Pair(name, mode, oracle, outcome, reasons)


def main() -> None:
    """Compare two files."""
    report, verdicts = (Path(word) for word in sys.argv[1:3])
    found = list(pairs(read_report(report), json.loads(verdicts.read_text("utf-8"))))
    counts = sorted(Counter((pair.oracle, pair.outcome) for pair in found).items())
    disagreements = [str(pair) for pair in found if not pair.agrees]
    lines = [f"{number:5}  oracle {one:15} harness {other}" for (one, other), number in counts]
    lines += [f"{len(disagreements)} disagreements of {len(found)}", *disagreements]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(bool(disagreements))


if __name__ == "__main__":
    main()
