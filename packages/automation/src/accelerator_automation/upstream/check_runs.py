"""Writes check runs on pull requests of PyTorch, for platforms whose relay level allows them.

Levels by RFC-0050: a platform at L3 gets a check run if the label `ciflow/crcr/<device>` requests
it, and the check run blocks nothing. A platform at L4 always gets a check run, which may block.
Platforms at lower levels get none. `data/relay.yaml` lists the levels.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from accelerator_automation.github.api import Api, read_response
from accelerator_automation.github.models import GitHubModel, Number
from accelerator_automation.upstream.approval import UpstreamPullRequest
from accelerator_automation.upstream.change import Change
from accelerator_automation.upstream.comment import PlatformAnswer, run_page
from accelerator_automation.upstream.incoming import CHECK_PREFIX
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.shared_files import RelayLevel, RelayRepository
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_reports.files.wording import count

CHECK_LABEL_PREFIX = "ciflow/crcr/"


class _CheckRun(GitHubModel):
    id: Number
    name: str
    external_id: str | None = None


class _CheckRuns(GitHubModel):
    check_runs: tuple[_CheckRun, ...]


def relay_entry(catalog: Catalog, repository: str) -> RelayRepository | None:
    """Return a repository's entry in PyTorch's relay list, or None if it is not listed."""
    listed = catalog.relay.repositories if catalog.relay else ()
    return next((entry for entry in listed if entry.repository == repository), None)


def check_label(entry: RelayRepository) -> str:
    """Return the label that requests a check run on a pull request, for a repository at L3."""
    return f"{CHECK_LABEL_PREFIX}{entry.device}"


def allows_check_run(entry: RelayRepository, change: Change) -> bool:
    """Return whether to post an answer as a check run, in addition to the comment.

    True at L4. At L3, true if the pull request has the label that requests a check run.
    """
    return entry.level == "L4" or (entry.level == "L3" and check_label(entry) in change.labels)


def with_current_labels(api: Api, change: Change) -> Change:
    """Return the change with the current labels of its pull request. Raises GitHubError.

    The label that requests a check run is often added while the tests run.
    """
    place = f"repos/{change.repository}/pulls/{change.number}"
    labels = read_response(api, place, UpstreamPullRequest).labels
    return change.model_copy(update={"labels": tuple(label.name for label in labels)})


def check_run_body(answer: PlatformAnswer, change: Change, level: RelayLevel) -> dict[str, Any]:
    """Return the body of a check run that shows a platform's answer, for GitHub's API.

    If the answer has new failures, the conclusion is `failure` at L4 and `neutral` at lower levels.
    """
    broken = answer.news.newly_broken
    failed_conclusion = "failure" if level == "L4" else "neutral"
    lines = [f"- {code_span(failure.key)} {failure.outcome}" for failure in answer.news.newly]
    if more := broken - len(lines):
        lines.append(f"- {more:,} more")
    counts_text = (
        f"{count(broken, 'new failure')}, {answer.news.red_already:,} already failing on the base"
    )
    summary = "\n".join([f"Reported by {code_span(answer.repository)}. {counts_text}.", "", *lines])
    return {
        "name": f"{CHECK_PREFIX}{answer.accelerator}",
        "head_sha": answer.head,
        "status": "completed",
        "conclusion": failed_conclusion if broken else "success",
        "external_id": f"{change.delivery}:{change.number}",
        "details_url": run_page(answer),
        "output": {"title": counts_text, "summary": summary},
    }


def put_check_run(api: Api, repository: str, body: dict[str, Any]) -> str:
    """Create or update the check run of an event; return a sentence that says what was done.

    Raises GitHubError.
    """
    # Filtered by name, because a commit has more check runs than fit on a page.
    query = f"check_name={quote(body['name'], safe='')}&filter=all&per_page=100"
    path = f"repos/{repository}/commits/{body['head_sha']}/check-runs?{query}"
    for check_run in read_response(api, path, _CheckRuns).check_runs:
        if (check_run.name, check_run.external_id) == (body["name"], body["external_id"]):
            api.send("PATCH", f"repos/{repository}/check-runs/{check_run.id}", body)
            return f"The check run {body['name']} was updated."
    api.send("POST", f"repos/{repository}/check-runs", body)
    return f"The check run {body['name']} was created."
