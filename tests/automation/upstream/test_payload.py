from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from accelerator_automation.upstream.planning import client_payload
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


@example("\U0001f600" * 1000, ["\U0001f600" * 1000] * 100)  # twelve bytes of JSON each
@given(
    st.text(st.characters(codec="utf-8"), max_size=1000),
    st.lists(st.text(max_size=1000), max_size=100),
)
def test_texts_are_cut_and_identifiers_never(title: str, labels: list[str]) -> None:
    found = client_payload(change(title=title, labels=tuple(labels)), entry())
    assert len(json.dumps(found)) <= 64 * 1024
    assert len(found) <= 10
    assert {name: found[name] for name in IDENTIFIERS} == IDENTIFIERS
    pull = found["pull_request"]
    assert (pull["number"], pull["head"], pull["base"]) == (NUMBER, {"sha": HEAD}, {"sha": BASE})
