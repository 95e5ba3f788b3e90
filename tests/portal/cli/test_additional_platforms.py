"""The hand-over to pytorch.org: its files, its texts, and what is said if something is wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.accelerator import AdditionalPlatformEntry
from accelerator_portal.catalog.git import git
from accelerator_portal.install.additional_platforms import additional_platform_id
from accelerator_portal.site.hand_over import hand_over_problems, hand_overs
from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, copy_sources
from tests.folders import REPOSITORY
from tests.portal.cli.additional_platforms import FILE

SITE = "https://portal.example.org"
ENTRIES = "_additional_platforms"
PAGES = "_get_started/additional_platforms"

# Statements of pytorch.org that stored public copies have: `ascend_npu.json` at commit 74be308,
# `torch_tpu.md` at 235c29a, and `published_versions.json` at 21e77f1.
UPSTREAM = {
    f"{ENTRIES}/ascend_npu.json": json.dumps(
        {
            "name": "Ascend NPU",
            "support_channel": "https://github.com/Ascend/pytorch/issues",
            "stable": {"linux": "pip3 install torch torchvision && pip3 install torch-npu"},
        }
    ),
    f"{ENTRIES}/torch_tpu.json": json.dumps(
        {
            "name": "TorchTPU",
            "support_channel": "https://github.com/google-pytorch/torch_tpu/issues",
            "stable": {"linux": "pip3 install torch && pip3 install torch-tpu"},
        }
    ),
    f"{PAGES}/torch_tpu.md": "# TPU\n\n* Python >= 3.10\n",
    "published_versions.json": json.dumps(
        {
            "latest_stable": "2.4.0",
            "versions": {
                "preview": {"windows": {"pip": {"cuda.x": {"note": None, "command": "pip3"}}}},
                "2.4.0": {
                    "windows": {
                        "pip": {
                            "rocm5.x": {
                                "note": "<b>NOTE:</b> ROCm is not available on Windows",
                                "command": None,
                            }
                        }
                    }
                },
            },
        }
    ),
}


def run(root: Path, out: Path, *options: str) -> Result:
    command = ["additional-platforms", "--root", str(root), "--out", str(out), *options]
    return CliRunner().invoke(main, [*command, "--site-url", SITE])


def checkout(folder: Path, **changed: str) -> Path:
    """A folder like a checkout of pytorch.org's repository; `changed` replaces files by name."""
    for path, text in UPSTREAM.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(changed.get(Path(path).stem, text), "utf-8")
    return folder


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hand-over of the repository's platforms, compared with what pytorch.org has."""
    folder = tmp_path_factory.mktemp("hand-over")
    done = run(REPOSITORY, folder / "out", "--upstream", str(checkout(folder / "upstream")))
    assert done.exit_code == 0, done.output
    return folder / "out"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_sources(tmp_path_factory.mktemp("example"), EXAMPLE)


def test_all_platforms_with_a_command_have_both_files_and_both_texts(
    written: Path, catalog: Catalog
) -> None:
    left_out = {"cpu", "cuda", "mps", "rocm", "spyre"}
    ids = {additional_platform_id(p) for p in catalog.platforms if p.id not in left_out}
    folders = {ENTRIES: "json", PAGES: "md", "applications": "md", "pull-requests": "md"}
    for folder, suffix in folders.items():
        assert {file.name for file in (written / folder).iterdir()} == {
            f"{id_}.{suffix}" for id_ in ids
        }
    overview = (written / "hand-over.md").read_text("utf-8")
    assert "- ROCm: pytorch.org's own selector has it.\n" in overview
    assert "- IBM Spyre: there is no install command.\n" in overview
    length = len((written / PAGES / "ascend_npu.md").read_text("utf-8").splitlines())
    assert f"| Ascend NPU | `ascend_npu` | {length} | Sources | no | 6 |\n" in overview


def test_stable_and_nightly_commands_are_written(written: Path) -> None:
    xpu = json.loads((written / ENTRIES / "xpu.json").read_text("utf-8"))
    assert list(xpu) == ["name", "support_channel", "stable", "preview"]
    assert "nightly/xpu" in xpu["preview"]["windows"]
    gaudi = json.loads((written / ENTRIES / "gaudi.json").read_text("utf-8"))
    assert gaudi["stable"]["linux"].startswith("docker run ")


def test_the_faults_of_pytorch_org_are_listed(written: Path) -> None:
    overview = (written / "hand-over.md").read_text("utf-8")
    faults = overview.partition("## What to correct in a folder without a commit\n\n")[
        2
    ].splitlines()
    assert len(faults) == 3
    rocm, ascend, tpu = faults
    assert "says `NOTE: ROCm is not available on Windows`. There are wheels in" in rocm
    assert "in an index that is not PyTorch's: `python -m" in rocm
    assert "stable.repo.amd.com" in rocm
    assert "installs torch 2.15.0, on Linux x86-64 a build for CUDA 13.2. The newest" in ascend
    assert "torch-npu, 2.14.0, requires `torch==2.14.0.*`, so the next part" in ascend
    assert "torch_tpu.md` says `Python >= 3.10`. The newest torch-tpu, 0.2.0, has wheels" in tpu
    assert "for Python 3.11–3.14 only. Sources: metadata of torch-tpu on PyPI, read" in tpu


def test_a_pull_request_states_the_difference_and_the_faults_of_its_platform(
    written: Path,
) -> None:
    ascend = (written / "pull-requests/ascend_npu.md").read_text("utf-8")
    assert "### Difference from a folder without a commit\n" in ascend
    assert "- `stable.linux`: `pip3 install torch torchvision && pip3 install torch-npu`" in ascend
    assert "requires `torch==2.14.0.*`" in ascend
    assert "Python >= 3.10" not in ascend
    assert "- Both files are new.\n" in (written / "pull-requests/mlu.md").read_text("utf-8")


def test_an_application_answers_each_requirement(written: Path) -> None:
    text = (written / "applications/ascend_npu.md").read_text("utf-8")
    for words in (
        "out-of-tree, dispatch key `PrivateUse1`, device `npu`",
        "    - stated not to work: Export and AOTInductor\n",
        "`Ascend/pytorch`, level L2 (",
        "- **Release lag:** newest torch 2.14.0, 1 minor release behind 2.15.0\n",
        "- **Maintainers:** **To complete:** the names\n",
    ):
        assert words in text
    late = (written / "applications/directml.md").read_text("utf-8")
    assert "more than the 3 allowed. **To complete:** a newer release" in late


def test_without_upstream_nothing_is_said_of_it(example: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(example, out).exit_code == 0
    texts = [file.read_text("utf-8") for file in out.rglob("*.md")]
    assert len(texts) == 4
    assert not any("Difference" in text or "correct in" in text for text in texts)


def test_what_was_handed_over_before_differs_in_nothing(example: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(example, out).exit_code == 0
    upstream = Path(shutil.copytree(out, tmp_path / "upstream"))
    git(upstream, "init", "--quiet")
    author = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    git(upstream, *author, "commit", "--quiet", "--allow-empty", "--message", "x")
    commit = git(upstream, "rev-parse", "HEAD").strip()
    assert run(example, out, "--upstream", str(upstream)).exit_code == 0
    text = (out / "pull-requests/acme.md").read_text("utf-8")
    assert f"### Difference from commit {commit}\n\n- There is none.\n" in text


def test_a_downloaded_file_is_compared(example: Path, tmp_path: Path) -> None:
    file = tmp_path / "additional-platforms.json"
    entry = {**FILE["platforms"]["first_card"], "name": "Acme"}
    file.write_text(json.dumps({**FILE, "platforms": {"acme": entry}, "html": {}}), "utf-8")
    assert run(example, tmp_path / "out", "--upstream", str(file)).exit_code == 0
    text = (tmp_path / "out/pull-requests/acme.md").read_text("utf-8")
    assert "### Difference from additional-platforms.json of 2026-01-02T03:04:05+00:00\n" in text
    assert "- `stable.linux`: `pip3 install torch==1.10.0" in text
    assert "is replaced" not in text


def test_all_problems_of_upstream_are_named_and_nothing_is_written(
    example: Path, tmp_path: Path
) -> None:
    broken = {"ascend_npu": "{", "torch_tpu": '{"name": "x"}', "published_versions": "[]"}
    out = tmp_path / "out"
    done = run(example, out, "--upstream", str(checkout(tmp_path / "upstream", **broken)))
    assert done.exit_code == 1
    assert f"{ENTRIES}/ascend_npu.json:1: " in done.output
    assert f"{ENTRIES}/torch_tpu.json:1: " in done.output
    assert "published_versions.json:1: this is none of PyTorch's lists" in done.output
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--upstream", "."], "it has no _additional_platforms/*.json; pass a checkout of"),
        (["--upstream", "missing"], "'missing' does not exist"),
        (["--site-url", "portal.example.org"], "it must be the https address of the published"),
    ],
)
def test_a_wrong_option_is_named(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["additional-platforms", "--root", str(example), "--out", "out", "--site-url", SITE]
    done = CliRunner().invoke(main, [*command, *options])
    assert done.exit_code in {1, 2}
    assert words in done.output
    assert [*tmp_path.iterdir()] == []


def test_a_guide_that_upstream_would_break_is_named(tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "root", EXAMPLE)
    guide = root / "accelerators/acme/guide.md"
    text = guide.read_text("utf-8").replace("Nothing more.", "You need:\n- a card\n- a driver")
    guide.write_text(text, "utf-8")
    done = run(root, tmp_path / "out")
    assert done.exit_code == 1
    assert 'guide.md:13: pytorch.org\'s script does not show "## Install" as written' in done.output
    assert not (tmp_path / "out").exists()


def test_two_platforms_with_one_id_are_named(catalog: Catalog) -> None:
    first, second = hand_overs(catalog, f"{SITE}/")[:2]
    entry = AdditionalPlatformEntry(id=first.id, source=("platform-json",))
    accelerator = second.platform.accelerator.model_copy(update={"additional_platform": entry})
    copy = replace(second, platform=replace(second.platform, accelerator=accelerator))
    assert not [*hand_over_problems([first, second])]
    (problem,) = hand_over_problems([first, copy])
    assert str(problem) == (
        f'accelerators/{second.platform.id}/accelerator.yaml:1: "{first.id}" is also the id of '
        f"{first.platform.id} on pytorch.org; correct additional_platform"
    )


def test_other_files_are_not_touched(example: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    done = run(example, tmp_path)
    assert done.exit_code == 1
    assert "new, empty or an earlier hand-over" in done.output
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.skipif(
    "PORTAL_TEST_PYTORCH_ORG" not in os.environ,
    reason="PORTAL_TEST_PYTORCH_ORG names no checkout of pytorch/pytorch.github.io",
)
def test_pytorch_s_own_script_accepts_the_files(written: Path, tmp_path: Path) -> None:
    """Upstream's code is the judge of the files."""
    place = Path(os.environ["PORTAL_TEST_PYTORCH_ORG"])
    for folder in ("scripts", "_includes"):
        shutil.copytree(place / folder, tmp_path / folder)
    for folder in (ENTRIES, "_get_started"):
        shutil.copytree(written / folder, tmp_path / folder)
    (tmp_path / "assets").mkdir()
    script = tmp_path / "scripts/gen_additional_platforms.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = (tmp_path / "assets/quick-start-additional-platforms.js").read_text("utf-8")
    for file in (written / ENTRIES).iterdir():
        assert made.count(f'"{file.stem}": ') == 2
