"""The nightly command, whole, on the invented platform; nothing of the network is asked."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.automation.posting import BOT
from accelerator_portal.cli import main, night_steps
from tests.automation.github_double import TOKEN, serve
from tests.built_site import EXAMPLE, copy_sources
from tests.site.test_broken_folder import replace


def night(root: Path, out: Path, *options: str) -> Result:
    skipped = ["--skip", "packages", "--skip", "commands"]
    arguments = ["nightly", "--root", str(root), "--out", str(out), *skipped, *options]
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_sources(tmp_path / "repository", EXAMPLE)


def test_a_night_builds_folds_and_says_what_changed(root: Path, tmp_path: Path) -> None:
    out, archive = tmp_path / "site", tmp_path / "archive"
    kept = ["--archive", str(archive), "--outputs", str(tmp_path / "outputs")]
    first = night(root, out, *kept)
    assert first.exit_code == 0, first.output
    assert "history: `acme, runs: 3 new reports of 3, " in first.stdout
    assert "1 new version of folders, 0 standing in`" in first.stdout
    assert "What readers see differently" not in first.stdout, "there was nothing before"
    assert (out / "index.html").is_file()
    assert (root / "data/history/acme/runs.parquet").is_file()

    page = (out / "compute-platforms/acme/index.html").read_bytes()
    before = files(archive)
    second = night(root, out, *kept)
    assert "- site: `nothing is new; the last site stays`" in second.stdout
    assert "history: `acme, runs: 0 new reports of 3, 0 changes`" in second.stdout
    assert files(archive) == before

    replace(root / "accelerators/acme/guide.md", "## Help", "## Halp")
    third = night(root, out, *kept)
    assert third.exit_code == 0, third.output
    today = dt.datetime.now(dt.UTC).date()
    assert f"## Set aside\n\n- `acme`, shown as it was before {today}: `acc" in third.stdout
    after = (out / "compute-platforms/acme/index.html").read_text("utf-8")
    assert after.replace(" ", "") != page.decode().replace(" ", "")
    assert "An older version." in after
    written = (tmp_path / "outputs").read_text("utf-8")
    assert written == "published=true\npublished=false\npublished=true\n"


def files(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def quick_command(root: Path, *words: str) -> str:
    """Building takes long and has its own tests: here a file stands for the site.

    Other commands run in this process, which has imported everything already.
    """
    if words[0] != "build":
        done = CliRunner().invoke(main, [*words, "--root", str(root)])
        assert done.exit_code == 0, done.output
        return done.stdout.splitlines()[-1]
    out = Path(words[words.index("--out") + 1])
    out.mkdir(exist_ok=True)
    (out / "index.html").write_text("a site", "utf-8")
    return "built"


@pytest.fixture
def quick_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(night_steps, "_command", quick_command)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a night leaves that nobody killed: the repository, the archive and the site."""
    place = tmp_path_factory.mktemp("undisturbed")
    root = copy_sources(place / "root", EXAMPLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_steps, "_command", quick_command)
        done = night(root, place / "site", "--archive", str(place / "archive"))
    assert done.exit_code == 0, done.output
    return place


STEPS = ("fetch_reports", "keep_facts", "keep_runs", "keep", "inputs", "remember")


@pytest.mark.usefixtures("quick_build")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_night_that_is_killed_and_started_again_loses_and_doubles_nothing(
    step: str, when: str, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copy_sources(tmp_path / "root", EXAMPLE)
    real = getattr(night_steps, step)

    def killed(*arguments: object, **options: object) -> object:
        if when == "after":
            real(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(night_steps, step, killed)
        assert night(root, tmp_path / "site", "--archive", str(tmp_path / "archive")).exit_code
    again = night(root, tmp_path / "site", "--archive", str(tmp_path / "archive"))
    assert again.exit_code == 0, again.output
    for part in ("root/data", "root/accelerators", "archive", "site"):
        assert files(tmp_path / part) == files(undisturbed / part), part


@pytest.mark.usefixtures("quick_build")
def test_an_archive_that_cannot_be_used_fails_the_night_and_the_rest_goes_on(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    failed = night(root, tmp_path / "site", "--archive", str(tmp_path / "file"))
    assert failed.exit_code == 1
    assert "- **failed** archive: `the archive " in failed.stdout
    unknown = night(root, tmp_path / "site", "--archive", "nonsense://x")
    assert unknown.exit_code == 1
    assert unknown.stderr.startswith('Error: "nonsense://x" is no place for an archive: ')


@pytest.mark.usefixtures("quick_build")
def test_issues_need_a_token(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GH_TOKEN", raising=False)
    failed = night(root, tmp_path / "site", "--issues", "example/portal")
    assert failed.exit_code == 1
    assert failed.stderr == "Error: GH_TOKEN is empty; give it a token for GitHub\n"


@pytest.mark.usefixtures("quick_build")
def test_each_breakage_gets_its_issue(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve() as double:
        double.login = BOT
        double.repositories.add("example/portal")
        monkeypatch.setenv("GH_TOKEN", TOKEN)
        monkeypatch.setenv("GITHUB_API_URL", double.home)
        first, second = (
            night(root, tmp_path / "site", "--issues", "example/portal") for _ in range(2)
        )
        opened = double.issues["example/portal"]
    assert first.exit_code == 0, first.output
    assert "- issues: `0 opened, 0 renewed, 0 closed`" in second.stdout
    assert opened
    assert {issue["title"].partition(":")[0] for issue in opened} == {"acme"}


def test_a_build_that_fails_fails_the_night_and_keeps_the_site(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    out.mkdir()
    (out / "index.html").write_text("the last site", "utf-8")
    replace(root / "site_src/templates/index.md.j2", "{%", "{% nonsense %}{%")
    failed = night(root, out)
    assert failed.exit_code == 1
    assert "- **failed** site: `" in failed.stdout
    assert (out / "index.html").read_text("utf-8") == "the last site"
