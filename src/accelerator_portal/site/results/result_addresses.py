"""Computes the permanent address of a test on the site."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from string import ascii_lowercase

from accelerator_portal.catalog.files.own_suite import suite_folder
from accelerator_portal.site.anchors import slug

RESULTS_PAGES = "results"


# Asked about six times for each test of the site.
@lru_cache(maxsize=1 << 17)
def anchor_of(name: str) -> str:
    """Return the id of a test on its page, with a hash of its name.

    The hash distinguishes names such as `a b-c` and `a-b c`, which have the same slug.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"test-{slug(name)}-{digest[:8]}"


def address_of(suite: str, name: str) -> str:
    """Return a test's address relative to `results/`: `torchbench/tests/a/#test-alexnet-01234567`.

    Every suite has a page for each initial of its tests, even with few tests, so that no link
    breaks when the suite grows.
    """
    return f"{suite_folder(suite)}/tests/{initial(name)}/#{anchor_of(name)}"


def evidence_suffix(mode: str, report: str, group: str) -> str:
    """Return the suffix of a test's address for one result: `.inference.run-1.float32`.

    `report` is the report's id. `group` is the result of `group_of` for the test, such as
    `float32`.
    """
    parts = (slug(mode) if mode else "", report, slug(group) if group else "")
    return "".join(f".{part}" for part in parts if part)


def initial(name: str) -> str:
    """Return the initial of a test's name; `0` if the initial is not a letter from a to z.

    In a pytest name, the initial after `test_` is returned: `test_torch.TestTorch::test_copy` →
    `c`.
    """
    word = name.rpartition("::")[2].removeprefix("test_") if "::" in name else name
    letter = word[:1].lower()
    return letter if letter in set(ascii_lowercase) else "0"
