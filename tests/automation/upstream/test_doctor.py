"""The dry run, with the real client, on a GitHub that is set up or lacks one thing."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from accelerator_automation.upstream.doctor import ADMINISTRATOR_VARIABLE, SECRETS
from accelerator_reports.cli import main
from tests.automation.github_double import TOKEN, Fault, GitHubDouble
from tests.automation.upstream.scene import HOME, VENDOR, portal
from tests.folders import Tree

TOKENS = (ADMINISTRATOR_VARIABLE, *SECRETS)
ENVIRONMENT = f"repos/{HOME}/environments/upstream"
VARIABLE = f"repos/{HOME}/actions/variables/UPSTREAM_LOGIN"
FOLDER = f"repos/{VENDOR}/contents/.github/workflows"
FILE = f"{FOLDER}/portal.yml"

Doctor = Callable[[], Result]


def _workflow(event_type: str) -> dict[str, str]:
    text = f"on:\n  repository_dispatch:\n    types: [{event_type}]\n"
    return {"content": base64.b64encode(text.encode()).decode()}


def _requests_left(count: int) -> dict[str, Any]:
    return {"resources": {"core": {"limit": 5000, "remaining": count, "reset": 0}}}


def set_up(double: GitHubDouble, root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Set up everything with personal tokens; return the words of the command."""
    policy = {"protected_branches": False, "custom_branch_policies": True}
    double.records |= {
        "rate_limit": _requests_left(4000),
        VARIABLE: {"name": "UPSTREAM_LOGIN", "value": "portal[bot]"},
        ENVIRONMENT: {"name": "upstream", "deployment_branch_policy": policy},
        f"{ENVIRONMENT}/deployment-branch-policies": {"branch_policies": [{"name": "main"}]},
        f"{ENVIRONMENT}/secrets": {"secrets": [{"name": name} for name in SECRETS]},
        f"repos/{VENDOR}": {"permissions": {"push": True}},
        FOLDER: [{"name": "README.md"}, {"name": "portal.yml"}],
        FILE: _workflow("pytorch-event"),
    }
    for variable in TOKENS:
        monkeypatch.setenv(variable, TOKEN)
    monkeypatch.setenv("GITHUB_API_URL", double.home)
    return ["upstream", "doctor", "--root", str(root), "--home", HOME]


@pytest.fixture
def doctor(double: GitHubDouble, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """The command, on a GitHub where everything is set up."""
    words = set_up(double, tree(portal()), monkeypatch)
    return lambda: CliRunner().invoke(main, words)


def test_a_whole_setup_has_no_findings_and_nothing_is_sent(
    doctor: Doctor, double: GitHubDouble
) -> None:
    done = doctor()
    assert (done.exit_code, done.output) == (0, "Upstream events are set up.\n")
    assert {asked.method for asked in double.asked} == {"GET"}


@pytest.mark.parametrize(
    ("path", "record", "finding"),
    [
        (VARIABLE, None, "the variable UPSTREAM_LOGIN is not set. Run: gh variable set"),
        (ENVIRONMENT, None, "the environment does not exist. Create it"),
        (ENVIRONMENT, {"deployment_branch_policy": None}, "not restricted to the branch main"),
        (
            f"{ENVIRONMENT}/deployment-branch-policies",
            {"branch_policies": [{"name": "main"}, {"name": "*"}]},
            "not restricted to the branch main",
        ),
        (
            f"{ENVIRONMENT}/deployment-branch-policies",
            {"branch_policies": [{"name": "main", "type": "tag"}]},
            "not restricted to the branch main",
        ),
        (
            f"{ENVIRONMENT}/secrets",
            {"secrets": [{"name": name} for name in SECRETS[1:]]},
            "the secret UPSTREAM_DISPATCH_TOKEN is not set. Run: gh secret set",
        ),
        (
            f"repos/{VENDOR}",
            {"permissions": {"push": False}},
            f"UPSTREAM_DISPATCH_TOKEN: the token may not send events to {VENDOR}. Give it",
        ),
        (FOLDER, None, f"{VENDOR}: no workflow handles repository_dispatch"),
        (FILE, _workflow("another-event"), "with the type pytorch-event. Ask the vendor"),
        (ENVIRONMENT, [], "the response has an unexpected format"),
    ],
)
def test_each_missing_thing_is_one_finding_with_its_fix(
    doctor: Doctor, double: GitHubDouble, path: str, record: object, finding: str
) -> None:
    if record is None:
        del double.records[path]
    else:
        double.records[path] = record
    done = doctor()
    first, *others = done.output.splitlines()
    assert done.exit_code == 1
    assert finding in first
    assert others == ["Error: 1 problem in the setup"]


def test_all_findings_come_at_once(doctor: Doctor, double: GitHubDouble) -> None:
    del double.records[VARIABLE], double.records[FOLDER]
    double.records[f"{ENVIRONMENT}/secrets"] = {"secrets": []}
    done = doctor()
    assert done.exit_code == 1
    assert len(done.output.splitlines()) == 1 + len(SECRETS) + 1 + 1


def test_a_broken_token_and_an_empty_one_hide_nothing_of_the_others(
    doctor: Doctor, double: GitHubDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPSTREAM_DISPATCH_TOKEN", "expired")
    monkeypatch.setenv("UPSTREAM_COMMENT_TOKEN", "")
    del double.records[FOLDER]
    dispatch, read, comment, _ = doctor().output.splitlines()
    assert dispatch.startswith("UPSTREAM_DISPATCH_TOKEN: the token is expired or not valid. ")
    assert read.startswith(f"{VENDOR}: no workflow")
    assert comment == "UPSTREAM_COMMENT_TOKEN: the variable is empty. Set it to a GitHub token"


def test_scopes_of_a_classic_token_are_read(doctor: Doctor, double: GitHubDouble) -> None:
    double.scopes[TOKEN] = "gist, read:org"
    lines = doctor().output.splitlines()[:-1]
    assert [line.partition(":")[0] for line in lines] == list(TOKENS)
    assert all('the scopes "gist, read:org"' in line for line in lines)
    double.scopes[TOKEN] = "gist, repo"
    assert doctor().exit_code == 0


def test_few_requests_left_are_a_finding(doctor: Doctor, double: GitHubDouble) -> None:
    double.records["rate_limit"] = _requests_left(3)
    assert doctor().output.count("3 requests left") == len(TOKENS)


def test_without_a_network_each_token_has_one_line(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    done = doctor()
    *lines, _ = done.output.splitlines()
    assert done.exit_code == 1
    assert [line.partition(":")[0] for line in lines] == list(TOKENS)
    assert all("Check the network" in line for line in lines)


@pytest.mark.parametrize(
    ("headers", "fix"),
    [
        (
            {"x-accepted-github-permissions": "environments=read; administration=read"},
            "the permission environments=read or administration=read",
        ),
        ({}, "the permissions that docs/upstream-events.md lists for it"),
    ],
)
def test_a_refused_request_names_the_missing_permission(
    doctor: Doctor, double: GitHubDouble, headers: dict[str, str], fix: str
) -> None:
    message = "Resource not accessible by personal access token"
    double.faults.append(Fault("upstream/secrets", 403, message, headers))
    finding, error = doctor().output.splitlines()
    assert finding.startswith(f"GH_TOKEN: {ENVIRONMENT}/secrets?per_page=100: {message}")
    assert finding.endswith(f"Give the token GH_TOKEN {fix}")
    assert error == "Error: 1 problem in the setup"
