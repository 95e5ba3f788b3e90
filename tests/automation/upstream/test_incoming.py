from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_automation.upstream.incoming import (
    MOST_BYTES,
    Change,
    RefusedEventError,
    read_event,
)
from tests.automation.upstream.scene import (
    DELIVERY,
    HEAD,
    NUMBER,
    UPSTREAM,
    change,
    event,
    nested,
    pull_webhook,
)
from tests.folders import REPOSITORY

# GitHub's own sample payloads: npm @octokit/webhooks-examples 7.6.1 (MIT), see `make webhooks`.
SAMPLES = Path(
    REPOSITORY, ".cache/webhooks/node_modules/@octokit/webhooks-examples/api.github.com/index.json"
)
SAMPLES_SHA256 = "09d8f0c617876ae9dad22e26fea5510bfcaad50ee7e602659f6db25b87b25815"


def of(event_type: str) -> Iterator[dict[str, Any]]:
    """GitHub's samples of an event."""
    if not SAMPLES.exists() and not os.environ.get("PORTAL_REQUIRE_WEBHOOKS"):
        pytest.skip("GitHub's sample payloads are not here: make webhooks")
    data = SAMPLES.read_bytes()
    assert hashlib.sha256(data).hexdigest() == SAMPLES_SHA256
    (found,) = (one for one in json.loads(data) if one["name"] == event_type)
    yield from found["examples"]


def test_the_webhook_nested_in_the_payload_is_read() -> None:
    assert read_event(nested(pull_webhook())) == change(title="", base=None, approval=None)


def test_the_trimmed_form_is_read_and_the_same_commit_is_the_same_event() -> None:
    trimmed = {"pull_request": {"number": NUMBER, "title": "A title", "head": {"sha": HEAD}}}
    found = read_event(event(trimmed))
    assert isinstance(found, Change)
    assert (found.number, found.head, found.base) == (NUMBER, HEAD, None)
    assert found == read_event(event(trimmed))
    other = read_event(event({"pull_request": {"number": NUMBER, "head": {"sha": "c" * 40}}}))
    assert isinstance(other, Change)
    assert other.delivery != found.delivery


def test_a_number_alone_is_enough() -> None:
    found = read_event(event({"pull_request": {"number": NUMBER}}))
    assert isinstance(found, Change)
    assert found.head is None


def test_a_label_that_was_added_is_known_and_who_added_it_to_a_named_commit() -> None:
    label, sender = {"name": "ciflow/crcr/ex"}, {"login": "maintainer"}
    webhook = pull_webhook("labeled", label=label, sender=sender)
    found = read_event(nested(webhook))
    assert isinstance(found, Change)
    assert (found.added, found.sender) == ("ciflow/crcr/ex", "maintainer")
    del webhook["pull_request"]["head"]
    found = read_event(nested(webhook))
    assert isinstance(found, Change)
    assert (found.added, found.sender) == ("ciflow/crcr/ex", None)


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "labeled", "closed"])
def test_what_happens_to_pull_requests_is_kept(action: str) -> None:
    found = read_event(nested(pull_webhook(action)))
    assert isinstance(found, Change)
    assert found.action == action


def test_a_push_to_main_is_a_change() -> None:
    push = {"ref": "refs/heads/main", "after": HEAD, "repository": {"full_name": UPSTREAM}}
    found = read_event(nested(push, "push"))
    assert found == Change(occasion="push", delivery=DELIVERY, repository=UPSTREAM, head=HEAD)


@pytest.mark.parametrize(
    "changed",
    [
        {"ref": "refs/heads/other"},
        {"ref": "refs/tags/main"},
        {"deleted": True},
        {"after": "0" * 40},
    ],
)
def test_another_push_is_none(changed: dict[str, object]) -> None:
    push = {"ref": "refs/heads/main", "after": HEAD, "repository": {"full_name": UPSTREAM}}
    found = read_event(nested({**push, **changed}, "push"))
    assert str(found).startswith("No tests are started for a push to refs/")


def test_a_check_run_that_is_asked_for_again_is_one_platforms() -> None:
    check = {"name": "accelerators/foo", "head_sha": HEAD, "pull_requests": [{"number": NUMBER}]}
    webhook = {"action": "rerequested", "check_run": check, "repository": {"full_name": UPSTREAM}}
    found = read_event(nested(webhook, "check_run"))
    assert isinstance(found, Change)
    assert (found.only, found.action, found.number) == ("foo", "rerequested", NUMBER)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the event doesn't match GitHub's event format"),
        (b"[]", "the event doesn't match GitHub's event format"),
        (b'{"client_payload": 1}', "client_payload doesn't match"),
        (event({}), "pull_request doesn't match"),
        (event({"pull_request": {"number": 0}}), "pull_request.number doesn't match"),
        (event({"pull_request": {"number": "7; rm"}}), "pull_request.number doesn't match"),
        (nested({"action": "opened"}), "pull_request doesn't match"),
        (b" " * (MOST_BYTES + 1), "the event has more than 1,048,576 bytes"),
        (
            nested(pull_webhook(repository={"full_name": "evil/pytorch"})),
            "unknown repository: the event is from evil/pytorch, not from pytorch/pytorch",
        ),
        (
            event({"event_type": "push", "delivery_id": "$(id)", "payload": {}}),
            "delivery_id doesn't match",
        ),
    ],
)
def test_what_is_no_event_is_refused_by_name(data: bytes, words: str) -> None:
    with pytest.raises(RefusedEventError) as raised:
        read_event(data)
    assert str(raised.value).startswith(words)


@pytest.mark.parametrize("action", ["deleted", "x\n::error::y", "$(id)"])
def test_another_action_is_passed_over_and_cannot_write_a_command(action: str) -> None:
    found = read_event(nested(pull_webhook(action)))
    assert str(found).startswith("No tests are started for a pull request that is ")
    assert not set("\n:$()") & set(str(found).removeprefix("Nothing"))


WORDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "pull_request",
                    "payload",
                    "event_type",
                    "delivery_id",
                    "number",
                    "head",
                    "sha",
                    "x",
                ]
            ),
            inside,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(WORDS)
def test_whatever_comes_is_a_change_or_words(payload: object) -> None:
    said: Change | str | RefusedEventError
    try:
        said = read_event(event(payload))
    except RefusedEventError as refused:
        said = refused
    assert isinstance(said, Change) or str(said).isprintable()


def test_github_s_own_pull_requests_are_read() -> None:
    actions = []
    for sample in of("pull_request"):
        repository = sample["repository"]["full_name"]
        found = read_event(nested(sample), repository)
        if isinstance(found, Change):
            assert found.number == sample["pull_request"]["number"]
            assert found.head == sample["pull_request"]["head"]["sha"]
            actions.append(found.action)
        with pytest.raises(RefusedEventError, match=r"^unknown repository: "):
            read_event(nested(sample))
    assert sorted(set(map(str, actions))) == [
        "closed",
        "labeled",
        "opened",
        "reopened",
        "synchronize",
    ]


@pytest.mark.parametrize(
    ("external_id", "number"),
    [(f"{DELIVERY}:{NUMBER}", NUMBER), (DELIVERY, None), ("12:0", None), (None, None)],
)
def test_a_check_run_of_a_fork_s_pull_request_has_the_number_in_its_id(
    external_id: str | None, number: int | None
) -> None:
    check = {"name": "accelerators/example", "head_sha": HEAD, "external_id": external_id}
    webhook = {"action": "rerequested", "check_run": {**check, "pull_requests": []}}
    found = read_event(nested({**webhook, "repository": {"full_name": UPSTREAM}}, "check_run"))
    assert (found.number if isinstance(found, Change) else None) == number


def test_github_s_own_pushes_and_check_runs_are_read() -> None:
    for name in ("push", "check_run"):
        for sample in of(name):
            found = read_event(nested(sample, name), sample["repository"]["full_name"])
            assert isinstance(found, Change | str)


def test_github_s_own_dispatch_has_nothing_in_it() -> None:
    for sample in of("repository_dispatch"):
        with pytest.raises(RefusedEventError, match=r"^pull_request"):
            read_event(json.dumps(sample).encode())
