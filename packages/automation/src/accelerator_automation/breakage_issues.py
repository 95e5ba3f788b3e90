"""Opens, updates and closes one GitHub issue for each regression in the platforms' test reports.

If somebody closes the issue of a regression, no new issue is opened for this regression.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from accelerator_automation.github.api import Api
from accelerator_automation.issues import MUTED, IssueList, Issues, IssueTopic, issue_text
from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.markdown_quotes import code_span, escape_hidden_characters
from accelerator_portal.results.breakages import Breakage

LABEL = "breakage"

_MOST_TITLE = 200


def update_breakage_issues(
    api: Api,
    home: str,
    breakages: Sequence[tuple[Platform, Breakage]],
    unseen: Collection[str] = (),
) -> Issues:
    """Open, update and close issues to match `breakages`; return a count for each action.

    `breakages` are the open regressions, `home` is this repository (OWNER/NAME). `unseen` has the
    ids of the platforms whose folder is quarantined or whose history is damaged. The regressions of
    these platforms cannot be determined, so the issues of these platforms stay open. Raises
    GitHubError.
    """
    topics = [IssueTopic(breakage_issue_name(p, b), title(p, b), body(p, b)) for p, b in breakages]
    issues = IssueList(api, home, LABEL)
    return issues.update_issues(
        topics, issues.read(), lambda name: name.rpartition("-")[0] in unseen
    )


def breakage_issue_name(platform: Platform, breakage: Breakage) -> str:
    """Return the name of a regression's issue topic, `<platform>-<regression>`, which is unique."""
    return f"{platform.id}-{breakage.id}"


def title(platform: Platform, breakage: Breakage) -> str:
    """Return the title of a regression's issue, as plain text."""
    return f"{platform.id}: {escape_hidden_characters(breakage.key)} {breakage.outcome}"[
        :_MOST_TITLE
    ]


def body(platform: Platform, breakage: Breakage) -> str:
    """Return the text of a regression's issue.

    The text changes only if the regression, the platform's name or the maintainers change.
    """
    people = ", ".join(code_span(person.github) for person in platform.accelerator.maintainers)
    lines = [
        (
            f"{code_span(breakage.key)} passed on {code_span(platform.accelerator.name)} "
            "and now fails."
        ),
        "",
        f"- outcome: {breakage.outcome}",
        f"- last passed: {breakage.last_good.started:%Y-%m-%d %H:%M} UTC",
        f"- first failed: {breakage.first_bad.started:%Y-%m-%d %H:%M} UTC",
        *(["- newer runs don't include this test"] if breakage.gone else []),
        *(["- flaky: the test passes and fails intermittently"] if breakage.flaky else []),
        *(
            f"- {difference.what}: {code_span(difference.before or 'not stated')} → "
            f"{code_span(difference.after or 'not stated')}"
            for difference in breakage.differences
        ),
        f"- contact: {people or 'no maintainer listed'}",
        "",
        "This issue is closed automatically when a report shows that the test passes.",
        f"To mute this issue, add the label {code_span(MUTED)} or close the issue.",
        f"If the failure is expected, add it to {code_span(platform.path('known-issues.yaml'))}.",
    ]
    return issue_text(LABEL, breakage_issue_name(platform, breakage), lines)
