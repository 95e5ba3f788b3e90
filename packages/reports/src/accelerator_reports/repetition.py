"""Derives what repeats a test exactly: the command and the seed of its random numbers."""

from __future__ import annotations

import shlex
from functools import lru_cache
from hashlib import blake2b

from accelerator_reports.report import TestEntry
from accelerator_reports.test_keys import identity_of

_HARNESS = ("accelerator-portal", "validate")
_CHOOSE_TESTS = ("--suite", "--pytorch-files")
"""The options of the harness that choose tests, each with one value."""


def repeat_command(test: TestEntry, suite_command: str | None) -> str | None:
    """Return the command that repeats a test alone; None if it is not known.

    If the report states no command for the test, it is the command of its suite, `suite_command`,
    with the test in place of the suite. Only commands of the harness can be changed so.
    """
    if test.command or not suite_command:
        return test.command
    words = _words(suite_command)
    if words[:2] != _HARNESS or _CHOOSE_TESTS[0] not in words:
        return None
    kept = [
        word
        for before, word in zip(("", *words), words, strict=False)
        if not {before, word} & set(_CHOOSE_TESTS)
    ]
    return shlex.join([*kept, "--test", identity_of(test).key])


@lru_cache(maxsize=256)  # a report has thousands of tests of a suite
def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quotation mark that is not closed
        return ()


def seed_of(key: str) -> int:
    """Return the seed of a test's random numbers from the test's key; the same in every run."""
    digest = blake2b(key.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") & 0x7FFF_FFFF
