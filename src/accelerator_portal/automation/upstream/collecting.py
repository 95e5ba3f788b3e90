"""Going through what was sent and is not answered yet, and remembering what is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.dispatching import DispatchJournal
from accelerator_portal.automation.upstream.finding import ReportPlace, RunResult, RunState, find
from accelerator_portal.automation.upstream.left_report import SKEW, SentRequest
from accelerator_portal.automation.upstream.payload import run_title
from accelerator_portal.automation.upstream.planning import PlannedPlatform, entry_of
from accelerator_portal.automation.upstream.run_lists import RunLists
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.fields import Id, Model
from accelerator_portal.reports.report import Moment

REMEMBERED = dt.timedelta(days=6, hours=1)
"""After so long nobody is waited for: twice as long as a run may take, and a round."""

_AT_ONCE = 8
_MOST_CLOSED = 50_000
_MOST_SETTLED = 100_000


class Settled(Model):
    """One platform's answer to one event, which is not looked for again."""

    at: Moment
    """When it was sent."""
    state: RunState
    """What came of it."""


class OpenJournal(Model):
    """What is outstanding of a journal, so that the journal itself is read once."""

    change: Change
    """What was sent."""
    sent: Mapping[Id, Moment]
    """To whom, and when: those that were told and are not settled."""

    @classmethod
    def of(cls, journal: DispatchJournal) -> OpenJournal:
        """Return a journal as it is when nothing of it is settled."""
        sent = {one.accelerator: one.at for one in journal.sent if one.ok}
        return cls(change=journal.plan.change, sent=sent)


class Ledger(Model):
    """What is settled, by the title of the run: the file between two rounds."""

    schema_version: Literal[1] = 1
    """The form of this file."""
    settled: Annotated[Mapping[str, Settled], Field(max_length=100_000)] = Field(
        default_factory=dict
    )
    """By `<delivery>/<accelerator>`."""
    closed: Annotated[tuple[int, ...], Field(max_length=100_000)] = ()
    """Journals of which all is settled, by the number of the artifact."""
    open: Annotated[Mapping[int, OpenJournal], Field(max_length=100_000)] = Field(
        default_factory=dict
    )
    """The others that were read, by the number of the artifact."""

    @property
    def known(self) -> frozenset[int]:
        """The journals that need not be read again."""
        return frozenset({*self.closed, *self.open})


@dataclass(frozen=True, slots=True)
class Looked:
    """One platform that was asked, and what came of it; `error`: GitHub did not say."""

    asked: SentRequest
    found: RunResult | None
    error: str = ""


def taking_part(catalog: Catalog) -> dict[str, PlannedPlatform]:
    """Return how each platform takes part now: where its reports are is its folder's word."""
    return {
        platform.id: entry_of(platform, platform.accelerator.upstream_events)
        for platform in catalog.platforms
        if platform.accelerator.upstream_events
    }


def asked_of(
    journals: Iterable[OpenJournal],
    ledger: Ledger,
    entries: Mapping[str, PlannedPlatform],
    now: dt.datetime,
) -> Iterator[SentRequest]:
    """Yield what was sent and is not settled; each once, whichever journal has it.

    A platform that takes part no more is not waited for.
    """
    seen = set(ledger.settled)
    for journal in journals:
        for accelerator, at in journal.sent.items():
            entry = entries.get(accelerator)
            title = run_title(journal.change, accelerator)
            if entry is None or title in seen or now - at > REMEMBERED:
                continue
            seen.add(title)
            yield SentRequest(journal.change, entry, at)


def look(place: ReportPlace, asked: Iterable[SentRequest]) -> list[Looked]:
    """Look for every report; what cannot be asked now is said, and the others go on.

    The runs of each repository are listed once for all that it was sent.
    """
    asked = list(asked)
    if asked and place.runs is None:
        place = replace(place, runs=RunLists(place.api, min(one.at for one in asked) - SKEW))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda one: _looked(place, one), asked))


def _looked(place: ReportPlace, asked: SentRequest) -> Looked:
    try:
        return Looked(asked, find(place, asked))
    except GitHubError as error:
        return Looked(asked, None, str(error))


def settled(
    before: Ledger, looked: Iterable[Looked], now: dt.datetime, failed: Collection[int] = ()
) -> Ledger:
    """Return the ledger with what is settled now, without what is too old to be asked again.

    Pull requests that could not be written to, `failed`, are not settled.
    """
    kept = {title: one for title, one in before.settled.items() if now - one.at <= REMEMBERED}
    for one in looked:
        number = one.asked.change.number
        if one.found and number not in failed and _is_final(one.found, one.asked, now):
            title = run_title(one.asked.change, one.asked.entry.accelerator)
            kept[title] = Settled(at=one.asked.at, state=one.found.state)
    newest = sorted(kept, key=lambda title: kept[title].at, reverse=True)[:_MOST_SETTLED]
    return Ledger(settled={title: kept[title] for title in newest}, closed=before.closed)


def closing(ledger: Ledger, journals: Mapping[int, OpenJournal], now: dt.datetime) -> Ledger:
    """Return the ledger with the journals as they are now: closed, or what is outstanding.

    Nothing is waited for that was sent too long ago. Of journals without end, the newest stay.
    """
    left = {
        number: OpenJournal(
            change=journal.change,
            sent={
                accelerator: at
                for accelerator, at in journal.sent.items()
                if now - at <= REMEMBERED
                and run_title(journal.change, accelerator) not in ledger.settled
            },
        )
        for number, journal in journals.items()
    }
    done = {number for number, journal in left.items() if not journal.sent}
    closed = sorted({*ledger.closed, *done}, reverse=True)[:_MOST_CLOSED]
    still = {number: left[number] for number in sorted(left.keys() - done)}
    return ledger.model_copy(update={"closed": tuple(closed), "open": still})


def _is_final(found: RunResult, asked: SentRequest, now: dt.datetime) -> bool:
    """A run that failed may be repeated within its hours, one that is lost come back in as many."""
    limit = dt.timedelta(hours=asked.entry.hours)
    age = now - asked.at
    if found.state in {"report", "late"}:
        return True
    return age > (limit if found.state == "refused" else 2 * limit)
