from __future__ import annotations

import pytest

from accelerator_portal.automation.upstream.checks import (
    check_run,
    level_of,
    may_check,
    put_check_run,
)
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import (
    DELIVERY,
    HEAD,
    SECTION,
    UPSTREAM,
    VENDOR,
    change,
    client,
    portal,
)
from tests.automation.upstream.test_marker import answer
from tests.folders import SOURCES, Tree, loaded

RELAY = {
    "data/relay.yaml": f"""\
{SOURCES}\
repositories:
  - {{repository: {VENDOR}, level: L3, source: made-up}}
"""
}


@pytest.mark.parametrize(
    ("level", "labels", "allowed"),
    [
        (None, ("ciflow/crcr/example",), False),
        ("L1", ("ciflow/crcr/example",), False),
        ("L2", ("ciflow/crcr/example",), False),
        ("L3", (), False),
        ("L3", ("ciflow/crcr/other",), False),
        ("L3", ("ciflow/crcr/example",), True),
        ("L4", (), True),
    ],
)
def test_the_relay_s_levels_say_who_has_one(
    tree: Tree, level: str | None, labels: tuple[str, ...], *, allowed: bool
) -> None:
    (platform,) = loaded(tree(portal())).platforms
    assert may_check(platform, level, change(labels=labels)) == allowed  # type: ignore[arg-type] # as text
    periodic = change(occasion="daily", number=None, labels=labels)
    assert not may_check(platform, level, periodic)  # type: ignore[arg-type] # as text


def test_a_device_of_another_name_is_asked_for_by_it(tree: Tree) -> None:
    section = SECTION.replace("  tasks:", "  device: ex\n  tasks:")
    (platform,) = loaded(tree(portal(section))).platforms
    assert may_check(platform, "L3", change(labels=("ciflow/crcr/ex",)))


def test_the_list_is_read_from_the_data(tree: Tree) -> None:
    catalog = loaded(tree({**portal(), **RELAY}))
    assert (level_of(catalog, VENDOR), level_of(catalog, "other/plugin")) == ("L3", None)


def test_news_fails_a_check_at_the_highest_level_alone() -> None:
    found = {
        (level, broken): check_run(answer(broken=broken), change(), level)["conclusion"]
        for level in ("L3", "L4")
        for broken in (0, 1)
    }
    assert found == {
        ("L3", 0): "success",
        ("L3", 1): "neutral",
        ("L4", 0): "success",
        ("L4", 1): "failure",
    }


def test_it_is_made_once_for_an_event_and_then_renewed(double: GitHubDouble) -> None:
    for broken in (30, 0):
        put_check_run(client(double), UPSTREAM, check_run(answer(broken=broken), change(), "L4"))
    (check,) = double.check_runs[UPSTREAM]
    assert (check["name"], check["head_sha"], check["external_id"], check["conclusion"]) == (
        "accelerators/example",
        HEAD,
        DELIVERY,
        "success",
    )
    put_check_run(client(double), UPSTREAM, check_run(answer(), change(delivery="another"), "L4"))
    assert len(double.check_runs[UPSTREAM]) == 2


def test_it_says_what_broke_and_who_says_so() -> None:
    output = check_run(answer(broken=30), change(), "L4")["output"]
    assert output["title"] == "30 newly broken, 0 already failing on the base"
    assert output["summary"].startswith("Reported by `vendor/plugin`. 30 newly broken")
    assert output["summary"].endswith("- `made-up/t19` failed\n- 10 more")
