"""PyPI itself, on request: what the loopback index says, PyPI says in the same words."""

from __future__ import annotations

import os

import pytest

from tests.folders import Tree
from tests.portal.packages.loopback import Index
from tests.portal.packages.syncing import FILES, releases, synced

pytestmark = [
    pytest.mark.real_index,
    pytest.mark.skipif(not os.environ.get("PORTAL_ASK_PYPI"), reason="PORTAL_ASK_PYPI is not set"),
]


def test_known_releases_say_what_they_are_known_to_say(tree: Tree) -> None:
    files = {path: text.replace("torch-example", "torch-npu") for path, text in FILES.items()}
    root = tree(files)
    synced(root, Index(), only=frozenset({"torch-npu"}), addresses={})
    found = releases(root, "torch-npu")["2.10.0"]
    assert found["requires"] == {
        "manylinux_2_28_aarch64": ["torch==2.10.0"],
        "manylinux_2_28_x86_64": ["torch==2.10.0+cpu"],
    }
    assert found["date"] == "2026-05-06"
