from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from accelerator_validation.plan import RunError
from accelerator_validation.pytorch_tests.checkout import (
    checkout_commit,
    checkout_facts,
    checkout_mismatch,
)

COMMIT = "2236df1770800ffea5697b11b0bb0d910b2e59e1"
OTHER = "cf30153c4c131c8164ee7798e5022d810682e2cb"


@pytest.mark.parametrize(
    ("given", "torch", "built", "words"),
    [
        ({"commit": COMMIT, "version": "2.6.0a0"}, "2.6.0+cu124", COMMIT, None),
        ({"commit": COMMIT[:12], "version": ""}, "2.6.0", COMMIT, None),
        ({"commit": "", "version": "2.6.0a0"}, "2.6.0+cu124", COMMIT, None),
        ({"commit": OTHER, "version": "2.6.0a0"}, "2.6.0", "Unknown", None),
        ({"commit": OTHER, "version": "2.6.0"}, "2.6.0", COMMIT, f"git checkout {COMMIT}"),
        ({"commit": "", "version": "2.6.0a0"}, "2.13.0+cpu", OTHER, "git checkout v2.13.0"),
        ({"commit": "", "version": "2.6.0a0"}, "2.6.1", COMMIT, "of version 2.6.0a0"),
        ({"commit": "", "version": ""}, "2.6.0", COMMIT, "of an unknown version"),
        ({"commit": "", "version": "main"}, "homemade", "", "use the tag of your torch"),
        ({"commit": OTHER, "version": "2.6.0"}, "", "", None),
    ],
)
def test_a_checkout_of_another_torch_is_told(
    given: dict[str, str], torch: str, built: str, words: str | None
) -> None:
    said = checkout_mismatch(given, {"torch": torch, "torch_commit": built})
    assert (said is None) == (words is None), said
    assert (words or "") in (said or "")


def test_a_folder_without_tests_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"has no folder test; clone github\.com/pytorch/pyto"):
        checkout_facts(tmp_path)


def test_a_checkout_says_its_version_and_its_own_commit_alone(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        command = ["git", "-C", str(tmp_path), *identity, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    checkout = tmp_path / "pytorch"
    (checkout / "test").mkdir(parents=True)
    (checkout / "version.txt").write_text("2.6.0a0\n", "utf-8")
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "A repository around the checkout.")
    assert checkout_facts(checkout) == {
        "checkout": str(checkout),
        "commit": "",
        "version": "2.6.0a0",
    }
    assert checkout_commit(tmp_path) == git("rev-parse", "HEAD")
