"""Computes the permanent address of a test on the site."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from string import ascii_lowercase

from accelerator_portal.catalog.own_suite import suite_folder
from accelerator_portal.site.anchors import slug

RESULTS_PAGES = "results"


# Asked about six times for each test of the site.
@lru_cache(maxsize=1 << 17)
def anchor_of(name: str) -> str:
    """Return the id of a test on its page; names differ in more than letters.

    The hash keeps `a b-c` and `a-b c` apart: anybody's report may have both.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"test-{slug(name)}-{digest[:8]}"


def address_of(suite: str, name: str) -> str:
    """Return where a test stands, from `results/`: `torchbench/tests/a/#test-alexnet-123`.

    Every suite has a page for each initial, however few its tests: no link breaks when it grows.
    """
    return f"{suite_folder(suite)}/tests/{initial(name)}/#{anchor_of(name)}"


def evidence_suffix(mode: str, report: str, group: str) -> str:
    """Return what follows a test's address for one of its results: `.inference.run-1.float32`."""
    parts = (slug(mode) if mode else "", report, slug(group) if group else "")
    return "".join(f".{part}" for part in parts if part)


def initial(name: str) -> str:
    """Return the letter under which a test stands; `0` where it begins with none of a to z.

    Of a function that pytest names, `test_torch.TestTorch::test_copy`, that of its own word, `c`:
    all of them begin with "test".
    """
    word = name.rpartition("::")[2].removeprefix("test_") if "::" in name else name
    letter = word[:1].lower()
    return letter if letter in set(ascii_lowercase) else "0"
