"""What the App needs where, by the platforms' folders."""

from __future__ import annotations

from accelerator_automation.upstream.connections import (
    required_permissions,
    upstream_permissions,
)
from accelerator_portal.catalog import load_catalog
from tests.automation.upstream.scene import HOME, SECTION, UPSTREAM, VENDOR, portal
from tests.automation.upstream.test_checks import RELAY
from tests.folders import EXAMPLE, Tree, loaded

RUNNER = SECTION.replace(
    "{dispatch: {repository: vendor/plugin, event_type: pytorch-event}}",
    "{runner: [self-hosted, ex]}",
)


def test_a_vendor_s_repository_is_sent_events_and_read(tree: Tree) -> None:
    assert required_permissions(loaded(tree(portal())), HOME) == {
        UPSTREAM: {"pull_requests": "write"},
        VENDOR: {"contents": "write", "actions": "read"},
    }


def test_check_runs_are_needed_where_a_level_asks_for_them(tree: Tree) -> None:
    needed = required_permissions(loaded(tree({**portal(), **RELAY})), HOME)
    assert needed[UPSTREAM] == {"pull_requests": "write", "checks": "write"}


def test_runs_of_this_repository_are_read_where_a_platform_runs_here(tree: Tree) -> None:
    catalog, _ = load_catalog(tree(portal(RUNNER)))
    assert catalog
    assert required_permissions(catalog, HOME) == {
        UPSTREAM: {"pull_requests": "write"},
        HOME: {"actions": "read"},
    }


def test_without_platforms_nothing_is_needed(tree: Tree) -> None:
    assert required_permissions(loaded(tree(EXAMPLE)), HOME) == {}


def test_a_comment_needs_no_permission_for_checks() -> None:
    place = f"repos/{UPSTREAM}"
    for path in (f"{place}/pulls/7", f"{place}/issues/7/comments", f"{place}/issues/comments/1"):
        assert upstream_permissions(path) == {"pull_requests": "write"}
    for path in (f"{place}/check-runs/1", f"{place}/commits/abc/check-runs?check_name=x"):
        assert upstream_permissions(path) == {"checks": "write"}
