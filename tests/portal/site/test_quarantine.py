"""One folder broken in every way at once: a pull request's build fails, a nightly one goes on."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_automation.archive_store import archive_good_folders, open_archive
from accelerator_portal.checks import load_and_check
from accelerator_portal.checks.quarantine import last_good_versions, load_with_quarantine
from accelerator_portal.site.search import SEARCH_FOLDER
from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, Site, copy_sources, mkdocs_build
from tests.day import TODAY
from tests.portal.site.test_broken_folder import replace


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The invented platform, and a copy of it that is broken in every file."""
    root = copy_sources(tmp_path_factory.mktemp("sources") / "repository", EXAMPLE)
    folder = root / "accelerators/broken"
    shutil.copytree(root / "accelerators/acme", folder)
    replace(folder / "accelerator.yaml", "vendor: Acme Works", "vendors: <script>")
    replace(folder / "install.yaml", 'version: "1"', "version: 1.10")
    replace(folder / "compatibility.yaml", "rows:", "rows: 1\nrow:")
    replace(folder / "guide.md", "## Help", "## Halp\n\n<iframe src=x>\n")
    (folder / "faq.md").write_bytes(b"\xff\xfe")
    (folder / "results/nightly.json").write_text("{" * 1000, "utf-8")
    (folder / "logo.svg").write_text("<svg onload=alert(1)>", "utf-8")
    (folder / "known-issues.yaml").symlink_to("/etc/passwd")
    return root


def built(root: Path, out: Path, *options: str) -> dict[str, bytes]:
    """Every file of the site, by path."""
    arguments = ["build", "--root", str(root), "--out", str(out), *options]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return files_of(out)


def files_of(site: Path) -> dict[str, bytes]:
    """Every file but the index of the search, whose names are digests of its contents."""
    files = {f.relative_to(site).as_posix(): f for f in site.rglob("*") if f.is_file()}
    return {
        path: f.read_bytes()
        for path, f in files.items()
        if not path.startswith(f"{SEARCH_FOLDER}/")
    }


@pytest.fixture(scope="module")
def without(example_site: Site) -> dict[str, bytes]:
    """The site of the invented platform alone."""
    return files_of(example_site.root)


@pytest.fixture(scope="module")
def quarantined(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that a nightly build makes of the broken folder, not to be changed."""
    site = tmp_path_factory.mktemp("quarantined") / "site"
    built(sources, site, "--quarantine")
    return site


def test_a_pull_requests_build_names_every_fault(sources: Path) -> None:
    done = mkdocs_build(sources)
    assert done.exit_code == 1
    _, problems = load_and_check(sources, TODAY)
    files = {problem.path.partition("broken/")[2] for problem in problems}
    assert files >= {
        "accelerator.yaml",
        "install.yaml",
        "compatibility.yaml",
        "guide.md",
        "faq.md",
        "logo.svg",
        "known-issues.yaml",
    }
    for problem in problems:
        assert str(problem) in done.stderr


def test_a_nightly_build_changes_no_page_that_does_not_name_it(
    quarantined: Path, without: dict[str, bytes]
) -> None:
    found = files_of(quarantined)
    assert found.keys() == without.keys()
    differing = {path for path in found if found[path] != without[path]}
    assert b"<code>broken</code>" in found["results/dashboard/index.html"]
    naming = {
        "results/dashboard/index.html",
        "zh/results/dashboard/index.html",
        "api/v1/quality.json",
        "sitemap.xml.gz",
    }
    assert differing <= naming


def test_a_build_that_fails_leaves_the_last_site(
    sources: Path, quarantined: Path, tmp_path: Path
) -> None:
    out = tmp_path / "site"
    shutil.copytree(quarantined, out)
    done = CliRunner().invoke(main, ["build", "--root", str(sources), "--out", str(out)])
    assert done.exit_code != 0
    assert files_of(out) == files_of(quarantined)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["site"]


def test_the_last_good_version_stands_in_and_says_so(
    without: dict[str, bytes], tmp_path: Path
) -> None:
    root = copy_sources(tmp_path / "repository", EXAMPLE)
    archive = open_archive(str(tmp_path / "archive"))
    archive_good_folders(archive, root, ["acme"], [], dt.date(2026, 11, 19))
    replace(root / "accelerators/acme/guide.md", "## Help", "## Halp")
    archive_good_folders(archive, root, [], ["acme"], dt.date(2026, 11, 20))

    found = built(root, tmp_path / "found", "--archive", str(tmp_path / "archive"))
    page = found["compute-platforms/acme/index.html"].decode()
    assert "The newest version of this platform’s folder has had 2 errors since 2026-11-20." in page
    dashboard = found["results/dashboard/index.html"].decode()
    assert "the page shows the last valid version, from before 2026-11-20: 2 errors" in dashboard
    assert json.loads(found["api/v1/quality.json"])["set_aside"] == [
        {"folder": "acme", "errors": 2, "shown_before": "2026-11-20"}
    ]
    assert found.keys() == without.keys()
    assert {path for path in found if found[path] != without[path]} - {"sitemap.xml.gz"} == {
        "compute-platforms/acme/index.html",
        "zh/compute-platforms/acme/index.html",
        "results/dashboard/index.html",
        "zh/results/dashboard/index.html",
        "api/v1/quality.json",
    }


def test_a_kept_version_with_errors_of_its_own_is_not_shown(tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "repository", EXAMPLE)
    kept = tmp_path / "kept"
    replace(root / "accelerators/acme/guide.md", "## Help", "## Halp")
    shutil.copytree(root / "accelerators/acme", kept / "accelerators/acme")
    (kept / "since.json").write_text('{"acme": "2026-11-20"}', "utf-8")
    catalog, _ = load_with_quarantine(root, TODAY, kept)
    assert catalog is not None
    assert (list(catalog.set_aside), catalog.shown_before) == (["acme"], {})


@pytest.mark.parametrize("text", ["", "[]", "{", '{"acme": 1}', '{"acme": "yesterday"}'])
def test_what_says_nothing_of_versions_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "since.json").write_text(text, "utf-8")
    assert last_good_versions(tmp_path) == {}
    assert last_good_versions(tmp_path / "nowhere") == {}
