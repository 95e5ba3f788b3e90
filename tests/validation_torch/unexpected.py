"""What a report holds that a list of known issues does not tell of.

    python -m tests.validation_torch.unexpected report.json known-issues.yaml [OUTCOME …]

prints every test that failed and is not known to, and every known issue that is out of date; the
outcomes named after the files are never a surprise. It ends with status 1 where there is one.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from accelerator_reports.known_issues import KnownIssues, issue_matches_test, outdated_issues
from accelerator_reports.outcomes import UNSETTLED
from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report
from accelerator_reports.test_ids import identity_of


def surprises(
    report: Report, known: KnownIssues, day: dt.date, allowed: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield a line for each failure that is not known, and each known issue to be removed."""
    live = [issue for issue in known.issues if issue.expires > day]
    for test in report.tests:
        identity = identity_of(test)
        if test.outcome not in UNSETTLED or test.outcome in allowed:
            continue
        if not any(issue_matches_test(issue, identity) for issue in live):
            yield f"{identity.key}: {test.outcome}: {(test.reason or '')[:200]}"
    for old in outdated_issues(known.issues, report.tests, day):
        yield f"{old.issue.test or old.issue.glob}: the known issue {old.why}"


def main() -> None:
    """Compare a report with a file of known issues."""
    report, issues, *allowed = sys.argv[1:]
    known = KnownIssues.model_validate(yaml.safe_load(Path(issues).read_text("utf-8")))
    today = dt.datetime.now(dt.UTC).date()
    lines = list(surprises(read_report(Path(report)), known, today, frozenset(allowed)))
    sys.stdout.write("\n".join([f"{len(lines)} results are unexpected", *lines, ""]))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
