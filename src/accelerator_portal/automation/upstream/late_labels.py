"""Check runs for a label that is added after a report was answered.

PyTorch's relay is told of a new label `ciflow/crcr/<device>` and makes its own check runs from the
results of the last three days. It passes the event on to nobody, so the portal asks which pull
requests have the label: one request for each device, however many pull requests there are. Source:
pytorch/test-infra at commit 61a7757, `webhook/event_handler.py` and `CRCR_STATUS_TTL` in
`utils/config.py` of `aws/lambda/cross_repo_ci_relay`, read 2026-11-23.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from accelerator_portal.automation.events import Number, Part
from accelerator_portal.automation.github import Api, GitHubError, read_all
from accelerator_portal.automation.upstream.answer_ledger import Ledger
from accelerator_portal.automation.upstream.checks import check_label, device_of, level_of
from accelerator_portal.automation.upstream.payload import run_title
from accelerator_portal.automation.upstream.planning import PlannedPlatform
from accelerator_portal.automation.upstream.run_report import SKEW, SentRequest
from accelerator_portal.automation.upstream.run_search import report_repository
from accelerator_portal.catalog import Catalog

REACH = dt.timedelta(days=3)
"""A label counts for what was sent within this time, as in the relay."""

_ANSWERED = {"report", "late"}


class _Issue(Part):
    """GitHub lists pull requests among the issues."""

    number: Number


@dataclass(frozen=True, slots=True)
class LateLabels:
    """The titles of the runs whose check run is asked for now; `errors` say what was not asked."""

    titles: frozenset[str] = frozenset()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelQuestion:
    """What has to be known of GitHub: which pull requests of a repository have a label."""

    repository: str
    label: str


def late_labels(
    api: Api, waiting: Mapping[LabelQuestion, Mapping[int, tuple[SentRequest, ...]]]
) -> LateLabels:
    """Return the runs, by their titles, that have no check run and whose label is there by now."""
    titles: set[str] = set()
    errors: list[str] = []
    for question, requests in waiting.items():
        oldest = min(one.at for several in requests.values() for one in several)
        try:
            labeled = set(_labeled(api, question, oldest - SKEW))
        except GitHubError as error:
            errors.append(f"Pull requests with {question.label} could not be listed: {error}")
            continue
        for number in labeled & requests.keys():
            titles |= {run_title(one.change, one.entry.accelerator) for one in requests[number]}
    return LateLabels(frozenset(titles), tuple(errors))


def requests_without_check(
    catalog: Catalog, home: str, requests: Iterable[SentRequest], ledger: Ledger
) -> dict[LabelQuestion, dict[int, tuple[SentRequest, ...]]]:
    """Return what was answered and would get a check run if its pull request had the label.

    Of a pull request only the newest event of each platform counts; it comes last in `requests`.
    """
    newest: dict[tuple[str, int, str], SentRequest] = {}
    for one in requests:
        number = one.change.number
        if number is not None:
            newest[one.change.repository, number, one.entry.accelerator] = one
    found: dict[LabelQuestion, dict[int, tuple[SentRequest, ...]]] = {}
    for (repository, number, _), one in newest.items():
        settled = ledger.settled.get(run_title(one.change, one.entry.accelerator))
        label = _label(catalog, home, one.entry)
        if label and settled and settled.state in _ANSWERED and not settled.checked:
            of_label = found.setdefault(LabelQuestion(repository, label), {})
            of_label[number] = (*of_label.get(number, ()), one)
    return found


def _label(catalog: Catalog, home: str, entry: PlannedPlatform) -> str | None:
    """Return the label that asks for a platform's check run; None where no label does."""
    repository = report_repository(home, entry)
    if level_of(catalog, repository) != "L3":
        return None
    return check_label(catalog.by_id[entry.accelerator], device_of(catalog, repository))


def _labeled(api: Api, question: LabelQuestion, since: dt.datetime) -> Iterator[int]:
    """Yield the pull requests that changed lately: a new label is a change of its pull request."""
    moment = f"{since.astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
    where = f"labels={quote(question.label, safe='')}&state=all&since={quote(moment, safe='')}"
    for issue in read_all(api, f"repos/{question.repository}/issues?{where}", _Issue):
        yield issue.number
