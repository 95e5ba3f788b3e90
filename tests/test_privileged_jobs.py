"""Jobs that can write or get secrets trust nothing that another job could have written.

GitHub shares caches by branch, not by workflow or job: what runs on the default branch can write
what another job there restores. Source: docs.github.com, "Dependency caching", read 2026-11-25.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from tests.folders import REPOSITORY
from tests.test_workflows import EVERY, workflow

ACTIONS = {
    "actions/attest-build-provenance",
    "actions/checkout",
    "actions/deploy-pages",
    "actions/download-artifact",
    "actions/setup-python",
    "actions/upload-artifact",
}
"""None of them restores a cache as it is used here."""

# What installs or downloads programs. `make setup` installs from the lock file, by hashes.
_FETCH = re.compile(r"\b(pip3?|pipx|uvx?|npm|npx|apt|apt-get|curl|wget|docker|cargo|go|gem)\s")
_PUBLISH = ".venv/bin/uv publish"


def writes(job: Any) -> set[str]:  # noqa: ANN401 - any YAML
    """The permissions with which a job writes."""
    return {name for name, access in job["permissions"].items() if access == "write"}


def is_privileged(job: Any) -> bool:  # noqa: ANN401 - any YAML
    return bool(writes(job)) or "environment" in job or "secrets." in str(job)


def faults(job: Any) -> list[str]:  # noqa: ANN401 - any YAML
    """Ways in which what another job wrote could become code in this one."""
    found = [name for name in ("uses", "container", "services", "env", "defaults") if name in job]
    if job.get("runs-on") != "ubuntu-24.04":
        found.append("not a runner of GitHub")
    for step in job.get("steps", []):
        action, given = step.get("uses", "").partition("@")[0], set(step.get("with", ()))
        run = step.get("run", "").replace(_PUBLISH, "")
        if action and action not in ACTIONS:
            found.append(f"the action {action}")
        if action == "actions/setup-python" and given != {"python-version"}:
            found.append("a cache of packages")
        if action == "actions/download-artifact" and given - {"name", "pattern", "path"}:
            found.append("an artifact of another run")
        if action == "actions/checkout" and "repository" in given:
            found.append("another repository's code")
        if _FETCH.search(run) or re.search(r"\bmake (?!setup$)", run):
            found.append("an install without hashes")
    return found


JOBS = {f"{name}: {key}": job for name in EVERY for key, job in workflow(name)["jobs"].items()}
PRIVILEGED = {name: job for name, job in JOBS.items() if is_privileged(job)}


@pytest.mark.parametrize("name", PRIVILEGED)
def test_a_privileged_job_trusts_nothing_that_others_wrote(name: str) -> None:
    assert faults(PRIVILEGED[name]) == []


@pytest.mark.parametrize("name", PRIVILEGED)
@pytest.mark.parametrize(
    "step",
    [
        {"uses": "actions/cache@0", "with": {"path": "x", "key": "x"}},
        {"uses": "actions/cache/restore@0", "with": {"path": "x", "key": "x"}},
        {"uses": "actions/setup-node@0"},
        {"uses": "actions/setup-python@0", "with": {"python-version": "3", "cache": "pip"}},
        {"uses": "actions/download-artifact@0", "with": {"name": "x", "run-id": "1"}},
        {"uses": "actions/checkout@0", "with": {"repository": "x/y"}},
        {"run": "python3 -m pip install x"},
        {"run": "uvx x"},
        {"run": "curl https://example.com/x -o x"},
        {"run": "make site"},
    ],
    ids=str,
)
def test_what_would_trust_others_is_found(name: str, step: Any) -> None:  # noqa: ANN401 - any YAML
    job = copy.deepcopy(PRIVILEGED[name])
    job.setdefault("steps", []).append(step)
    assert len(faults(job)) == 1


def test_packages_are_installed_by_hashes_as_wheels() -> None:
    """A source package would fetch what builds it without hashes; one of the lock has no wheel."""
    text = (REPOSITORY / "Makefile").read_text("utf-8").replace("\\\n", " ")
    installs = [line for line in text.splitlines() if "pip install" in line]
    wheels = [line for line in installs if "--only-binary :all:" in line]
    others = [line.strip() for line in installs if line not in wheels]
    assert len(wheels) == 5
    assert all("--require-hashes" in line for line in wheels)
    own, models, harness, own_harness, lock = others
    assert "--no-deps --no-build-isolation $(foreach folder,$(PACKAGES),-e $(folder))" in own
    assert "--no-deps --no-build-isolation $(foreach folder,$(HARNESS),-e $(folder))" in models
    assert (
        "--no-deps --no-build-isolation $(foreach folder,$(HARNESS) .,-e $(folder))" in own_harness
    )
    assert "--no-build-isolation --require-hashes -r requirements-validation.lock" in harness
    assert lock.startswith("@test -x $(BIN)/uv ||")  # only who makes a lock has no lock yet


def test_the_documentation_lists_every_job_with_what_it_may_write() -> None:
    text = (REPOSITORY / "docs/maintenance.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+\.yml): ([\w-]+)` \| ([^|]*) \|", text, re.MULTILINE)
    listed = {f"{file}: {job}": set(re.findall(r"`([\w-]+)`", said)) for file, job, said in rows}
    assert listed == {name: writes(job) for name, job in JOBS.items()}
    secret = {f"{file}: {job}" for file, job, said in rows if "secrets" in said}
    assert secret == {name for name, job in JOBS.items() if "secrets." in str(job)}
