"""Does the work of the actions in `tools/act/actions`, and of GitHub's command line.

The variables PORTAL_ACT_… name the repository, the artifacts, the environment and the workflow.
Each step returns its exit status: 0, or 1 with a message on standard error.
"""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.request import Request, urlopen

from tools.act.environment import share_environment
from tools.act.spool import Spool


def checkout(repository: str, ref: str, path: str, depth: str) -> int:
    """Check out a ref of the portal's repository; other repositories are refused.

    `depth` is the number of commits, 0 for all.
    """
    home = os.environ["GITHUB_REPOSITORY"]
    if repository not in {"", home}:
        return _fail(f"{repository} is not on this machine: only {home} can be checked out")
    ref = ref or os.environ["GITHUB_REF"]
    place = Path(path)
    place.mkdir(parents=True, exist_ok=True)
    branch = ref.removeprefix("refs/heads/")
    is_branch = not branch.startswith("refs/")
    deep = [] if depth == "0" else [f"--depth={depth}"]
    _git(place, "init", "--quiet", "--initial-branch=unused")
    _git(place, "remote", "add", "origin", f"file://{os.environ['PORTAL_ACT_ORIGIN']}")
    _git(place, "fetch", "--quiet", *deep, "origin", branch)
    _git(place, "checkout", "--quiet", *(["-B", branch] if is_branch else []), "FETCH_HEAD")
    share_environment(Path(os.environ["PORTAL_ACT_ROOT"], ".venv"), place.absolute())
    return _succeed(f"{ref} of {home} is checked out")


def python(version: str) -> int:
    """Put an environment with a version of Python first on the PATH.

    If that version is not installed, the environment has the portal's Python.
    """
    wanted = f"python{version}"
    found = _find_python(version)
    place = Path(os.environ["RUNNER_TEMP"], wanted)
    subprocess.run([found or sys.executable, "-m", "venv", str(place)], check=True)
    with Path(os.environ["GITHUB_PATH"]).open("a", encoding="utf-8") as paths:
        paths.write(f"{place / 'bin'}\n")
    return _succeed(
        f"{wanted} is used" if found else f"{wanted} is not installed: the portal's is used"
    )


def _find_python(version: str) -> str | None:
    """Return the path of a version of Python, or None if it is not installed."""
    command = [f"python{version}", "-c", "import sys; print(sys.executable)"]
    variables = {**os.environ, "PYENV_VERSION": version}
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def upload(name: str, path: str, missing: str) -> int:
    """Store files as an artifact. If there are no files, fail only if `missing` is `error`."""
    if not Path(path).exists():
        text = f"no files found at {path}"
        return _fail(text) if missing == "error" else _succeed(text)
    made = Spool.from_environment().add(os.environ["PORTAL_ACT_WORKFLOW"], name, Path(path))
    return _succeed(f"artifact {name}, {made.stat().st_size:,} bytes")


def download(name: str, pattern: str, path: str) -> int:
    """Unpack the newest artifact called `name` in the folder `path`.

    If `name` is empty, unpack the artifacts that match `pattern`, each in its own subfolder.
    """
    found = Spool.from_environment().newest(os.environ["PORTAL_ACT_WORKFLOW"])
    wanted = [one for one in found if one == name or (pattern and fnmatch.fnmatch(one, pattern))]
    if name and not wanted:
        return _fail(f"there is no artifact {name}")
    for one in wanted:
        with zipfile.ZipFile(found[one]) as archive:
            archive.extractall(Path(path) / ("" if name else one))
    return _succeed(f"artifacts: {', '.join(wanted) or 'none'}")


def gh(*words: str) -> int:
    """Run the two commands of GitHub's command line that workflows use; others fail.

    `auth setup-git` does nothing; `workflow run` sends a workflow_dispatch event to the double.
    """
    if words == ("auth", "setup-git"):
        return _succeed("gh: git needs no token here")
    if words[:2] != ("workflow", "run"):
        return _fail(f"gh {' '.join(words)}: not supported here")
    home, server = os.environ["GITHUB_REPOSITORY"], os.environ["GITHUB_API_URL"]
    address = f"{server}/repos/{home}/actions/workflows/{words[2]}/dispatches"
    token = {"authorization": f"Bearer {os.environ['GH_TOKEN']}"}
    request = Request(address, json.dumps({"ref": "main"}).encode(), token, method="POST")  # noqa: S310 - loopback
    with urlopen(request):  # noqa: S310 - the same
        return _succeed(f"gh: {words[2]} is started")


STEPS: Mapping[str, Callable[..., int]] = {
    "checkout": checkout,
    "python": python,
    "upload": upload,
    "download": download,
    "gh": gh,
}


def _git(place: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(place), *words], check=True)


def _succeed(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    return 0


def _fail(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(STEPS[sys.argv[1]](*sys.argv[2:]))
