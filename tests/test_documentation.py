"""What README, CONTRIBUTING and docs/ name exists: targets, files and links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("packages/*/README.md"),
    ROOT / "src/README.md",
]
PAGES_IDS = [page.relative_to(ROOT).as_posix() for page in PAGES]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
PACKAGE = ROOT / "src" / "accelerator_portal"
ROOTS = (
    ROOT,
    PACKAGE,
    *ROOT.glob("packages/*/src"),
    *ROOT.glob("packages/*/src/accelerator_*"),
    ROOT / "packages/automation/src/accelerator_automation/upstream",
    ROOT / ".github" / "workflows",
    ROOT / "tests",
)


def code(page: Path) -> list[str]:
    """The code of a page: spans, and lines of blocks, without comments."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^    (?! )(.+)$", text, re.MULTILINE)
    return [*re.findall(r"`([^`\n]+)`", text), *(line.partition("  #")[0] for line in blocks)]


def make_commands() -> Iterator[tuple[str, list[str]]]:
    for page in PAGES:
        for line in code(page):
            if re.match(r"make\s", line):
                yield f"{page.relative_to(ROOT)}: {line}", shlex.split(line)[1:]


MAKE = dict(make_commands())


def test_there_are_commands_to_check() -> None:
    assert len(MAKE) > 15


@pytest.mark.parametrize("words", MAKE.values(), ids=MAKE)
def test_a_target_exists(words: list[str]) -> None:
    assert words[0] in TARGETS


@pytest.mark.parametrize("page", PAGES, ids=PAGES_IDS)
def test_a_link_to_a_file_leads_to_one(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=PAGES_IDS)
def test_a_file_that_is_named_exists(page: Path) -> None:
    """A name with a placeholder, such as `<id>`, stands for many."""
    for name in code(page):
        if re.fullmatch(r"(?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|yml)", name):
            assert any((root / name).exists() for root in ROOTS), name
