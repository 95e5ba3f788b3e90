"""One round of the sender: read new plans, send at a pace, and note what was sent after each batch.

Only one round runs at a time. What a round cannot send within its time waits for the next one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from accelerator_portal.automation.upstream.dispatch_queue import (
    SAME_EVENT,
    QueueItem,
    log_with_plans,
    log_with_sent,
    log_without_old,
    queue_items,
    sending_moments,
)
from accelerator_portal.automation.upstream.dispatching import (
    Senders,
    SendResult,
    SendSettings,
    send,
)
from accelerator_portal.automation.upstream.own_files import (
    PLAN,
    SENT,
    FileSource,
    newest_workflow_file,
    workflow_files,
)
from accelerator_portal.automation.upstream.pace import A_MINUTE, MOST_A_MINUTE, Pace
from accelerator_portal.automation.upstream.planning import DispatchPlan
from accelerator_portal.automation.upstream.send_log import SendLog

MOST_TIME = dt.timedelta(minutes=20)
"""After so long no new batch is begun: the job has an end, and the next one goes on."""

Save = Callable[[SendLog], None]


@dataclass
class DispatchRound:
    """What came of a round; `log` is what the next one goes on from."""

    log: SendLog
    sent: list[SendResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether a platform could not be told."""
        return any(not one.ok for one in self.sent)

    @property
    def waiting(self) -> int:
        """How many dispatches wait for the next round."""
        return sum(1 for _ in queue_items(self.log))


def dispatch(senders: Senders, save: Save, how: SendSettings | None = None) -> DispatchRound:
    """Send what is planned and not sent yet; `save` gets the log after each batch.

    New plans are read before each batch, so that a newer commit replaces what is not sent yet.
    Raises GitHubError where this repository's own files cannot be read.
    """
    how = how or SendSettings()
    begin = how.now()
    own = FileSource(senders.own, senders.home, begin - SAME_EVENT)
    log = newest_workflow_file(own, SENT, SendLog) or SendLog()
    done = DispatchRound(log)
    pace = Pace(sending_moments(log, begin - A_MINUTE), how.now, how.pause)
    failed: set[tuple[int, str]] = set()
    while how.now() - begin < MOST_TIME:
        _read_plans(own, done, how.now())
        batch = list(islice(_untried(done.log, failed), MOST_A_MINUTE))
        if not batch:
            break
        results = send(senders, batch, pace, how)
        at = {item: one.at for item, one in zip(batch, results, strict=True) if one.ok}
        failed |= {_key(item) for item in batch if item not in at}
        done.sent += results
        done.log = log_with_sent(done.log, batch, at)
        save(done.log)
        if next(_untried(done.log, failed), None) is None:
            break
    done.log = log_without_old(done.log, how.now())
    save(done.log)
    return done


def _read_plans(own: FileSource, done: DispatchRound, now: dt.datetime) -> None:
    where = FileSource(own.api, own.home, own.since, done.log.read.keys())
    added = log_with_plans(done.log, dict(workflow_files(where, PLAN, DispatchPlan)), now)
    done.log = added.log
    done.notes += added.notes


def _untried(log: SendLog, failed: set[tuple[int, str]]) -> Iterator[QueueItem]:
    return (item for item in queue_items(log) if _key(item) not in failed)


def _key(item: QueueItem) -> tuple[int, str]:
    return item.plan, item.entry.accelerator
