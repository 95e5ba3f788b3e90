"""What the double of GitHub holds, and what it answers by path. Limits are GitHub's own.

Source: the REST description in the npm package @octokit/openapi, read 2026-11-21.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.automation.github_git import GitRefusal, GitRequest, GitStore, git_answer

Json = dict[str, Any]
Query = Mapping[str, str]
Answer = tuple[int, Any]

MOST_KEYS = 10
MOST_BYTES = 64 * 1024
MOST_PER_PAGE = 100
MOST_COMMENT = 65_536
MOST_FILTERED = 1000


class Refusal(Exception):  # noqa: N818 - an answer of GitHub's
    """What GitHub refuses, with its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Store:
    """Repositories by name, and what is in them; ids count up."""

    login: str = "portal[bot]"
    """Who the token is."""
    repositories: set[str] = field(default_factory=set)
    records: dict[str, Any] = field(default_factory=dict)
    """Other answers by path: `repos/a/b/pulls/1`."""
    dispatched: list[tuple[str, Json]] = field(default_factory=list)
    runs: dict[str, list[Json]] = field(default_factory=dict)
    releases: dict[str, Json] = field(default_factory=dict)
    """The newest one of each repository."""
    artifacts: dict[int, Json] = field(default_factory=dict)
    """By id, with `run` and `repository`."""
    files: dict[int, bytes] = field(default_factory=dict)
    """The archives, by the artifact's id."""
    issues: dict[str, list[Json]] = field(default_factory=dict)
    comments: dict[tuple[str, int], list[Json]] = field(default_factory=dict)
    check_runs: dict[str, list[Json]] = field(default_factory=dict)
    git: dict[str, GitStore] = field(default_factory=dict)
    """Branches and pull requests by repository."""
    moved: str = ""
    """Where downloads are said to be, instead of here."""
    last: int = 1000
    of_run: dict[int, list[int]] = field(default_factory=dict)
    """The artifacts of each run: there may be 50,000."""

    def new(self) -> int:
        """The next id."""
        self.last += 1
        return self.last

    def add_artifact(
        self, repository: str, run: int, name: str, archive: bytes, **more: object
    ) -> int:
        """Keep an archive as an artifact of a run."""
        number = self.new()
        self.files[number] = archive
        self.of_run.setdefault(run, []).append(number)
        entry = {"id": number, "name": name, "size_in_bytes": len(archive), "expired": False}
        more = {"created_at": "2026-11-21T11:00:00Z", **more}
        self.artifacts[number] = {**entry, "repository": repository, "run": run, **more}
        return number


def answer(store: Store, method: str, path: str, query: Query, body: Any) -> Answer:  # noqa: ANN401 - any JSON
    """Return status and answer. Raises Refusal."""
    if method == "GET" and path in store.records:
        return 200, paged(store.records[path], query)
    for wanted, pattern, route in ROUTES:
        found = re.fullmatch(pattern, path)
        if found and wanted == method:
            repository = found["repository"]
            if repository not in store.repositories:
                raise Refusal(404, "Not Found")
            return route(store, repository, found.groupdict(), query, body)
    found = re.match(rf"{_IN}(/|$)", path)
    if found and (git := store.git.get(found["repository"])):
        try:
            request = GitRequest(method, path[found.end() :], query, body, store.login)
            answered = git_answer(git, request)
        except GitRefusal as refusal:
            raise Refusal(refusal.status, str(refusal)) from None
        if answered and isinstance(answered[1], bytes):
            store.files[number := store.new()] = answered[1]
            return 302, f"files/{number}"
        if answered:
            return answered
    raise Refusal(404, "Not Found")


def paged(answer: Any, query: Query) -> Any:  # noqa: ANN401 - any JSON
    """Return the page of a list that is asked for; anything else as it is."""
    if not isinstance(answer, list):
        return answer
    size, page = min(int(query.get("per_page", 30)), MOST_PER_PAGE), int(query.get("page", 1))
    return answer[size * (page - 1) : size * page]


def _dispatch(store: Store, repository: str, _: Json, __: Query, body: Json) -> Answer:
    payload = body.get("client_payload", {})
    if len(payload) > MOST_KEYS:
        raise Refusal(422, "No more than 10 properties are allowed")
    if len(json.dumps(payload)) >= MOST_BYTES:
        raise Refusal(422, "client_payload is too large")
    if not 1 <= len(body["event_type"]) <= 100:
        raise Refusal(422, "event_type has 1 to 100 characters")
    store.dispatched.append((repository, body))
    return 204, None


def _runs(store: Store, repository: str, _: Json, query: Query, __: Json) -> Answer:
    since, _dots, until = query.get("created", "").removeprefix(">=").partition("..")
    found = [
        run
        for run in store.runs.get(repository, [])
        if query.get("event") in {None, run["event"]}
        and since <= run["created_at"] <= (until or "9")
    ][:MOST_FILTERED]
    return 200, {"total_count": len(found), "workflow_runs": paged(found, query)}


def _workflow_runs(store: Store, repository: str, words: Json, query: Query, _: Json) -> Answer:
    since = query.get("created", "").removeprefix(">=")
    found = [
        run
        for run in store.runs.get(repository, [])
        if run["path"] == f".github/workflows/{words['workflow']}"
        and query.get("branch") in {None, run.get("head_branch")}
        and query.get("status") in {None, run["conclusion"]}
        and since <= run.get("created_at", "9")
    ]
    return 200, {"total_count": len(found), "workflow_runs": paged(found, query)}


def _rerun(store: Store, repository: str, words: Json, _: Query, __: Json) -> Answer:
    for run in store.runs.get(repository, []):
        if run["id"] == int(words["run"]):
            if run["conclusion"] != "failure":
                raise Refusal(403, "The workflow run containing these jobs has no failed jobs")
            run.update(conclusion=None, status="queued", run_attempt=run.get("run_attempt", 1) + 1)
            return 201, {}
    raise Refusal(404, "Not Found")


def _latest_release(store: Store, repository: str, _: Json, __: Query, ___: Json) -> Answer:
    if repository not in store.releases:
        raise Refusal(404, "Not Found")
    return 200, store.releases[repository]


def _asset(store: Store, _: str, words: Json, __: Query, ___: Json) -> Answer:
    if int(words["id"]) not in store.files:
        raise Refusal(404, "Not Found")
    return 302, f"files/{words['id']}"


def _artifacts(store: Store, repository: str, words: Json, query: Query, _: Json) -> Answer:
    numbers = store.of_run.get(int(words["run"]), []) if "run" in words else [*store.artifacts]
    entries = (store.artifacts[one] for one in reversed(numbers) if one in store.artifacts)
    found = [
        {**entry, "workflow_run": {"id": entry["run"]}}
        for entry in entries
        if entry["repository"] == repository and query.get("name") in {None, entry["name"]}
    ]
    return 200, {"total_count": len(found), "artifacts": paged(found, query)}


def _download(store: Store, repository: str, words: Json, _: Query, __: Json) -> Answer:
    entry = store.artifacts.get(int(words["id"]))
    if entry is None or entry["repository"] != repository:
        raise Refusal(404, "Not Found")
    if entry["expired"]:
        raise Refusal(410, "Artifact has expired")
    return 302, f"files/{entry['id']}"


def _comments(store: Store, repository: str, words: Json, query: Query, _: Json) -> Answer:
    return 200, paged(store.comments.get((repository, int(words["number"])), []), query)


def _comment(store: Store, repository: str, words: Json, _: Query, body: Json) -> Answer:
    made = {"id": store.new(), "user": {"login": store.login}, "body": _text(body["body"])}
    store.comments.setdefault((repository, int(words["number"])), []).append(made)
    return 201, made


def _edit_comment(store: Store, repository: str, words: Json, _: Query, body: Json) -> Answer:
    for (place, _number), found in store.comments.items():
        for comment in found:
            if place == repository and comment["id"] == int(words["id"]):
                comment["body"] = _text(body["body"])
                return 200, comment
    raise Refusal(404, "Not Found")


def _text(body: str) -> str:
    if not body or len(body) > MOST_COMMENT:
        raise Refusal(422, "Body is too long or empty")
    return body


def _issues(store: Store, repository: str, _: Json, query: Query, __: Json) -> Answer:
    labels = set(filter(None, query.get("labels", "").split(",")))
    state, since = query.get("state", "open"), query.get("since", "")
    found = [
        issue
        for issue in [*store.issues.get(repository, []), *_pulls(store, repository)]
        if state in {"all", issue["state"]}
        and labels <= {one["name"] for one in issue["labels"]}
        and issue.get("updated_at", "9") >= since
    ]
    return 200, paged(found, query)


def _pulls(store: Store, repository: str) -> list[Json]:
    """Pull requests are issues, too."""
    place = re.compile(rf"repos/{re.escape(repository)}/pulls/\d+")
    return [record for path, record in store.records.items() if place.fullmatch(path)]


def _issue(store: Store, repository: str, _: Json, __: Query, body: Json) -> Answer:
    made: Json = {
        "number": len(store.issues.get(repository, [])) + 1,
        "title": body["title"],
        "body": body.get("body", ""),
        "state": "open",
        "labels": [{"name": name} for name in body.get("labels", [])],
        "user": {"login": store.login},
    }
    store.issues.setdefault(repository, []).append(made)
    return 201, made


def _edit_issue(store: Store, repository: str, words: Json, _: Query, body: Json) -> Answer:
    for issue in store.issues.get(repository, []):
        if issue["number"] == int(words["number"]):
            changed = dict(body)
            if "labels" in changed:
                changed["labels"] = [{"name": name} for name in changed["labels"]]
            issue.update(changed)
            return 200, issue
    raise Refusal(404, "Not Found")


def _check_run(store: Store, repository: str, _: Json, __: Query, body: Json) -> Answer:
    output = body.get("output", {})
    if any(len(output.get(part, "")) > MOST_COMMENT - 1 for part in ("summary", "text")):
        raise Refusal(422, "Invalid request. Only 65535 characters are allowed.")
    made = {**body, "id": store.new()}
    store.check_runs.setdefault(repository, []).append(made)
    return 201, made


def _check_runs(store: Store, repository: str, words: Json, query: Query, _: Json) -> Answer:
    found = [
        check
        for check in store.check_runs.get(repository, [])
        if check["head_sha"] == words["sha"] and query.get("check_name") in {None, check["name"]}
    ]
    return 200, {"total_count": len(found), "check_runs": paged(found, query)}


def _edit_check_run(store: Store, repository: str, words: Json, _: Query, body: Json) -> Answer:
    for check in store.check_runs.get(repository, []):
        if check["id"] == int(words["id"]):
            check.update(body)
            return 200, check
    raise Refusal(404, "Not Found")


def _workflow(store: Store, repository: str, words: Json, _: Query, body: Json) -> Answer:
    store.dispatched.append((f"{repository}/{words['workflow']}", body))
    return 204, None


_IN = r"repos/(?P<repository>[\w.-]+/[\w.-]+)"
_NUMBER = r"(?P<number>\d+)"

ROUTES: list[tuple[str, str, Callable[[Store, str, Json, Query, Json], Answer]]] = [
    ("POST", f"{_IN}/dispatches", _dispatch),
    ("POST", rf"{_IN}/actions/workflows/(?P<workflow>[\w.-]+)/dispatches", _workflow),
    ("GET", f"{_IN}/actions/runs", _runs),
    ("GET", rf"{_IN}/actions/workflows/(?P<workflow>[\w.-]+)/runs", _workflow_runs),
    ("POST", rf"{_IN}/actions/runs/(?P<run>\d+)/rerun-failed-jobs", _rerun),
    ("GET", f"{_IN}/releases/latest", _latest_release),
    ("GET", rf"{_IN}/releases/assets/(?P<id>\d+)", _asset),
    ("GET", rf"{_IN}/actions/runs/(?P<run>\d+)/artifacts", _artifacts),
    ("GET", f"{_IN}/actions/artifacts", _artifacts),
    ("GET", rf"{_IN}/actions/artifacts/(?P<id>\d+)/zip", _download),
    ("GET", f"{_IN}/issues", _issues),
    ("POST", f"{_IN}/issues", _issue),
    ("PATCH", f"{_IN}/issues/{_NUMBER}", _edit_issue),
    ("GET", f"{_IN}/issues/{_NUMBER}/comments", _comments),
    ("POST", f"{_IN}/issues/{_NUMBER}/comments", _comment),
    ("PATCH", rf"{_IN}/issues/comments/(?P<id>\d+)", _edit_comment),
    ("POST", f"{_IN}/check-runs", _check_run),
    ("PATCH", rf"{_IN}/check-runs/(?P<id>\d+)", _edit_check_run),
    ("GET", rf"{_IN}/commits/(?P<sha>[0-9a-f]+)/check-runs", _check_runs),
]
