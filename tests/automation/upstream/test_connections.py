"""Which tokens of the App the commands use, and where it may not be used."""

from __future__ import annotations

import pytest

from accelerator_automation.github.app import APP_ID, APP_KEY, AppError
from accelerator_automation.github.rate_limit import RateLimiter
from accelerator_automation.upstream.check_runs import check_run_body, put_check_run
from accelerator_automation.upstream.connections import clients_from_environment
from accelerator_automation.upstream.delivery import Delivery
from accelerator_automation.upstream.dispatch_round import send_items
from accelerator_portal.catalog.files.upstream_events import Dispatch, UpstreamRun
from tests.automation import github_apps
from tests.automation.github_apps import AppDouble, private_key
from tests.automation.github_double import OWN_TOKEN, GitHubDouble
from tests.automation.upstream.scene import HOME, NUMBER, SENDING, UPSTREAM, VENDOR, change, entry
from tests.automation.upstream.test_marker import answer

COMMENTS = f"repos/{UPSTREAM}/issues/{NUMBER}/comments"
RUNS = f"repos/{VENDOR}/actions/runs?event=push"


@pytest.fixture(autouse=True)
def app(double: GitHubDouble, monkeypatch: pytest.MonkeyPatch) -> AppDouble:
    """The App, installed at the vendor and upstream."""
    double.app = github_apps.app_double()
    double.app.install("vendor", contents="write", actions="read")
    double.app.install("pytorch", "pytorch", pull_requests="write", checks="write")
    variables = {"PORTAL_TOKEN": OWN_TOKEN, "GITHUB_API_URL": double.home}
    variables |= {APP_ID: github_apps.APP_ID, APP_KEY: private_key()}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return double.app


def items(*repositories: str) -> list[Delivery]:
    """Dispatches to repositories, and one to a workflow of the portal."""
    runs = {
        repository.partition("/")[0]: UpstreamRun(
            dispatch=Dispatch(repository=repository, event_type="event")
        )
        for repository in repositories
    }
    runs["here"] = UpstreamRun(workflow="here.yml")
    return [
        Delivery(plan=1, change=change(), accelerator=name, settings=entry(name, run))
        for name, run in runs.items()
    ]


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
        for one in send_items(clients_from_environment(HOME), work, RateLimiter(), SENDING)
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
    send_items(clients_from_environment(HOME), items(VENDOR) * 5, RateLimiter(), SENDING)
    clients = clients_from_environment(HOME)
    for _ in range(3):
        clients.app.get(RUNS)
        clients.app.send("POST", COMMENTS, {"body": "text"})
        put_check_run(clients.app, UPSTREAM, check_run_body(answer(), change(), "L4"))
    asked = [(owner, body["repositories"], body["permissions"]) for owner, body in app.minted]
    assert asked == [
        ("vendor", ["plugin"], {"contents": "write"}),
        ("vendor", ["plugin"], {"actions": "read"}),
        ("pytorch", ["pytorch"], {"pull_requests": "write"}),
        ("pytorch", ["pytorch"], {"checks": "write"}),
    ]


def test_comments_are_written_where_checks_may_not_be(double: GitHubDouble, app: AppDouble) -> None:
    del app.installed["pytorch"].permissions["checks"]
    clients = clients_from_environment(HOME)
    clients.app.send("POST", COMMENTS, {"body": "text"})
    assert len(double.comments[UPSTREAM, NUMBER]) == 1
    with pytest.raises(AppError, match=r"^pytorch/pytorch: .* lacks the permission checks: write"):
        put_check_run(clients.app, UPSTREAM, check_run_body(answer(), change(), "L4"))


def test_the_app_s_own_login_is_the_author_of_its_comments(app: AppDouble) -> None:
    assert app.installed
    assert clients_from_environment(HOME).login == f"{github_apps.SLUG}[bot]"
