"""What is missing for upstream events: all findings at once. Only reads; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.upstream.setup_app import (
    ConnectApp,
    app_finding,
    app_findings,
    check_run_findings,
)
from accelerator_portal.automation.upstream.setup_repositories import (
    SECRETS,
    environment_findings,
    permission_findings,
    variable_findings,
    workflow_findings,
)
from accelerator_portal.automation.upstream.setup_tokens import (
    HeaderApi,
    SetupFinding,
    refused_request,
    token_findings,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.upstream_events import Dispatch

SETTINGS = "GH_TOKEN"
"""The token of an administrator, which reads this repository's settings."""
DISPATCH, READ, COMMENT = SECRETS
TOKENS = (SETTINGS, *SECRETS)

Connect = Callable[[str], HeaderApi]
"""Return the API for the token in a variable. Raises GitHubError if there is none."""
SetupCheck = Callable[[HeaderApi], Iterator[SetupFinding]]


def setup_findings(
    catalog: Catalog, home: str, connect: Connect, connect_app: ConnectApp
) -> list[SetupFinding]:
    """Return everything that is missing, each finding once.

    The personal tokens are checked only where there is no App, which is used instead of them.
    """
    checks = _checks(targets(catalog), home)
    found = [*_of_token(SETTINGS, checks[SETTINGS], connect)]
    try:
        app = connect_app()
    except GitHubError as error:
        return list(dict.fromkeys([*found, app_finding(error)]))
    if app:
        found += app_findings(app, catalog, home, targets(catalog))
    else:
        found += chain.from_iterable(_of_token(name, checks[name], connect) for name in SECRETS)
        found += check_run_findings(COMMENT, catalog)
    return list(dict.fromkeys(found))


def targets(catalog: Catalog) -> list[Dispatch]:
    """Return the vendors' repositories that get events, each event type once."""
    events = (platform.accelerator.upstream_events for platform in catalog.platforms)
    sent_to = {one.run.sent_to for one in events if one is not None}
    known = (one for one in sent_to if one is not None)
    return sorted(known, key=lambda one: (one.repository, one.event_type))


def _checks(vendors: list[Dispatch], home: str) -> dict[str, list[SetupCheck]]:
    repositories = sorted({one.repository for one in vendors})
    return {
        SETTINGS: [
            lambda api: variable_findings(api, home),
            lambda api: environment_findings(api, home),
        ],
        DISPATCH: [_may_dispatch(repository) for repository in repositories],
        READ: [_has_workflow(target) for target in vendors],
        COMMENT: [],
    }


def _may_dispatch(repository: str) -> SetupCheck:
    return lambda api: permission_findings(api, DISPATCH, repository)


def _has_workflow(target: Dispatch) -> SetupCheck:
    return lambda api: workflow_findings(api, target)


def _of_token(variable: str, checks: list[SetupCheck], connect: Connect) -> Iterator[SetupFinding]:
    """Yield the findings of one token; without a valid token nothing else can be checked."""
    try:
        api = connect(variable)
    except GitHubError as error:
        problem, _, fix = str(error).partition(". ")
        yield SetupFinding(variable, problem.replace(f"{variable} is", "the variable is"), fix)
        return
    try:
        yield from token_findings(variable, api)
    except GitHubError as error:
        yield refused_request(variable, error)
        return
    for check in checks:
        try:
            yield from check(api)
        except GitHubError as error:
            yield refused_request(variable, error)
