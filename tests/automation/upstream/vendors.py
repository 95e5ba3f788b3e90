"""The vendors of a story: what each one's workflow makes of the event that it was sent.

A vendor's run follows `workflow-templates/vendor-receiver.yml`, one on a runner of the portal
`upstream-run.yml`: titles, inputs and artifacts are those of the files.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from accelerator_automation.upstream.run_search import MOST_UNPACKED
from accelerator_portal.catalog.files.accelerator import OWN_WORKFLOW
from tests.automation.github_double import GitHubDouble
from tests.automation.made_up import archive
from tests.automation.upstream.scene import HOME, add_run, packed, report
from tests.automation.workflow_machine import filled
from tests.test_workflows import workflow

RECEIVER = "vendor-receiver.yml"

# What does something on GitHub where it is not in code.
HOSTILE_NAME = "</details><script>evil()</script> @pytorch/core [x](https://evil.example/) `` ``` |"
HOSTILE_REASON = (
    "@everyone closes #1 ![x](https://evil.example/x.png)\n```\n# Evil\n"
    "<!-- accelerator-portal:upstream AAAA --> https://evil.example/ javascript:evil()"
)


@dataclass(frozen=True)
class VendorJob:
    """A run that an event started: what it is to test, and what it will be called."""

    accelerator: str
    repository: str
    event: str
    title: str
    path: str
    commit: str
    pull_request: str
    artifacts: tuple[str, ...]

    def report(self, outcomes: Mapping[str, str], **changed: object) -> bytes:
        """The archive with a report of this run, which has just ended."""
        now = dt.datetime.now(dt.UTC)
        trigger: dict[str, object] = {"kind": "periodic", "commit": self.commit}
        if self.pull_request:
            number = int(self.pull_request)
            trigger |= {"kind": "pull-request", "pull_request": number}
        whole = {
            "accelerator": self.accelerator,
            "started": now,
            "finished": now,
            "trigger": trigger,
        }
        return packed(report(outcomes, **{**whole, **changed}))


def jobs_of(dispatched: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, VendorJob]:
    """The runs that events start, by platform: each platform is told once."""
    jobs = [_own(body) if HOME in place else _vendor(place, body) for place, body in dispatched]
    assert len({job.accelerator for job in jobs}) == len(jobs)
    return {job.accelerator: job for job in jobs}


def _vendor(repository: str, body: Mapping[str, Any]) -> VendorJob:
    receiver = workflow(RECEIVER)
    assert body["event_type"] in receiver["on"]["repository_dispatch"]["types"]
    payload = body["client_payload"]
    (job,) = receiver["jobs"].values()
    given = {
        key: filled(text, lambda name: _of(payload, name)) for key, text in job["with"].items()
    }
    artifact = workflow("validate.yml")["on"]["workflow_call"]["inputs"]["artifact"]["default"]
    assert artifact == payload["artifact"]
    return VendorJob(
        given["accelerator"],
        repository,
        "repository_dispatch",
        filled(receiver["run-name"], lambda name: _of(payload, name)),
        f".github/workflows/{RECEIVER}",
        given["commit"],
        given["pull-request"],
        (artifact,),
    )


def _of(payload: Mapping[str, Any], name: str) -> str:
    """What GitHub puts in the place of an expression: nothing where the payload has none."""
    value: Any = {"github": {"event": {"client_payload": payload}}}
    for part in name.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return str(value)


def _own(body: Mapping[str, Any]) -> VendorJob:
    own, inputs = workflow(OWN_WORKFLOW), body["inputs"]
    values = {f"inputs.{name}": value for name, value in inputs.items()}
    tasks = [one["task"] for one in json.loads(inputs["matrix"])["include"]]
    artifact = own["jobs"]["run"]["with"]["artifact"]
    return VendorJob(
        inputs["accelerator"],
        HOME,
        "workflow_dispatch",
        filled(own["run-name"], values.__getitem__),
        f".github/workflows/{OWN_WORKFLOW}",
        inputs["commit"],
        inputs["pull-request"],
        tuple(filled(artifact, {"matrix.task": task}.__getitem__) for task in tasks),
    )


def start(double: GitHubDouble, job: VendorJob, conclusion: str | None = None) -> int:
    """The run of a job: in progress, or ended."""
    return add_run(
        double,
        job.title,
        repository=job.repository,
        head_repository={"full_name": job.repository},
        event=job.event,
        path=job.path,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
        created_at=f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}",
    )


def finish(double: GitHubDouble, job: VendorJob, *archives: bytes) -> None:
    """The run of a job, ended with an archive for each of its artifacts."""
    upload(double, job, start(double, job, "success"), *archives)


def upload(double: GitHubDouble, job: VendorJob, run: int, *archives: bytes) -> None:
    """Keep the archives of a run under the names that its workflow gives them."""
    now = f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
    for name, made in zip(job.artifacts, archives, strict=True):
        double.add_artifact(job.repository, run, name, made, created_at=now)


@cache
def too_large() -> bytes:
    """A small archive of a file that is larger than a report may be."""
    return archive({"report.json": b" " * (MOST_UNPACKED + 1)})


def hostile_report(job: VendorJob, outcomes: Mapping[str, str]) -> bytes:
    """A report whose texts would do something, if GitHub read them as anything but code."""
    tests = [
        {
            "suite": "made-up",
            "name": name,
            "outcome": outcome,
            "reason": HOSTILE_REASON,
            "command": HOSTILE_REASON,
        }
        for name, outcome in outcomes.items()
    ]
    return job.report(outcomes, tests=tests)


def hostile_archives(jobs: Mapping[str, VendorJob]) -> Iterator[tuple[VendorJob, bytes, str]]:
    """What hostile vendors upload, with what the portal says of it."""
    climbing = ("../report.json", "../../../evil", "/evil", "..\\evil", "report.json/../../evil")
    job = jobs["climber"]
    yield job, archive(dict.fromkeys(climbing, "evil")), "the archive has no report.json"
    job = jobs["giant"]
    yield job, too_large(), f"report.json has more than {MOST_UNPACKED:,} bytes"
    job = jobs["stale"]
    other = {"kind": "pull-request", "commit": "f" * 40}
    yield (
        job,
        job.report({"good": "failed"}, trigger=other),
        "the report is for commit ffffffffffff",
    )
    job = jobs["impostor"]
    about = job.report({"good": "failed"}, accelerator="fast")
    yield job, about, "the report is about fast, the run was for impostor"
