"""A checkout of PyTorch: its version and commit, and whether they are those of the installed torch.

Tests of one release need not fit another: they test what that release has, with helpers that are
part of the installed torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from accelerator_portal.validation.checkout_commit import commit_of

TESTS = "test"

_SHOWN = 12
"""Characters of a commit that are enough for a reader."""


class CheckoutError(Exception):
    """The folder is no checkout of PyTorch; the message says why, and what would be right."""


def described(checkout: Path) -> dict[str, str]:
    """Return where a checkout is, its commit and its version; raises CheckoutError."""
    if not (checkout / TESTS).is_dir():
        what = f"{checkout} is not a checkout of PyTorch; it has no folder {TESTS}"
        raise CheckoutError(f"{what}; clone github.com/pytorch/pytorch at the tag of your torch")
    found = {"commit": commit_of(checkout), "version": _version(checkout)}
    return {"checkout": str(checkout.resolve()), **found}


def _version(checkout: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return (checkout / "version.txt").read_text("utf-8").strip()[:60]
    return ""


def difference(given: Mapping[str, str], environment: Mapping[str, Any]) -> str | None:
    """Say in a sentence that a checkout is not of the installed torch; None where it is."""
    torch, built = environment.get("torch") or "", environment.get("torch_commit") or ""
    commit, version = given.get("commit", ""), given.get("version", "")
    if not torch:
        return None
    if commit and _is_commit(built):
        if built.startswith(commit) or commit.startswith(built):
            return None
        where = f"at commit {commit[:_SHOWN]}, and torch {torch} was built from {built[:_SHOWN]}"
        return _warning(where, f"git checkout {built}")
    if not version:
        return _warning(f"of an unknown version, and torch is {torch}", _tag(torch))
    if _release(version) == _release(torch) != ():
        return None
    return _warning(f"of version {version}, and torch is {torch}", _tag(torch))


def _warning(where: str, remedy: str) -> str:
    what = f"PyTorch's tests don't match this torch version: the checkout is {where}"
    return f"{what}; tests can fail because of that. Fix: {remedy}"


def _tag(torch: str) -> str:
    release = _release(torch)
    return (
        f"git checkout v{'.'.join(map(str, release))}" if release else "use the tag of your torch"
    )


def _is_commit(word: str) -> bool:
    return len(word) >= 7 and all(c in "0123456789abcdef" for c in word)  # noqa: PLR2004 - git's own


def _release(version: str) -> tuple[int, ...]:
    """Return 2, 6, 0 of `2.6.0a0` and `2.6.0+cu124`: a checkout has no other word for a release."""
    try:
        return Version(version).release
    except InvalidVersion:
        return ()
