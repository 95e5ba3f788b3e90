"""One round of dispatching: everybody in a plan is told who was not told before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_portal.automation.upstream.dispatching import (
    DispatchJournal,
    Senders,
    Sent,
    commit_key,
    send,
    told_before,
)
from accelerator_portal.automation.upstream.own_files import JOURNAL, Where, left
from accelerator_portal.automation.upstream.planning import DispatchPlan

TOLD_AGAIN_AFTER = dt.timedelta(days=1)
"""An event that comes again after so long is a new one."""


@dataclass(frozen=True, slots=True)
class DispatchRound:
    """What came of a round: who was told now, how many were before, and the journal of both."""

    journal: DispatchJournal
    sent: tuple[Sent, ...]
    told_before: int

    @property
    def failed(self) -> bool:
        """Whether somebody could not be told."""
        return any(not one.ok for one in self.sent)


def dispatch(
    senders: Senders, plan: DispatchPlan, earlier: Iterable[DispatchJournal], now: dt.datetime
) -> DispatchRound:
    """Tell everybody in a plan who was not told yet, by `earlier` journals or those left on GitHub.

    Only the journals of the same commit are read: a day of 500 events costs each of them nothing.
    Raises GitHubError where the journals cannot be read; nobody is told then.
    """
    where = Where(senders.own, senders.home, now - TOLD_AGAIN_AFTER)
    key = commit_key(plan.change)
    journals = [*earlier, *(found for _, found in left(where, JOURNAL, DispatchJournal, key))]
    same, already = told_before(plan.change, journals)
    sent = send(senders, plan, already)
    return DispatchRound(DispatchJournal(plan=plan, sent=(*same, *sent)), tuple(sent), len(already))
