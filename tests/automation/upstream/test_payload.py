from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_automation.upstream.planning import (
    MOST_BYTES,
    client_payload,
    json_size,
    shortened_payload,
)
from tests.automation.upstream.scene import BASE, DELIVERY, HEAD, NUMBER, change, entry

IDENTIFIERS = {"delivery_id": DELIVERY, "accelerator": "example", "sha": HEAD}


def test_a_vendor_is_sent_what_older_dispatchers_send_too() -> None:
    assert client_payload(change(labels=("x",)), entry()) == {
        "schema_version": 1,
        "event_type": "pull-request",
        "delivery_id": DELIVERY,
        "accelerator": "example",
        "tasks": ["unit", "models"],
        "repository": "pytorch/pytorch",
        "sha": HEAD,
        "run_name": f"{DELIVERY}/example",
        "artifact": "accelerator-report",
        "pull_request": {
            "number": NUMBER,
            "title": "A title",
            "head": {"sha": HEAD},
            "base": {"sha": BASE},
            "labels": [{"name": "x"}],
        },
    }


def test_without_a_pull_request_there_is_none() -> None:
    found = client_payload(change(occasion="daily", number=None), entry())
    assert "pull_request" not in found


@given(
    st.text(st.characters(codec="utf-8"), max_size=1000),
    st.lists(st.text(max_size=1000), max_size=100),
)
def test_texts_are_cut_and_identifiers_never(title: str, labels: list[str]) -> None:
    found = client_payload(change(title=title, labels=tuple(labels)), entry())
    assert json_size(found) <= MOST_BYTES
    assert len(found) <= 10
    assert {name: found[name] for name in IDENTIFIERS} == IDENTIFIERS
    pull = found["pull_request"]
    assert (pull["number"], pull["head"], pull["base"]) == (NUMBER, {"sha": HEAD}, {"sha": BASE})


def test_labels_go_first_and_then_the_title() -> None:
    whole = client_payload(change(title="t" * 900, labels=("l" * 50,) * 8), entry())
    with_labels_cut = shortened_payload(whole, json_size(whole) - 1)["pull_request"]
    assert (len(with_labels_cut["labels"]), with_labels_cut["title"]) == (4, "t" * 900)
    with_title_cut = shortened_payload(whole, 900)["pull_request"]
    assert with_title_cut["labels"] == []
    assert with_title_cut["title"].startswith("ttt")
    assert with_title_cut["title"].endswith("…")


def test_what_cannot_be_cut_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^the event has [0-9,]+ bytes, more than 100$"):
        shortened_payload(client_payload(change(), entry()), 100)
