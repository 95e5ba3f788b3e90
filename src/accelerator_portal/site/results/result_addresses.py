"""Computes the permanent addresses of tests and test results on the site."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from string import ascii_lowercase
from urllib.parse import urlencode

from accelerator_portal.catalog.schema import slug
from accelerator_reports.suite_names import suite_folder
from accelerator_reports.test_keys import Identity

RESULTS_PAGES = "results"


# Asked about six times for each test of the site.
@lru_cache(maxsize=1 << 17)
def anchor_of(name: str) -> str:
    """Return the HTML id of a test on its page: `test-alexnet-01234567`.

    It ends with a hash of the name, which distinguishes names such as `a b-c` and `a-b c`.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"test-{slug(name)}-{digest[:8]}"


def address_of(suite: str, name: str) -> str:
    """Return a test's address relative to `results/`: `torchbench/tests/a/#test-alexnet-01234567`.

    Small suites also have a page for each initial of their tests, so that no link breaks when a
    suite grows.
    """
    return f"{suite_folder(suite)}/tests/{initial(name)}/#{anchor_of(name)}"


def history_address(history: str, suite: str, name: str) -> str:
    """Return the address, relative to `results/`, of a test on the page of test histories.

    `history` is the name of a platform's history, such as `xpu-runs`. The page has each test of the
    history, also a test that no report has any more.
    """
    query = urlencode({"platform": history, "test": Identity(suite, name).key})
    return f"test-history/?{query}"


def evidence_suffix(mode: str, report: str, group: str) -> str:
    """Return what to append to a test's address to link to one result: `.inference.run-1.float32`.

    `mode` is the test's mode, or empty. `report` is the report's id. `group` is the result of
    `group_of` for the test, such as `float32`.
    """
    parts = (slug(mode) if mode else "", report, slug(group) if group else "")
    return "".join(f".{part}" for part in parts if part)


def initial(name: str) -> str:
    """Return the first letter of a test's name, or `0` if it is not a letter from a to z.

    In a pytest name, it is the letter after `test_`: `c` for `test_torch.TestTorch::test_copy`.
    """
    word = name.rpartition("::")[2].removeprefix("test_") if "::" in name else name
    letter = word[:1].lower()
    return letter if letter in set(ascii_lowercase) else "0"
