"""Publishing, on the invented platform: what is not whole never takes the place of what is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, copy_sources


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["build", *map(str, arguments)])


def test_a_site_with_a_broken_link_does_not_replace_the_last_one(tmp_path: Path) -> None:
    root, out = copy_sources(tmp_path / "repository", EXAMPLE), tmp_path / "site"
    out.mkdir()
    (out / "index.html").write_text("the last site", "utf-8")
    template = root / "site_src/templates/index.md.j2"
    template.write_text(
        template.read_text("utf-8") + '\n<p><a href="nowhere/">x</a></p>\n', "utf-8"
    )
    done = run("--root", root, "--out", out)
    assert done.exit_code == 1
    assert done.stderr == (
        "index.html: nowhere/: no such file\n"
        "zh/index.html: nowhere/: no such file\n"
        "Error: the new site has 2 broken links; the existing site stays\n"
    )
    assert (out / "index.html").read_text("utf-8") == "the last site"


def test_a_site_for_the_address_of_a_project_s_pages_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `pages.yml` builds it: the page for unknown addresses names the path of the project."""
    monkeypatch.setenv("PORTAL_SITE_URL", "https://example.github.io/portal/")
    root, out = copy_sources(tmp_path / "repository", EXAMPLE), tmp_path / "site"
    done = run("--root", root, "--out", out)
    assert (done.exit_code, done.stderr) == (0, "")
    assert '"/portal/versions/"' in (out / "404.html").read_text("utf-8")


def test_a_site_that_an_interrupted_build_moved_away_is_put_back(tmp_path: Path) -> None:
    root, out = copy_sources(tmp_path / "repository", EXAMPLE), tmp_path / "site"
    (tmp_path / ".site.previous").mkdir()
    (root / "mkdocs.yml").write_text("nonsense: [", "utf-8")
    done = run("--root", root, "--out", out)
    said = f"Restored the site in {out}: an earlier build was interrupted.\n"
    assert (done.exit_code, done.stderr) == (1, said)
    assert out.is_dir()


def test_the_previous_site_can_be_put_back(tmp_path: Path) -> None:
    out = tmp_path / "site"
    for place, text in ((out, "new"), (tmp_path / ".site.previous", "old")):
        place.mkdir()
        (place / "index.html").write_text(text, "utf-8")
    back = run("--restore", "--out", out)
    assert (back.exit_code, back.stdout) == (0, f"Restored the previous site to {out}.\n")
    assert (out / "index.html").read_text("utf-8") == "old"


def test_without_a_previous_site_there_is_nothing_to_put_back(tmp_path: Path) -> None:
    done = run("--restore", "--out", tmp_path / "site")
    assert done.exit_code == 1
    assert done.stderr == "Error: there is no previous site in .site.previous next to site\n"
