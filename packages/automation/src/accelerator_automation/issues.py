"""Opens, updates and closes one issue for each topic, such as a regression or a platform.

An issue is recognized by the marker in its body and by its author, because anybody can copy a
marker. Maintainers can mute an issue with the label `muted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from accelerator_automation.github.api import Api, parse_response, read_all_pages
from accelerator_automation.github.comments import BOT, require_harmless
from accelerator_automation.github.models import GitHubModel, Label, User
from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.markdown_file import code_span, escape_hidden_characters
from accelerator_portal.results.evidence_level import Breakage

MUTED = "muted"

MOST_OPENED = 20
"""The maximum number of issues with one label that a nightly run opens. Without a limit, a plugin
that fails in a thousand tests would get a thousand issues."""

# A person who edits the text on GitHub's page leaves line breaks of two characters.
_MARKER = re.compile(r"^<!-- accelerator-portal ([a-z-]{1,30}) ([0-9a-z-]{1,80}) -->\r?\n")


class Issue(GitHubModel):
    """An issue or a pull request, as GitHub lists it."""

    number: int
    title: str
    body: str | None = None
    state: Literal["open", "closed"]
    state_reason: str | None = None
    labels: tuple[Label, ...] = ()
    user: User | None = None

    def topic(self, label: str) -> str | None:
        """Return the name of the issue's topic, or None.

        Returns None if the automation did not write the issue, or if the issue's marker has a label
        other than `label`.
        """
        if self.user is None or self.user.login != BOT:
            return None
        match = _MARKER.match(self.body or "")
        return match[2] if match and match[1] == label else None

    @property
    def muted(self) -> bool:
        """Whether the issue has the label `muted`; its text is then not updated."""
        return any(label.name == MUTED for label in self.labels)


@dataclass(frozen=True, slots=True)
class IssueTopic:
    """The subject of an issue; `name` is unique among the issues with its label.

    `body` is the text that `issue_text` returns.
    """

    name: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Issues:
    """How many issues were opened, updated (`renewed`) and closed.

    A nightly run opens at most `MOST_OPENED` issues with one label. `waiting` is the number of
    issues that a later run has to open.
    """

    opened: int = 0
    renewed: int = 0
    closed: int = 0
    waiting: int = 0

    @property
    def words(self) -> str:
        """How many issues were changed, in one line: `1 opened, 0 updated, 2 closed`."""
        return f"{self.opened} opened, {self.renewed} updated, {self.closed} closed"


def issue_text(label: str, name: str, lines: Iterable[str]) -> str:
    """Return the text of an issue: a marker with its label and the name of its topic, then `lines`.

    Raises HarmfulError if the text must not be posted, which would be a bug of the caller.
    """
    marker = f"<!-- accelerator-portal {label} {name} -->"
    text = "\n".join([marker, "", *lines]) + "\n"
    require_harmless(f"issue {label} {name}", text, marker)
    return text


@dataclass(frozen=True, slots=True)
class IssueList:
    """The issues with `label` in the repository `home`; every method can raise GitHubError."""

    api: Api
    home: str
    label: str

    def read(self) -> list[Issue]:
        """Return every issue with the label, including closed ones."""
        path = f"repos/{self.home}/issues?state=all&labels={self.label}"
        return list(read_all_pages(self.api, path, Issue))

    def update_issues(
        self,
        topics: Iterable[IssueTopic],
        issues: Iterable[Issue],
        is_unknown: Callable[[str], bool],
    ) -> Issues:
        """Open, update and close issues to match the topics; return a count for each action.

        Opens at most `MOST_OPENED` issues, and none for a topic with a closed issue among `issues`.
        If several issues have the same topic, closes all but the oldest. If `is_unknown` returns
        true for the name of a topic, its issue stays open. An interrupted call can be repeated,
        because existing issues are found by their markers.
        """
        topics_by_name = {topic.name: topic for topic in topics}
        issues_by_topic: dict[str, Issue] = {}
        opened = renewed = closed = waiting = 0
        for issue in sorted(issues, key=lambda issue: issue.number):
            name = issue.topic(self.label)
            if name is None:
                continue
            is_duplicate = issues_by_topic.setdefault(name, issue) is not issue
            is_resolved = name not in topics_by_name and not is_unknown(name)
            if issue.state == "open" and (is_duplicate or is_resolved):
                self._edit_issue(issue, {"state": "closed", "state_reason": "completed"})
                closed += 1
        for name, topic in topics_by_name.items():
            existing = issues_by_topic.get(name)
            if existing is None and opened == MOST_OPENED:
                waiting += 1
            elif existing is None:
                self._open_issue(topic)
                opened += 1
            elif existing.state == "open" and not existing.muted and existing.body != topic.body:
                self._edit_issue(existing, {"body": topic.body})
                renewed += 1
        return Issues(opened, renewed, closed, waiting)

    def _open_issue(self, topic: IssueTopic) -> None:
        path = f"repos/{self.home}/issues"
        content = {"title": topic.title, "body": topic.body, "labels": [self.label]}
        parse_response(path, self.api.send("POST", path, content), Issue)

    def _edit_issue(self, issue: Issue, content: dict[str, str]) -> None:
        self.api.send("PATCH", f"repos/{self.home}/issues/{issue.number}", content)


# Opens, updates and closes one GitHub issue for each regression in the platforms' test reports.
#
# If somebody closes the issue of a regression, no new issue is opened for this regression.

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
