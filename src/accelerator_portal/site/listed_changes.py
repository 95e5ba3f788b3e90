"""What the page of changes lists of the weeks: it does not grow with the years."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accelerator_portal.site.history_view import Episode, HistoryStep, Week

# The newest weeks with so many reports together are listed; the newest always is.
MOST_REPORTS = 400

# Of what one report changed so much is listed, and so much of all reports; then a few of each.
MOST_OF_A_REPORT = 100
MOST_CHANGES = 4_000
LEAST_OF_A_REPORT = 5


@dataclass(frozen=True, slots=True)
class ShownReportChanges:
    """A report that changed something, and what of it is listed."""

    episode: Episode
    steps: tuple[HistoryStep, ...]

    @property
    def more(self) -> int:
        """How many changes only the data has."""
        return len(self.episode.steps) - len(self.steps)


@dataclass(frozen=True, slots=True)
class ListedWeek:
    """A week of the page."""

    week: Week
    reports: tuple[ShownReportChanges, ...]


@dataclass(frozen=True, slots=True)
class ListedChanges:
    """The weeks of the page, and how many older reports it leaves out."""

    weeks: tuple[ListedWeek, ...]
    older: int

    @property
    def anchors(self) -> frozenset[str]:
        """The ids of the reports that are listed."""
        return frozenset(r.episode.anchor for week in self.weeks for r in week.reports)


def listed_changes(weeks: Sequence[Week]) -> ListedChanges:
    """Return what the page lists of all weeks, which come newest first."""
    shown = list(_newest(weeks))
    room = MOST_CHANGES
    listed: list[ListedWeek] = []
    for week in shown:
        reports: list[ShownReportChanges] = []
        for episode in week.episodes:
            most = min(MOST_OF_A_REPORT, max(room, LEAST_OF_A_REPORT))
            reports.append(ShownReportChanges(episode, episode.steps[:most]))
            room -= len(reports[-1].steps)
        listed.append(ListedWeek(week, tuple(reports)))
    older = sum(len(week.episodes) for week in weeks[len(shown) :])
    return ListedChanges(tuple(listed), older)


def _newest(weeks: Sequence[Week]) -> Iterable[Week]:
    reports = 0
    for place, week in enumerate(weeks):
        reports += len(week.episodes)
        if place and reports > MOST_REPORTS:
            return
        yield week
