"""Opens, updates and closes one issue for each breakage that reports show.

An issue is known by the marker in its body and by who wrote it: anybody can write the marker,
nobody else can be the automation. A maintainer mutes one with the label `muted`, or by closing
it: a breakage that somebody closed is not opened again while it lasts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from accelerator_portal.automation.comment_posting import BOT
from accelerator_portal.automation.events import User
from accelerator_portal.automation.github import Api, parsed, read_all
from accelerator_portal.automation.sanitizer import faults
from accelerator_portal.catalog import Platform
from accelerator_portal.results.breakages import Breakage
from accelerator_portal.site.difference.harmless import span, visible

LABEL = "breakage"
MUTED = "muted"

MOST_OPENED = 20
"""In one night: a plugin that fails everywhere is one piece of news, not a thousand issues."""

_MARKER = re.compile(r"^<!-- accelerator-portal breakage ([0-9a-z-]{1,80}) -->\n")
_MOST_TITLE = 200

ActionKind = Literal["open", "renew", "close"]


class IssueLabel(BaseModel):
    """A label of an issue."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str


class Issue(BaseModel):
    """An issue, as GitHub lists it; pull requests are listed, too."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int
    title: str
    body: str | None = None
    state: Literal["open", "closed"]
    labels: tuple[IssueLabel, ...] = ()
    user: User | None = None

    @property
    def breakage(self) -> str | None:
        """What breakage it is about; None for an issue that the automation did not write."""
        if self.user is None or self.user.login != BOT:
            return None
        found = _MARKER.match(self.body or "")
        return found[1] if found else None

    @property
    def muted(self) -> bool:
        """Whether a maintainer wants it left as it is."""
        return any(label.name == MUTED for label in self.labels)


@dataclass(frozen=True, slots=True)
class IssueAction:
    """What is to be done with an issue; `number` is None for one that is to be opened."""

    kind: ActionKind
    breakage: str
    number: int | None = None
    title: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class Issues:
    """What was done, and how many breakages have no issue yet."""

    opened: tuple[int, ...] = ()
    renewed: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    waiting: int = 0


def settle(
    api: Api,
    home: str,
    breakages: Sequence[tuple[Platform, Breakage]],
    unseen: Iterable[str] = (),
) -> Issues:
    """Bring the issues of a repository in line with what is broken. Raises GitHubError.

    `unseen` are platforms whose folders were set aside: nobody looked at what is broken there, so
    that their issues stay. Whoever is interrupted starts again: what is done is seen by its marker.
    """
    path = f"repos/{home}/issues"
    issues = list(read_all(api, f"{path}?state=all&labels={LABEL}", Issue))
    actions = list(planned(breakages, issues, unseen))
    opening = [action for action in actions if action.kind == "open"]
    done: dict[ActionKind, list[int]] = {"open": [], "renew": [], "close": []}
    for action in actions:
        if action in opening[MOST_OPENED:]:
            continue
        done[action.kind].append(_do(api, path, action))
    return Issues(
        tuple(done["open"]),
        tuple(done["renew"]),
        tuple(done["close"]),
        max(0, len(opening) - MOST_OPENED),
    )


def planned(
    breakages: Iterable[tuple[Platform, Breakage]],
    issues: Iterable[Issue],
    unseen: Iterable[str] = (),
) -> Iterator[IssueAction]:
    """Yield what is to be done, closing first.

    Of two issues of one breakage the older one counts.
    """
    broken = {identity(platform, b): (platform, b) for platform, b in breakages}
    left = set(unseen)
    known: dict[str, Issue] = {}
    for issue in sorted(issues, key=lambda issue: issue.number):
        name = issue.breakage
        if name is None:
            continue
        double = known.setdefault(name, issue) is not issue
        mended = name not in broken and name.rpartition("-")[0] not in left
        if issue.state == "open" and (double or mended):
            yield IssueAction("close", name, issue.number)
    for name, (platform, breakage) in broken.items():
        text, found = body(platform, breakage), known.get(name)
        if found is None:
            yield IssueAction("open", name, None, title(platform, breakage), text)
        elif found.state == "open" and not found.muted and found.body != text:
            yield IssueAction("renew", name, found.number, found.title, text)


def identity(platform: Platform, breakage: Breakage) -> str:
    """Return the name of a breakage among those of all platforms."""
    return f"{platform.id}-{breakage.id}"


def title(platform: Platform, breakage: Breakage) -> str:
    """Return what an issue is called: titles are plain text."""
    return f"{platform.id}: {visible(breakage.key)} {breakage.outcome}"[:_MOST_TITLE]


def body(platform: Platform, breakage: Breakage) -> str:
    """Return what an issue says; it stays the same as long as nothing is new.

    Raises ValueError if it held anything that could act on GitHub: that would be a fault here.
    """
    marker = f"<!-- accelerator-portal breakage {identity(platform, breakage)} -->"
    people = ", ".join(span(person.github) for person in platform.accelerator.maintainers)
    lines = [
        f"{span(breakage.key)} passed on {span(platform.accelerator.name)} and now fails.",
        "",
        f"- outcome: {breakage.outcome}",
        f"- last passed: {breakage.last_good.started:%Y-%m-%d %H:%M} UTC",
        f"- first failed: {breakage.first_bad.started:%Y-%m-%d %H:%M} UTC",
        *(["- newer runs don't include this test"] if breakage.gone else []),
        *(["- flaky: the test passes and fails intermittently"] if breakage.flaky else []),
        *(
            f"- {d.what}: {span(d.before or 'not stated')} → {span(d.after or 'not stated')}"
            for d in breakage.differences
        ),
        f"- contact: {people or 'no maintainer listed'}",
        "",
        "This issue is closed automatically when a report shows that the test passes.",
        f"To mute it, add the label {span(MUTED)} or close it.",
        f"If the failure is expected, add it to {span(platform.path('known-issues.yaml'))}.",
    ]
    text = "\n".join([marker, "", *lines]) + "\n"
    if wrong := faults(text, marker):
        raise ValueError(f"the issue of {identity(platform, breakage)}: {wrong[0]}")
    return text


def _do(api: Api, path: str, action: IssueAction) -> int:
    if action.kind == "open":
        content = {"title": action.title, "body": action.body, "labels": [LABEL]}
        return parsed(path, api.send("POST", path, content), Issue).number
    place = f"{path}/{action.number}"
    if action.kind == "renew":
        api.send("PATCH", place, {"body": action.body})
    else:
        api.send("PATCH", place, {"state": "closed", "state_reason": "completed"})
    return action.number or 0
