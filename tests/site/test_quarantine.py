"""One folder broken in every way at once: a pull request's build fails, a nightly one goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelerator_portal.checks import load_and_check
from accelerator_portal.cli import main
from tests.built_site import EXAMPLE, copy_sources
from tests.site.test_broken_folder import mkdocs_build, replace


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
    return {f.relative_to(out).as_posix(): f.read_bytes() for f in out.rglob("*") if f.is_file()}


def test_a_pull_requests_build_names_every_fault(sources: Path) -> None:
    done = mkdocs_build(sources)
    assert done.returncode == 1
    _, problems = load_and_check(sources)
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
    sources: Path, tmp_path: Path
) -> None:
    without = copy_sources(tmp_path / "without", EXAMPLE)
    expected = built(without, tmp_path / "expected")
    found = built(sources, tmp_path / "found", "--quarantine")
    assert found.keys() == expected.keys()
    differing = {path for path in found if found[path] != expected[path]}
    assert b"<code>broken</code>" in found["results/dashboard/index.html"]
    naming = {"results/dashboard/index.html", "search/search_index.json", "sitemap.xml.gz"}
    assert differing <= naming


def test_a_build_that_fails_leaves_the_last_site(sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    before = built(sources, out, "--quarantine")
    done = CliRunner().invoke(main, ["build", "--root", str(sources), "--out", str(out)])
    assert done.exit_code != 0
    after = {f.relative_to(out).as_posix(): f.read_bytes() for f in out.rglob("*") if f.is_file()}
    assert after == before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["site"]
