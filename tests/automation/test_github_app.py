"""The App as itself, with the real client: what GitHub accepts, and what each refusal says."""

from __future__ import annotations

import datetime as dt
import re
import traceback
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.app import (
    APP_ID,
    APP_KEY,
    AppCredentials,
    AppError,
    GitHubApp,
    app_from_environment,
    connected_app,
)
from tests.automation import github_apps
from tests.automation.conftest import QUICK
from tests.automation.github_apps import AppDouble, new_key, private_key, public_key
from tests.automation.github_double import Fault, GitHubDouble

REPOSITORY = "vendor/plugin"
SEND = {"contents": "write"}
PAGE = "https://github.com/apps/portal"


@pytest.fixture
def registered(double: GitHubDouble) -> AppDouble:
    """The App, installed at one vendor."""
    double.app = github_apps.app_double()
    double.app.install("vendor", contents="write", actions="read")
    return double.app


@pytest.fixture
def app(double: GitHubDouble, registered: AppDouble) -> GitHubApp:
    """The App as the portal has it."""
    assert registered is double.app
    return connected_app(AppCredentials(github_apps.APP_ID, private_key()), double.home, QUICK)


def ec_key() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PrivateFormat.PKCS8
    pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return pem.decode()


def encrypted_key() -> str:
    key = serialization.load_pem_private_key(private_key().encode(), None)
    form, how = serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"x")
    return key.private_bytes(serialization.Encoding.PEM, form, how).decode()


def test_github_verifies_the_signature_and_names_the_app(
    double: GitHubDouble, app: GitHubApp
) -> None:
    assert (app.slug, app.login, app.page) == ("portal", "portal[bot]", PAGE)
    assert {asked.scheme for asked in double.asked} == {"Bearer"}


def test_a_token_is_for_one_repository_and_no_more_than_its_use(
    registered: AppDouble, app: GitHubApp
) -> None:
    made = app.token(REPOSITORY, SEND)
    body = {"repositories": ["plugin"], "permissions": {"contents": "write"}}
    assert registered.minted == [("vendor", body)]
    left = made.expires_at - dt.datetime.now(dt.UTC)
    assert dt.timedelta(minutes=59) < left <= dt.timedelta(hours=1)


def test_nothing_that_is_secret_is_shown(app: GitHubApp) -> None:
    made = app.token(REPOSITORY, SEND)
    for shown in (repr(app), str(app), repr(made), str(made)):
        assert private_key()[40:80] not in shown
        assert made.token not in shown


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(lambda: "junk", id="no key"),
        pytest.param(lambda: private_key()[:400], id="cut off"),
        pytest.param(lambda: private_key().replace("\n", "\\n"), id="escaped lines"),
        pytest.param(lambda: public_key(private_key()), id="public"),
        pytest.param(encrypted_key, id="encrypted"),
        pytest.param(ec_key, id="of another kind"),
        pytest.param(lambda: "\udcff", id="no text"),
    ],
)
def test_a_malformed_key_is_said_before_github_is_asked(
    double: GitHubDouble, registered: AppDouble, key: Callable[[], str]
) -> None:
    assert registered is double.app
    text = key()
    with pytest.raises(AppError) as raised:
        connected_app(AppCredentials(github_apps.APP_ID, text), double.home, QUICK)
    assert str(raised.value) == (
        "UPSTREAM_APP_KEY: the value is not the private key of a GitHub App in PEM format. "
        "Set it to the content of the file: gh secret set UPSTREAM_APP_KEY --env upstream < FILE.pem"
    )
    assert double.asked == []
    assert raised.value.__suppress_context__
    assert text not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("spaces", ["\n", "\r\n"])
def test_a_key_with_other_line_ends_or_spaces_around_is_read(
    double: GitHubDouble, registered: AppDouble, monkeypatch: pytest.MonkeyPatch, spaces: str
) -> None:
    assert registered is double.app
    monkeypatch.setenv(APP_ID, f" {github_apps.APP_ID}\n")
    monkeypatch.setenv(APP_KEY, f"\n{private_key().replace(chr(10), spaces)}\n")
    monkeypatch.setenv("GITHUB_API_URL", f"{double.home}/")
    assert app_from_environment(QUICK).login == "portal[bot]"


def test_the_environment_describes_the_app_or_its_missing_values_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in (APP_ID, APP_KEY):
        monkeypatch.setenv(variable, "")  # as an unset secret comes
    with pytest.raises(
        AppError, match=r"^UPSTREAM_APP_ID and UPSTREAM_APP_KEY: no value is set\. "
    ):
        app_from_environment()
    monkeypatch.setenv(APP_KEY, "a key")
    with pytest.raises(
        AppError, match=r"^UPSTREAM_APP_ID: no value is set\. Set up the GitHub App "
    ):
        app_from_environment()
    monkeypatch.setenv(APP_ID, "1")
    monkeypatch.delenv(APP_KEY)
    with pytest.raises(AppError, match=r"^UPSTREAM_APP_KEY: no value is set\. "):
        app_from_environment()


@pytest.mark.parametrize(
    ("app_id", "key", "words"),
    [
        ("999", private_key, "Integration not found (HTTP 404)"),
        ("12345", new_key, "A JSON web token could not be decoded (HTTP 401)"),
    ],
    ids=["another id", "another key"],
)
def test_an_id_and_a_key_that_do_not_match_are_one_message(
    double: GitHubDouble, registered: AppDouble, app_id: str, key: Callable[[], str], words: str
) -> None:
    assert registered is double.app
    with pytest.raises(AppError) as raised:
        connected_app(AppCredentials(app_id, key()), double.home, QUICK)
    assert str(raised.value) == (
        f"UPSTREAM_APP_ID and UPSTREAM_APP_KEY: GitHub doesn't accept the App (app: {words}). "
        "Check that the key belongs to the App with this id and was not deleted"
    )
    assert len(double.asked) == 1


@pytest.mark.parametrize("minutes", [-20, 20])
def test_a_clock_that_is_off_is_said_with_its_time(
    double: GitHubDouble, registered: AppDouble, minutes: int
) -> None:
    registered.skew = dt.timedelta(minutes=minutes)
    with pytest.raises(AppError) as raised:
        connected_app(AppCredentials(github_apps.APP_ID, private_key()), double.home, QUICK)
    assert re.fullmatch(
        "UPSTREAM_APP_ID and UPSTREAM_APP_KEY: GitHub refuses the time of the request: "
        r"the clock of this machine says \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\. "
        "Synchronize the clock of this machine",
        str(raised.value),
    )
    assert len(double.asked) == 1


@pytest.mark.parametrize("seconds", [-50, 50])
def test_a_clock_that_is_a_little_off_does_no_harm(
    registered: AppDouble, app: GitHubApp, seconds: int
) -> None:
    registered.skew = dt.timedelta(seconds=seconds)
    assert app.token(REPOSITORY, SEND).token


@pytest.mark.parametrize(
    ("change", "problem", "fix"),
    [
        (
            lambda _: None,
            "the GitHub App is not installed at other",
            "Ask an owner of other to install it for plugin",
        ),
        (
            lambda app: app.install("other", "docs", contents="write"),
            "the installation of the GitHub App at other doesn't include this repository",
            "Ask an owner of other to add plugin, or correct the name",
        ),
        (
            lambda app: setattr(app.install("other", contents="write"), "suspended", True),
            "the installation of the GitHub App at other is suspended",
            "Ask an owner of other to unsuspend it",
        ),
        (
            lambda app: app.install("other", contents="read", metadata="read"),
            "the GitHub App lacks the permission contents: write and actions: read",
            "Add it to the App if needed, and ask an owner of other to accept it",
        ),
    ],
)
def test_what_the_app_lacks_is_said_with_whom_to_ask(
    registered: AppDouble,
    app: GitHubApp,
    change: Callable[[AppDouble], object],
    problem: str,
    fix: str,
) -> None:
    change(registered)
    with pytest.raises(AppError) as raised:
        app.token("other/plugin", {"contents": "write", "actions": "read"})
    assert str(raised.value) == f"other/plugin: {problem}. {fix}: {PAGE}"
    assert registered.minted == []


@pytest.mark.parametrize("where", ["GET repos/vendor/plugin/installation", "POST .*access_tokens"])
def test_github_may_refuse_a_suspended_installation_itself(
    double: GitHubDouble, app: GitHubApp, where: str
) -> None:
    double.faults = [Fault(where, 403, "This installation has been suspended")]
    with pytest.raises(AppError) as raised:
        app.token(REPOSITORY, SEND)
    assert str(raised.value).startswith(
        "vendor/plugin: the installation of the GitHub App at vendor is suspended. "
    )


def test_what_changes_between_two_requests_is_said_as_well(
    registered: AppDouble, app: GitHubApp
) -> None:
    found = registered.installed["vendor"]
    registered.changed = lambda: setattr(found, "repositories", {"docs"})
    with pytest.raises(AppError, match=r"^vendor/plugin: .* doesn't include this repository\. "):
        app.token(REPOSITORY, SEND)
    found.repositories = None
    registered.changed = found.permissions.clear
    with pytest.raises(AppError, match=r"GitHub refuses the GitHub App \(.* \(HTTP 422\)\)\. Ch"):
        app.token(REPOSITORY, SEND)
    found.permissions |= SEND
    registered.changed = registered.installed.clear
    with pytest.raises(AppError, match=r"^vendor/plugin: .* is not installed at vendor\. "):
        app.token(REPOSITORY, SEND)


def test_what_passes_is_no_fault_of_the_app(double: GitHubDouble, app: GitHubApp) -> None:
    double.faults = [Fault("POST .*access_tokens", 502, "Bad Gateway")]
    with pytest.raises(GitHubError, match=r"Bad Gateway \(HTTP 502\)$") as raised:
        app.token(REPOSITORY, SEND)
    assert raised.value.passing
    assert not isinstance(raised.value, AppError)
    double.faults = [Fault("GET .*installation", 502, times=2)]
    assert app.token(REPOSITORY, SEND).token


def test_an_answer_that_nobody_can_read_shows_no_token(
    double: GitHubDouble, app: GitHubApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = {"token": "ghs_secret", "expires_at": "some day"}
    assert double.app
    monkeypatch.setattr(double.app, "_mint", lambda *_: answer)
    words = r"^app/installations/\d+/access_tokens: the response has an unexpected format$"
    with pytest.raises(GitHubError, match=words) as raised:
        app.token(REPOSITORY, SEND)
    assert "ghs_secret" not in "".join(traceback.format_exception(raised.value))
