"""The repositories that the jobs check out and push to: bare ones in a folder of the session."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PULL = 5
"""The number of the pull request of the portal's own."""

_WHO = ("-c", "user.name=act", "-c", "user.email=act@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class Source:
    """A repository, and the checkout of it that act reads workflows from."""

    origin: Path
    project: Path
    head: str
    """The commit of its branch main."""
    merge: str
    """The merge commit of the pull request."""


def make_source(folder: Path, root: Path, home: str, replaced: Mapping[str, bytes]) -> Source:
    """Copy the committed and changed files of `root` into a new repository.

    Where `replaced` has files, they stand for the folders `accelerators` and `data`.
    """
    origin, project = folder / "origin.git", folder / "project"
    _git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    _git(folder, "init", "--quiet", "--initial-branch=main", str(project))
    _unpack(root, project, folder / "source.tar")
    if replaced:
        for name in ("accelerators", "data"):
            shutil.rmtree(project / name)
        for path, content in replaced.items():
            place = project / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    _commit(project, "The portal")
    head = _git(project, "rev-parse", "HEAD")
    merge = _proposed(project)
    _git(project, "push", "--quiet", str(origin), f"{head}:refs/heads/main")
    _git(project, "push", "--quiet", str(origin), f"{merge}:refs/pull/{PULL}/merge")
    _git(project, "checkout", "--quiet", "-B", "main", head)
    # act takes the repository's name from here; nothing is fetched from this address.
    _git(project, "remote", "add", "origin", f"https://github.com/{home}")
    _translate(project / ".github/workflows")
    return Source(origin, project, head, merge)


def tag(source: Source, name: str) -> None:
    """Put a tag on main."""
    _git(source.project, "push", "--quiet", str(source.origin), f"{source.head}:refs/tags/{name}")


def log(source: Source, branch: str) -> list[str]:
    """Return the subjects of the last commits of a branch, the newest first."""
    command = ["git", "-C", str(source.origin), "log", "-5", "--format=%s", branch]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout.splitlines()


def _unpack(root: Path, project: Path, beside: Path) -> None:
    """Copy the files that git knows, as they are now; history stays where it is."""
    state = _git(root, "stash", "create") or "HEAD"
    _git(root, "archive", f"--output={beside}", state)
    # Not tarfile: the filter that later Pythons ask for is missing in Debian's 3.11.2.
    subprocess.run(["tar", "-xf", beside, "-C", project], check=True)


def _commit(project: Path, message: str) -> None:
    _git(project, "add", "--all", "--force")
    _git(project, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)


def _proposed(project: Path) -> str:
    """Commit a change of a vendor's guide, and merge it as GitHub does for a pull request."""
    base = _git(project, "rev-parse", "HEAD")
    guide = min(project.glob("accelerators/*/guide.md"))
    text = guide.read_text("utf-8").rstrip("\n")
    guide.write_text(f"{text}\n\nThis sentence is new in the pull request.\n", "utf-8")
    _commit(project, "Add a sentence")
    proposed, tree = (_git(project, "rev-parse", name) for name in ("HEAD", "HEAD^{tree}"))
    words = ("-p", base, "-p", proposed, "-m", "Merge the pull request")
    return _git(project, "commit-tree", tree, *words)


def _translate(workflows: Path) -> None:
    """Write `$/` as `./`: GitHub has known it since July 2026, act 0.2.89 does not."""
    for file in workflows.glob("*.yml"):
        text = file.read_text("utf-8")
        file.write_text(text.replace("uses: $/.github/", "uses: ./.github/"), "utf-8")


def _git(place: Path, *words: str) -> str:
    command = ["git", "-C", str(place), *_WHO, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
