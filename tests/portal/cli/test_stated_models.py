"""The command reads the list in a clone, and replaces models, commit and dates."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_automation.cited_files import CitedFile, cited_files
from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.files.shared_files import StatedModel
from accelerator_portal.catalog.git import git
from accelerator_reports.cli import main
from tests.folders import Tree, edited

LIST = "accelerators/example/stated-models.yaml"
OLD = "0123456789012345678901234567890123456789"
WRITTEN = f"""\
sources:
  list:
    url: https://github.com/acme/plugin/blob/{OLD}/docs/models.md
    title: Acme, models
    read: 2026-01-31
lists:
  - source: list
    by: Acme
    software: acme
    headings: [Models]
    name: Model
"""
WHO = {"NAME": "a", "EMAIL": "a@example.org", "DATE": "2026-02-03T12:00:00Z"}
ENVIRONMENT = {f"GIT_{who}_{key}": WHO[key] for who in ("AUTHOR", "COMMITTER") for key in WHO}


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree({**edited(), LIST: WRITTEN})


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    place = tmp_path / "clone"
    (place / "docs").mkdir(parents=True)
    (place / "docs/models.md").write_text("# Models\n\n| Model |\n| --- |\n| Llama |\n")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "List", variables=ENVIRONMENT)
    return place


def run(root: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["stated-models", "--root", str(root), *words])


def test_a_list_is_read_from_the_newest_commit(root: Path, clone: Path) -> None:
    done = run(root, "example", "acme/plugin", str(clone))
    assert done.output == "list: 1 rows, 1 used, 1 models\n"
    catalog, problems = load_catalog(root)
    assert catalog
    assert not problems
    stated = catalog.by_id["example"].stated_models
    assert stated
    commit = git(clone, "rev-parse", "HEAD").strip()
    source = stated.sources["list"]
    assert source.url == f"https://github.com/acme/plugin/blob/{commit}/docs/models.md"
    assert str(source.as_of) == "2026-02-03"
    assert stated.lists[0].models == (StatedModel(name="Llama"),)
    text = (root / LIST).read_text("utf-8")
    assert run(root, "example", "acme/plugin", str(clone)).exit_code == 0
    assert (root / LIST).read_text("utf-8") == text
    # The nightly update looks whether the document has changed since.
    assert CitedFile("acme/plugin", commit, "docs/models.md") in cited_files(catalog)["example"]


def test_a_document_that_changed_its_form_leaves_the_file_as_it_was(
    root: Path, clone: Path
) -> None:
    (clone / "docs/models.md").write_text("# Support\n")
    git(clone, "commit", "-q", "-a", "-m", "Change", variables=ENVIRONMENT)
    done = run(root, "example", "acme/plugin", str(clone))
    assert done.exit_code == 1
    assert 'docs/models.md:1: the document has no heading "Models"' in done.output
    assert (root / LIST).read_text("utf-8") == WRITTEN


def test_an_unknown_repository_or_source_is_refused(root: Path, clone: Path) -> None:
    done = run(root, "example", "acme/other", str(clone))
    assert done.exit_code == 1
    assert "has no list from acme/other. Add it to lists" in done.output
    (root / LIST).write_text(WRITTEN.replace(OLD, "main"))
    _, problems = load_catalog(root)
    assert "is no such file; name one source whose url is a file on GitHub" in str(problems[0])
    (root / LIST).write_text(WRITTEN + '    models: [{name: "Llama \N{WHITE HEAVY CHECK MARK}"}]\n')
    _, problems = load_catalog(root)
    assert "is not allowed in a name" in str(problems[0])
    (root / LIST).write_text(WRITTEN + "    supported: [FP16]\n")
    _, problems = load_catalog(root)
    assert "supported needs marks" in str(problems[0])
