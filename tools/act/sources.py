"""Creates the repositories that jobs check out and push to, in a folder of the session."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PULL_NUMBER = 5
"""The number of the portal's pull request."""

_AUTHOR_OPTIONS = (
    "-c",
    "user.name=act",
    "-c",
    "user.email=act@example.org",
    "-c",
    "commit.gpgsign=false",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A bare repository (`origin`), and its checkout (`project`) with the workflows for act."""

    origin: Path
    project: Path
    head: str
    """The commit of its branch main."""
    merge: str
    """The merge commit of the pull request."""


def make_source(folder: Path, root: Path, home: str, replaced: Mapping[str, bytes]) -> Source:
    """Copy the tracked files of `root`, as they are in the working tree, into a new repository.

    If `replaced` has files, they replace the folders `accelerators` and `data`. `home` is the
    repository's name on GitHub.
    """
    origin, project = folder / "origin.git", folder / "project"
    _git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    _git(folder, "init", "--quiet", "--initial-branch=main", str(project))
    _copy_tracked_files(root, project, folder / "source.tar")
    if replaced:
        for name in ("accelerators", "data"):
            shutil.rmtree(project / name)
        for path, content in replaced.items():
            place = project / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    _commit(project, "The portal")
    head = _git(project, "rev-parse", "HEAD")
    merge = _create_pull_request(project)
    _git(project, "push", "--quiet", str(origin), f"{head}:refs/heads/main")
    _git(project, "push", "--quiet", str(origin), f"{merge}:refs/pull/{PULL_NUMBER}/merge")
    _git(project, "checkout", "--quiet", "-B", "main", head)
    # act reads the repository's name from this address; nothing is fetched from it.
    _git(project, "remote", "add", "origin", f"https://github.com/{home}")
    _translate_for_act(project / ".github/workflows")
    return Source(origin, project, head, merge)


def push_tag(source: Source, name: str) -> None:
    """Push a tag for the commit with the copied files, which is the first commit of main."""
    _git(source.project, "push", "--quiet", str(source.origin), f"{source.head}:refs/tags/{name}")


def branch_log(source: Source, branch: str) -> list[str]:
    """Return the subjects of a branch's last five commits, newest first; empty if it is missing."""
    command = ["git", "-C", str(source.origin), "log", "-5", "--format=%s", branch]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout.splitlines()


def _copy_tracked_files(root: Path, project: Path, beside: Path) -> None:
    """Copy the tracked files as they are in the working tree, without the history."""
    state = _git(root, "stash", "create") or "HEAD"
    _git(root, "archive", f"--output={beside}", state)
    # Not tarfile: the filter that later versions of Python require is missing in Debian's 3.11.2.
    subprocess.run(["tar", "-xf", beside, "-C", project], check=True)


def _commit(project: Path, message: str) -> None:
    _git(project, "add", "--all", "--force")
    _git(project, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)


def _create_pull_request(project: Path) -> str:
    """Commit a change of a vendor's guide, and merge it as GitHub does for a pull request.

    Returns the merge commit.
    """
    base = _git(project, "rev-parse", "HEAD")
    guide = min(project.glob("accelerators/*/guide.md"))
    text = guide.read_text("utf-8").rstrip("\n")
    guide.write_text(f"{text}\n\nThis sentence is new in the pull request.\n", "utf-8")
    _commit(project, "Add a sentence")
    proposed, tree = (_git(project, "rev-parse", name) for name in ("HEAD", "HEAD^{tree}"))
    words = ("-p", base, "-p", proposed, "-m", "Merge the pull request")
    return _git(project, "commit-tree", tree, *words)


def _translate_for_act(workflows: Path) -> None:
    """Replace `$/` by `./` in the workflows, because act 0.2.89 does not support `$/`."""
    for file in workflows.glob("*.yml"):
        text = file.read_text("utf-8")
        file.write_text(text.replace("uses: $/.github/", "uses: ./.github/"), "utf-8")


def _git(place: Path, *words: str) -> str:
    command = ["git", "-C", str(place), *_AUTHOR_OPTIONS, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
