"""Does the work of the actions in `tools/act/actions`, and of GitHub's command line.

The variables PORTAL_ACT_… name the portal's checkout, the repository, the folder of all artifacts
and the workflow. Each step returns its exit status: 0, or 1 with a message on standard error.
"""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.request import Request, urlopen

_SEPARATOR = "__"


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
    switch = [] if branch.startswith("refs/") else ["-B", branch]
    deep = [] if depth == "0" else [f"--depth={depth}"]
    for words in (
        ("init", "--quiet", "--initial-branch=unused"),
        ("remote", "add", "origin", f"file://{os.environ['PORTAL_ACT_ORIGIN']}"),
        ("fetch", "--quiet", *deep, "origin", branch),
        ("checkout", "--quiet", *switch, "FETCH_HEAD"),
    ):
        subprocess.run(["git", "-C", str(place), *words], check=True)
    _share_environment(Path(os.environ["PORTAL_ACT_ROOT"], ".venv"), place)
    return _succeed(f"{ref} of {home} is checked out")


def _share_environment(shared: Path, place: Path) -> None:
    """Link to the environment of the portal's checkout, so that `make setup` installs nothing."""
    if (shared / ".installed").exists() and (place / "src/accelerator_portal").is_dir():
        (place / ".venv").mkdir()
        for name in ("bin", "lib", "pyvenv.cfg"):
            (place / ".venv" / name).symlink_to(shared / name)
        (place / ".venv/.installed").touch()


def python(version: str) -> int:
    """Put an environment with a version of Python first on the PATH.

    If that version is not installed, the environment has the portal's Python.
    """
    found = _find_python(version)
    place = Path(os.environ["RUNNER_TEMP"], f"python{version}")
    subprocess.run([found or sys.executable, "-m", "venv", str(place)], check=True)
    with Path(os.environ["GITHUB_PATH"]).open("a", encoding="utf-8") as paths:
        paths.write(f"{place / 'bin'}\n")
    return _succeed(f"Python {version}: {found or 'not installed, the portal’s is used'}")


def _find_python(version: str) -> str | None:
    """Return the path of a version of Python, or None if it is not installed."""
    command = [f"python{version}", "-c", "import sys; print(sys.executable)"]
    variables = {**os.environ, "PYENV_VERSION": version}
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def artifacts(spool: Path, workflow: str = "*") -> Iterator[tuple[str, str, Path]]:
    """Yield workflow, name and zip file of each artifact, the oldest first."""
    for file in sorted(spool.glob(f"{workflow}/*.zip"), key=lambda one: one.name):
        yield file.parent.name, file.stem.partition(_SEPARATOR)[2], file


def upload(name: str, path: str, missing: str) -> int:
    """Store files as an artifact. If there are no files, fail only if `missing` is `error`."""
    source = Path(path)
    if not source.exists():
        text = f"no files found at {path}"
        return _fail(text) if missing == "error" else _succeed(text)
    made = _own_artifacts() / f"{time.time_ns()}{_SEPARATOR}{name}.zip"
    made.parent.mkdir(parents=True, exist_ok=True)
    folder, found = (source.parent, [source]) if source.is_file() else (source, source.rglob("*"))
    beside = made.with_suffix(".new")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(filter(Path.is_file, found)):
            archive.write(file, file.relative_to(folder))
    beside.rename(made)
    return _succeed(f"artifact {name}, {made.stat().st_size:,} bytes")


def download(name: str, pattern: str, path: str) -> int:
    """Unpack the newest artifact called `name` in the folder `path`.

    If `name` is empty, unpack the artifacts that match `pattern`, each in its own subfolder.
    """
    place = _own_artifacts()
    newest = {one: file for _, one, file in artifacts(place.parent, place.name)}
    wanted = [one for one in newest if one == name or (pattern and fnmatch.fnmatch(one, pattern))]
    if name and not wanted:
        return _fail(f"there is no artifact {name}")
    for one in wanted:
        with zipfile.ZipFile(newest[one]) as archive:
            archive.extractall(Path(path) / ("" if name else one))
    return _succeed(f"artifacts: {', '.join(wanted) or 'none'}")


def _own_artifacts() -> Path:
    return Path(os.environ["PORTAL_ACT_SPOOL"], os.environ["PORTAL_ACT_WORKFLOW"])


def gh(*words: str) -> int:
    """Run `gh auth setup-git`, which needs nothing here, and `gh workflow run`; others fail."""
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
    one.__name__: one for one in (checkout, python, upload, download, gh)
}


def _succeed(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    return 0


def _fail(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(STEPS[sys.argv[1]](*sys.argv[2:]))
