"""One round of answers: what is outstanding is looked for, compared, answered and settled."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.automation.github import Api
from accelerator_portal.automation.ownership import maintainers
from accelerator_portal.automation.upstream import answer_ledger, round_steps
from accelerator_portal.automation.upstream.answer_ledger import Ledger, LookupResult
from accelerator_portal.automation.upstream.comment_update import CommentAccess
from accelerator_portal.automation.upstream.late_labels import (
    REACH,
    late_labels,
    requests_without_check,
)
from accelerator_portal.automation.upstream.marker import PlatformAnswer
from accelerator_portal.automation.upstream.own_files import (
    LEDGER,
    SENT,
    FileSource,
    newest_workflow_file,
)
from accelerator_portal.automation.upstream.run_search import ReportPlace
from accelerator_portal.automation.upstream.send_log import SendLog
from accelerator_portal.catalog import Catalog
from accelerator_portal.reports.report_check import known_names


@dataclass(frozen=True, slots=True)
class Clients:
    """GitHub for three uses: each has tokens that can do no more than they must."""

    own: Api
    """Reads this repository."""
    vendors: Api
    """Reads the vendors' runs."""
    upstream: Api
    """Comments upstream."""
    home: str
    """This repository."""
    login: str
    """Who comments upstream."""


@dataclass(frozen=True, slots=True)
class AnswerRound:
    """What came of a round: each platform that was asked, the answers, and what was done."""

    looked: tuple[LookupResult, ...]
    answers: tuple[PlatformAnswer, ...]
    done: tuple[str, ...]
    """In sentences."""
    ledger: Ledger
    """What is settled now."""
    failed: bool
    """Whether something could not be asked or said; the next round tries it again."""


def answer(
    root: Path, catalog: Catalog, clients: Clients, now: dt.datetime, *, keep: bool = False
) -> AnswerRound:
    """Look for the reports that are outstanding, and say what is news on pull requests.

    With `keep`, reports of the main branch are put into the platforms' results. Raises GitHubError
    where this repository's own files cannot be read, OSError.
    """
    where = FileSource(clients.own, clients.home, now - answer_ledger.REMEMBERED)
    ledger = newest_workflow_file(where, LEDGER, Ledger) or Ledger()
    log = newest_workflow_file(where, SENT, SendLog) or SendLog()
    sent = dict(sorted({**ledger.open, **log.sent}.items()))  # the newest event comes last
    entries = answer_ledger.current_entries(catalog)
    recent = answer_ledger.sent_requests(sent.values(), entries, now - REACH)
    without = requests_without_check(catalog, clients.home, recent, ledger)
    late = late_labels(clients.upstream, without)
    asked = answer_ledger.open_requests(sent.values(), ledger, entries, now, late.titles)
    known = known_names(catalog)
    looked = answer_ledger.find_reports(
        ReportPlace(clients.vendors, clients.home, known, now), asked
    )
    bases = round_steps.Bases(root)
    compared = list(round_steps.compare_with_bases(looked, catalog, bases, now.date()))
    desk = CommentAccess(clients.upstream, clients.login, maintainers(catalog))
    posted = round_steps.post_answers(desk, catalog, compared)
    done = [*late.errors, *posted.said, *bases.faults]
    if keep:
        done += [
            f"Stored the report of {name}." for name in round_steps.store_main_reports(root, looked)
        ]
    return AnswerRound(
        looked=tuple(looked),
        answers=tuple(one.answer for one in compared),
        done=tuple(done),
        ledger=answer_ledger.with_open(
            answer_ledger.with_settled(ledger, looked, now, posted.failed, posted.checked),
            sent,
            now,
        ),
        failed=bool(posted.failed or late.errors) or any(one.error for one in looked),
    )
