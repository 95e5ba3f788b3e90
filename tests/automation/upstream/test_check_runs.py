from __future__ import annotations

import pytest
from pydantic import ValidationError

from accelerator_automation.upstream.answer_round import (
    allows_check_run,
    check_run_body,
    put_check_run,
    relay_entry,
)
from accelerator_portal.catalog.files.shared_files import RelayRepository
from tests.automation.github_double import GitHubDouble
from tests.automation.upstream.scene import (
    DELIVERY,
    HEAD,
    NUMBER,
    UPSTREAM,
    VENDOR,
    change,
    client,
    portal,
)
from tests.automation.upstream.test_comment import answer
from tests.folders import SOURCES, Tree, loaded

RELAY = {
    "data/relay.yaml": f"""\
{SOURCES}\
repositories:
  - {{repository: {VENDOR}, level: L3, device: ex_ample, source: made-up}}
"""
}


@pytest.mark.parametrize(
    ("level", "labels", "allowed"),
    [
        ("L1", ("ciflow/crcr/ex_ample",), False),
        ("L2", ("ciflow/crcr/ex_ample",), False),
        ("L3", (), False),
        ("L3", ("ciflow/crcr/example",), False),
        ("L3", ("ciflow/crcr/ex_ample",), True),
        ("L4", (), True),
    ],
)
def test_the_relay_s_levels_say_who_has_one(
    level: str, labels: tuple[str, ...], *, allowed: bool
) -> None:
    device = {"device": "ex_ample"} if level == "L3" else {}
    entry = {"repository": VENDOR, "level": level, "source": "made-up", **device}
    assert allows_check_run(RelayRepository.model_validate(entry), change(labels=labels)) == allowed


def test_the_list_is_read_from_the_data(tree: Tree) -> None:
    catalog = loaded(tree({**portal(), **RELAY}))
    found = relay_entry(catalog, VENDOR)
    assert found
    assert (found.level, found.device) == ("L3", "ex_ample")
    assert relay_entry(catalog, "other/plugin") is None


@pytest.mark.parametrize(("level", "device"), [("L3", ""), ("L2", ", device: ex_ample")])
def test_the_list_names_a_device_for_level_three_alone(level: str, device: str) -> None:
    entry = {"repository": VENDOR, "level": level, "source": "made-up"}
    if device:
        entry["device"] = "ex_ample"
    with pytest.raises(
        ValidationError, match="name the device for level L3, and for no other level"
    ):
        RelayRepository.model_validate(entry)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "state the level, or the requested level"),
        ({"level": "L2", "events": ["nightly", "nightly"]}, "has an event twice"),
        ({"level": "L2", "events": []}, "at least 1"),
        ({"level": "L2", "events": ["push"]}, "'pull_request' or 'nightly'"),
    ],
)
def test_an_entry_states_a_level_and_upstream_s_events(
    entry: dict[str, object], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        RelayRepository.model_validate({"repository": VENDOR, "source": "made-up", **entry})


def test_a_level_that_is_only_requested_allows_nothing() -> None:
    entry = {"repository": VENDOR, "requested": "L4", "source": "made-up"}
    assert not allows_check_run(RelayRepository.model_validate(entry), change())


def test_other_check_runs_of_the_commit_do_not_hide_it(double: GitHubDouble) -> None:
    body = check_run_body(answer(), change(), "L4")
    put_check_run(client(double), UPSTREAM, body)
    others = [{**body, "id": 1 + i, "name": f"linux / test {i}"} for i in range(300)]
    events = [{**body, "id": 500 + i, "external_id": f"event-{i}:7"} for i in range(40)]
    double.check_runs[UPSTREAM][:0] = others + events
    assert put_check_run(client(double), UPSTREAM, body).endswith("was updated.")
    assert len(double.check_runs[UPSTREAM]) == 341


def test_news_fails_a_check_at_the_highest_level_alone() -> None:
    found = {
        (level, broken): check_run_body(answer(broken=broken), change(), level)["conclusion"]
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
        put_check_run(
            client(double), UPSTREAM, check_run_body(answer(broken=broken), change(), "L4")
        )
    (check,) = double.check_runs[UPSTREAM]
    assert (check["name"], check["head_sha"], check["external_id"], check["conclusion"]) == (
        "accelerators/example",
        HEAD,
        f"{DELIVERY}:{NUMBER}",
        "success",
    )
    put_check_run(
        client(double), UPSTREAM, check_run_body(answer(), change(delivery="another"), "L4")
    )
    assert len(double.check_runs[UPSTREAM]) == 2


def test_it_says_what_broke_and_who_says_so() -> None:
    output = check_run_body(answer(broken=30), change(), "L4")["output"]
    assert output["title"] == "30 new failures, 0 already failing on the base"
    assert output["summary"].startswith("Reported by `vendor/plugin`. 30 new failures")
    assert output["summary"].endswith("- `made-up/t19` failed\n- 10 more")
