"""A damaged file that a job wrote is one problem with its path; the site shows everything else."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_portal.checks import folder_limits
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.checks.stored_data import stored_data_problems
from accelerator_portal.site import Edition, RepositoryLinks, build_site
from accelerator_portal.site.pages.archive import archive_files
from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, copy_sources
from tests.day import TODAY
from tests.portal.site.test_broken_folder import replace

EDITION = Edition(RepositoryLinks("https://github.com/a/b", "https://github.com/a/b/edit/"), TODAY)
VERDICTS = '{"schema_version": 1, "verdicts": [], "rows": []}'
PACKAGE = '{"package": "torch-acme", "indexes": [], "changes": []}'
HALF = {
    "half of it": lambda data: data[: len(data) // 2],
    "other bytes": lambda data: data[:-40] + bytes(range(30)) + data[-10:],
    "nothing": lambda _: b"",
}


@pytest.fixture(autouse=True)
def _no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders are small; the process that finds that out has tests of its own."""
    monkeypatch.setattr(folder_limits, "folders_over_limits", lambda *_: {})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two platforms with archived runs, verdicts and package facts."""
    root = copy_sources(tmp_path_factory.mktemp("whole") / "repository", EXAMPLE)
    folder = root / "accelerators/other"
    shutil.copytree(root / "accelerators/acme", folder)
    replace(folder / "accelerator.yaml", "name: Acme", "name: Other")
    for report in (folder / "results").glob("*.json"):
        replace(report, '"acme"', '"other"')
    link = "[the other card](/compute-platforms/acme/#install)"
    with (folder / "faq.md").open("a", encoding="utf-8") as faq:
        faq.write(f"\n## Is it the other card?\n\nNo, see {link} [@manual].\n")
    add = ["history", "add", "--root", str(root)]
    assert CliRunner().invoke(main, add).exit_code == 0
    for path, text in (("verdicts/acme", VERDICTS), ("packages/torch-acme", PACKAGE)):
        (root / f"data/{path}.json").parent.mkdir(exist_ok=True)
        (root / f"data/{path}.json").write_text(text, "utf-8")
    return root


def pages_and_problems(root: Path) -> tuple[dict[str, str], list[str]]:
    catalog, problems = load_with_quarantine(root, TODAY)
    assert catalog is not None
    assert not [p for p in problems if p.level == "error"]
    found = [*problems, *stored_data_problems(catalog, root)]
    pages = {file.path: file.content for file in build_site(catalog, root, EDITION)}
    return pages, sorted({problem.path for problem in found})


def about_other(pages: dict[str, str]) -> dict[str, str]:
    """The pages and data files of the platform that was not damaged."""
    return {path: text for path, text in pages.items() if "/other." in path or "/other-r" in path}


@pytest.mark.parametrize("how", HALF.values(), ids=HALF)
@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("history/acme.sha256", True),
        ("history/runs/results/accelerator=acme/*/*/*.parquet", True),
        ("verdicts/acme.json", False),
        ("packages/torch-acme.json", False),
    ],
)
def test_the_rest_of_the_site_is_the_same(
    whole: Path,
    pattern: str,
    shown: bool,  # noqa: FBT001 - a parameter
    how: Callable[[bytes], bytes],
    tmp_path: Path,
) -> None:
    root = shutil.copytree(whole, tmp_path / "repository")
    intact, warnings = pages_and_problems(root)
    damaged = min((root / "data").glob(pattern))
    damaged.write_bytes(how(damaged.read_bytes()))
    name = damaged.relative_to(root).as_posix()
    pages, problems = pages_and_problems(root)
    assert problems == sorted({*warnings, name})
    assert about_other(pages) == about_other(intact)
    assert len(about_other(pages)) > 5
    for page in ("results/changes.md", "results/test-history.md", "results/dashboard.md"):
        assert (name in pages[page]) == shown
    published = set(archive_files(root))
    assert f"archive/{name.removeprefix('data/history/')}" not in published
    assert any("accelerator=other" in path for path in published)
    checked = CliRunner().invoke(main, ["check", "--root", str(root)])
    assert (checked.exit_code, checked.output.count(f"{name}:")) == (1, 1)
    assert "Traceback" not in checked.output


def test_another_platform_replaces_a_default_platform_that_is_left_out(whole: Path) -> None:
    """Without an archive, a quarantined platform is not on the site at all."""
    catalog, _ = load_with_quarantine(whole, TODAY, excluded={"acme": "a broken link"})
    assert catalog is not None
    assert {start.platform for start in catalog.defaults.start} == {"acme"}
    pages = {file.path: file.content for file in build_site(catalog, whole, EDITION)}
    assert "compute-platforms/acme.md" not in pages
    assert 'value="other"' in pages["index.md"]
    assert re.search(r"No, see <a[^>]*>the other card</a>", pages["compute-platforms/other.md"])
    page_texts = [text for path, text in pages.items() if path.endswith(".md")]
    assert not any('href="../../compute-platforms/acme/' in text for text in page_texts)
    (problem,) = catalog.set_aside["acme"]
    assert str(problem) in pages["results/dashboard.md"].replace("&#39;", "'")
