"""The dry run with the GitHub App, on a GitHub where everything is set up or one thing is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from accelerator_automation.github.app import APP_ID, APP_KEY
from accelerator_automation.upstream.doctor import APP_SECRETS, SECRETS
from accelerator_reports.cli import main
from tests.automation import github_apps
from tests.automation.github_apps import AppDouble, new_key, private_key
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import HOME, SECTION, UPSTREAM, VENDOR, portal
from tests.automation.upstream.test_check_runs import RELAY
from tests.automation.upstream.test_doctor import ENVIRONMENT, FOLDER, Doctor, set_up
from tests.folders import Tree

Change = Callable[[AppDouble], object]

RUNNER = SECTION.replace(
    "{dispatch: {repository: vendor/plugin, event_type: pytorch-event}}",
    "{runner: [self-hosted, ex]}",
)


@pytest.fixture
def app(double: GitHubDouble, monkeypatch: pytest.MonkeyPatch) -> AppDouble:
    """The App, installed wherever it is needed; there are no personal tokens."""
    double.app = github_apps.app_double()
    double.app.install("vendor", contents="write", actions="read")
    double.app.install("pytorch", pull_requests="write")
    monkeypatch.setenv(APP_ID, github_apps.APP_ID)
    monkeypatch.setenv(APP_KEY, private_key())
    return double.app


@pytest.fixture
def doctor(
    double: GitHubDouble, app: AppDouble, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> Doctor:
    assert app is double.app
    words = set_up(double, tree(portal()), monkeypatch)
    for variable in SECRETS:
        monkeypatch.setenv(variable, "")
    double.records[f"{ENVIRONMENT}/secrets"] = {"secrets": [{"name": one} for one in APP_SECRETS]}
    return lambda: CliRunner().invoke(main, words)


def test_a_whole_setup_needs_no_personal_tokens(
    doctor: Doctor, double: GitHubDouble, app: AppDouble
) -> None:
    done = doctor()
    assert (done.exit_code, done.output) == (0, "Upstream events are set up.\n")
    sent = [asked.path for asked in double.asked if asked.method != "GET"]
    assert sent == ["app/installations/7000/access_tokens"]
    assert [body["permissions"] for _, body in app.minted] == [{"contents": "read"}]


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda app: app.installed.pop("vendor"), f"{VENDOR}: the GitHub App is not installed at"),
        (lambda app: app.installed.pop("pytorch"), f"{UPSTREAM}: the GitHub App is not installed "),
        (
            lambda app: app.install("vendor", "docs"),
            f"{VENDOR}: the installation of the GitHub App at vendor doesn't include this",
        ),
        (
            lambda app: setattr(app.installed["vendor"], "suspended", True),
            f"{VENDOR}: the installation of the GitHub App at vendor is suspended. Ask an owner",
        ),
        (
            lambda app: app.install("vendor", metadata="read"),
            f"{VENDOR}: the GitHub App lacks the permission contents: write and actions: read. Add",
        ),
        (
            lambda app: app.install("pytorch", pull_requests="read"),
            f"{UPSTREAM}: the GitHub App lacks the permission pull_requests: write. Add it to the",
        ),
    ],
)
def test_where_the_app_lacks_something_it_is_one_finding_with_its_fix(
    doctor: Doctor, app: AppDouble, change: Change, finding: str
) -> None:
    change(app)
    first, *others = doctor().output.splitlines()
    assert first.startswith(finding)
    assert first.endswith(": https://github.com/apps/portal")
    assert others == ["Error: 1 problem in the setup"]


def test_check_runs_are_asked_for_where_a_level_needs_them(
    doctor: Doctor, app: AppDouble, tree: Tree
) -> None:
    tree({**portal(), **RELAY})
    first, _ = doctor().output.splitlines()
    assert first.startswith(f"{UPSTREAM}: the GitHub App lacks the permission checks: write. ")
    app.installed["pytorch"].permissions["checks"] = "write"
    assert doctor().exit_code == 0


def test_a_platform_on_this_repository_s_runners_needs_the_app_here(
    doctor: Doctor, app: AppDouble, tree: Tree
) -> None:
    tree(portal(RUNNER))
    first, _ = doctor().output.splitlines()
    assert first.startswith(f"{HOME}: the GitHub App is not installed at example. ")
    app.install("example", "portal", actions="read")
    assert doctor().exit_code == 0


def test_the_vendor_s_workflow_is_read_with_the_app(doctor: Doctor, double: GitHubDouble) -> None:
    del double.records[FOLDER]
    first, _ = doctor().output.splitlines()
    assert first.startswith(f"{VENDOR}: no workflow handles repository_dispatch")
    tokens = {asked.token for asked in double.said("GET", f"^{FOLDER}")}
    assert tokens == {"ghs_1_secret"}


def test_findings_of_the_app_and_of_the_settings_come_at_once(
    doctor: Doctor, double: GitHubDouble, app: AppDouble
) -> None:
    double.records[f"{ENVIRONMENT}/secrets"] = {"secrets": [{"name": APP_ID}]}
    app.installed.clear()
    key, upstream, vendor, error = doctor().output.splitlines()
    assert "the secret UPSTREAM_APP_KEY is not set. Run: gh secret set UPSTREAM_APP_KEY" in key
    assert upstream.startswith(f"{UPSTREAM}: the GitHub App is not installed at pytorch. ")
    assert vendor.startswith(f"{VENDOR}: the GitHub App is not installed at vendor. ")
    assert error == "Error: 3 problems in the setup"


@pytest.mark.parametrize(
    ("variable", "value", "finding"),
    [
        (APP_KEY, lambda: "junk", "UPSTREAM_APP_KEY: the value is not the private key of a GitHu"),
        (APP_KEY, new_key, "UPSTREAM_APP_ID and UPSTREAM_APP_KEY: GitHub doesn't accept the App "),
        (APP_ID, lambda: "", "UPSTREAM_APP_ID: the variable is empty, but UPSTREAM_APP_KEY is s"),
        ("GITHUB_API_URL", lambda: "http://127.0.0.1:9", "GitHub App: app: GitHub did not respon"),
    ],
    ids=["no key", "another key", "no id", "no network"],
)
def test_an_app_that_cannot_be_used_is_one_finding(
    doctor: Doctor,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: Callable[[], str],
    finding: str,
) -> None:
    monkeypatch.setenv(variable, value())
    lines = doctor().output.splitlines()
    assert [line.startswith(finding) for line in lines].count(True) == 1
    assert len(lines) == (3 if variable == "GITHUB_API_URL" else 2)  # GH_TOKEN has no network, too


def test_a_personal_token_creates_no_check_runs(
    double: GitHubDouble, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = set_up(double, tree({**portal(), **RELAY}), monkeypatch)
    first, _ = CliRunner().invoke(main, words).output.splitlines()
    assert first == (
        f"UPSTREAM_COMMENT_TOKEN: a personal token can't create the check runs of {VENDOR}. "
        "Set up the GitHub App that docs/upstream-events.md describes"
    )
