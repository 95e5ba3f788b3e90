"""One round of answers: what is outstanding is looked for, compared, answered and settled."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from accelerator_portal.automation.github import Api
from accelerator_portal.automation.ownership import maintainers
from accelerator_portal.automation.upstream import collecting, rounds
from accelerator_portal.automation.upstream.answering import Desk
from accelerator_portal.automation.upstream.collecting import Ledger, Looked
from accelerator_portal.automation.upstream.finding import ReportPlace
from accelerator_portal.automation.upstream.marker import PlatformAnswer
from accelerator_portal.automation.upstream.own_files import LEDGER, SENT, Where, newest
from accelerator_portal.automation.upstream.send_log import SendLog
from accelerator_portal.catalog import Catalog
from accelerator_portal.reports.report_check import known_to


@dataclass(frozen=True, slots=True)
class Clients:
    """GitHub with three tokens: each can do no more than it must."""

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

    looked: tuple[Looked, ...]
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
    where = Where(clients.own, clients.home, now - collecting.REMEMBERED)
    ledger = newest(where, LEDGER, Ledger) or Ledger()
    log = newest(where, SENT, SendLog) or SendLog()
    sent = dict(sorted({**ledger.open, **log.sent}.items()))  # the newest event comes last
    entries = collecting.taking_part(catalog)
    asked = collecting.asked_of(sent.values(), ledger, entries, now)
    known = known_to(catalog)
    looked = collecting.look(ReportPlace(clients.vendors, clients.home, known, now), asked)
    bases = rounds.Bases(root)
    compared = list(rounds.compared(looked, catalog, bases, now.date()))
    desk = Desk(clients.upstream, clients.login, maintainers(catalog))
    done, failed = rounds.say(desk, catalog, compared)
    done += bases.faults
    if keep:
        done += [f"Stored the report of {name}." for name in rounds.keep(root, looked)]
    return AnswerRound(
        looked=tuple(looked),
        answers=tuple(one.answer for one in compared),
        done=tuple(done),
        ledger=collecting.with_open(collecting.settled(ledger, looked, now, failed), sent, now),
        failed=bool(failed) or any(one.error for one in looked),
    )
