"""Which tokens the commands use, by the environment: the App's, or personal ones."""

from __future__ import annotations

import pytest

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.app import APP_ID, APP_KEY, AppError
from accelerator_automation.github.rate_limit import RateLimiter
from accelerator_automation.upstream.check_runs import check_run_body, put_check_run
from accelerator_automation.upstream.connections import (
    clients_from_environment,
    senders_from_environment,
)
from accelerator_automation.upstream.dispatch_queue import QueueItem
from accelerator_automation.upstream.dispatch_round import send_items
from accelerator_portal.catalog.files.upstream_events import Dispatch, UpstreamRun
from tests.automation import github_apps
from tests.automation.github_apps import AppDouble, private_key
from tests.automation.github_double import OWN_TOKEN, TOKEN, GitHubDouble
from tests.automation.upstream.scene import HOME, NUMBER, SENDING, UPSTREAM, VENDOR, change, entry
from tests.automation.upstream.test_marker import answer

COMMENTS = f"repos/{UPSTREAM}/issues/{NUMBER}/comments"
RUNS = f"repos/{VENDOR}/actions/runs?event=push"


@pytest.fixture(autouse=True)
def environment(double: GitHubDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three personal tokens, and no App: unset secrets are empty."""
    double.personal = {TOKEN}
    variables = {"GH_TOKEN": TOKEN, "UPSTREAM_TOKEN": TOKEN, "PORTAL_TOKEN": OWN_TOKEN}
    variables |= {APP_ID: "", APP_KEY: "", "GITHUB_API_URL": double.home}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def app(double: GitHubDouble, monkeypatch: pytest.MonkeyPatch) -> AppDouble:
    """The App, installed at the vendor and upstream; the personal tokens are gone."""
    double.app = github_apps.app_double()
    double.app.install("vendor", contents="write", actions="read")
    double.app.install("pytorch", "pytorch", pull_requests="write", checks="write")
    monkeypatch.setenv(APP_ID, github_apps.APP_ID)
    monkeypatch.setenv(APP_KEY, private_key())
    for variable in ("GH_TOKEN", "UPSTREAM_TOKEN"):
        monkeypatch.setenv(variable, "")
    return double.app


def items(*repositories: str) -> list[QueueItem]:
    """Dispatches to repositories, and one to a workflow of the portal."""
    runs = {
        repository.partition("/")[0]: UpstreamRun(
            dispatch=Dispatch(repository=repository, event_type="event")
        )
        for repository in repositories
    }
    runs["here"] = UpstreamRun(workflow="here.yml")
    return [QueueItem(1, change(), entry(name, run)) for name, run in runs.items()]


def test_without_the_app_personal_tokens_are_used(double: GitHubDouble) -> None:
    assert all(
        one.ok
        for one in send_items(senders_from_environment(HOME), items(VENDOR), RateLimiter(), SENDING)
    )
    clients = clients_from_environment(HOME, "somebody")
    clients.vendors.get(RUNS)
    clients.upstream.get(COMMENTS)
    assert clients.login == "somebody"
    tokens = {asked.path: asked.token for asked in double.asked}
    assert tokens.pop(f"repos/{HOME}/actions/workflows/here.yml/dispatches") == OWN_TOKEN
    assert set(tokens.values()) == {TOKEN}


def test_a_person_s_token_creates_no_check_run_and_the_app_s_does(
    double: GitHubDouble, request: pytest.FixtureRequest
) -> None:
    body = check_run_body(answer(), change(), "L4")
    with pytest.raises(GitHubError, match=r"You must authenticate via a GitHub App\. \(HTTP 403\)"):
        put_check_run(clients_from_environment(HOME, "x").upstream, UPSTREAM, body)
    request.getfixturevalue("app")
    for _ in range(2):
        put_check_run(clients_from_environment(HOME, "x").upstream, UPSTREAM, body)
    assert len(double.check_runs[UPSTREAM]) == 1


def test_where_the_app_is_missing_that_vendor_alone_is_not_sent(
    double: GitHubDouble, app: AppDouble
) -> None:
    for vendor in ("other", "gone", "asleep", "closed"):
        double.repositories.add(f"{vendor}/plugin")
    app.install("gone", "docs", contents="write")
    app.install("asleep", contents="write").suspended = True
    app.install("closed", contents="read")
    work = items(VENDOR, "other/plugin", "gone/plugin", "asleep/plugin", "closed/plugin")
    sent = {
        one.accelerator: one
        for one in send_items(senders_from_environment(HOME), work, RateLimiter(), SENDING)
    }
    assert {name for name, one in sent.items() if one.ok} == {"vendor", "here"}
    assert {place for place, _ in double.dispatched} == {VENDOR, f"{HOME}/here.yml"}
    words = {
        "other": "not installed at other. ",
        "gone": "doesn't include this repository. ",
        "asleep": "suspended. ",
        "closed": "lacks the permission contents: write. ",
    }
    for name, problem in words.items():
        assert sent[name].why.startswith(f"{name}/plugin: the ")
        assert problem in sent[name].why
        assert f"sk an owner of {name} to " in sent[name].why
        assert sent[name].tries == 1


def test_a_round_mints_once_for_each_vendor_with_the_least_permissions(app: AppDouble) -> None:
    send_items(senders_from_environment(HOME), items(VENDOR) * 5, RateLimiter(), SENDING)
    clients = clients_from_environment(HOME, "somebody")
    for _ in range(3):
        clients.vendors.get(RUNS)
        clients.upstream.send("POST", COMMENTS, {"body": "text"})
        put_check_run(clients.upstream, UPSTREAM, check_run_body(answer(), change(), "L4"))
    asked = [(owner, body["repositories"], body["permissions"]) for owner, body in app.minted]
    assert asked == [
        ("vendor", ["plugin"], {"contents": "write"}),
        ("vendor", ["plugin"], {"actions": "read"}),
        ("pytorch", ["pytorch"], {"pull_requests": "write"}),
        ("pytorch", ["pytorch"], {"checks": "write"}),
    ]


def test_comments_are_written_where_checks_may_not_be(double: GitHubDouble, app: AppDouble) -> None:
    del app.installed["pytorch"].permissions["checks"]
    clients = clients_from_environment(HOME, "somebody")
    clients.upstream.send("POST", COMMENTS, {"body": "text"})
    assert len(double.comments[UPSTREAM, NUMBER]) == 1
    with pytest.raises(AppError, match=r"^pytorch/pytorch: .* lacks the permission checks: write"):
        put_check_run(clients.upstream, UPSTREAM, check_run_body(answer(), change(), "L4"))


def test_the_app_s_own_login_is_the_author_of_its_comments(app: AppDouble) -> None:
    assert app.installed
    assert clients_from_environment(HOME, "somebody").login == f"{github_apps.SLUG}[bot]"
