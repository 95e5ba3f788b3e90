"""Builds the site with MkDocs, without folders that stop the build, and replaces the existing site.

The existing site stays until the new one is complete. MkDocs runs in its own process, because it
uses much memory and has global state.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from accelerator_automation.archive_store import (
    Archive,
    changed_folders,
    last_good_dates,
    write_last_good,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.site.broken_links import BuiltSite, site_faults
from accelerator_portal.site.site import NightMetrics
from accelerator_reports.files.problem import UserError
from accelerator_reports.files.wording import count

# Archives the metrics of nightly runs (durations, requests, outcomes) for the operations page.

FOLDER = "nights"

MOST_KEPT = 400
"""The number of nightly runs whose metrics are kept: more than a year, enough for a trend."""

_MOST_BYTES = 100_000


def archive_metrics(archive: Archive, metrics: NightMetrics) -> None:
    """Archive the metrics of a nightly run, and keep only the metrics of the newest MOST_KEPT runs.

    Raises ArchiveError.
    """
    text = metrics.model_dump_json(indent=1) + "\n"
    archive.write(f"{FOLDER}/{metrics.started:%Y-%m-%dT%H%M%SZ}.json", text.encode())
    archive.drop_oldest(FOLDER, MOST_KEPT)


def archived_metrics(archive: Archive) -> Iterator[NightMetrics]:
    """Yield the archived metrics of the nightly runs, oldest first. Raises ArchiveError.

    Objects that are damaged or too large are skipped.
    """
    for name in archive.names(FOLDER):
        data = archive.read(f"{FOLDER}/{name}")
        if data is not None and len(data) <= _MOST_BYTES:
            try:
                yield NightMetrics.model_validate_json(data)
            except ValidationError:
                continue


def write_nights(archive: Archive, file: Path) -> None:
    """Write the metrics of all archived runs to a JSON file. Raises ArchiveError, OSError.

    The file has one key, `nights`, with a list of NightMetrics, oldest first.
    """
    found = [night.model_dump(mode="json") for night in archived_metrics(archive)]
    file.write_text(json.dumps({"nights": found}), "utf-8")


QUARANTINE = "PORTAL_QUARANTINE"
LAST_GOOD = "PORTAL_LAST_GOOD"
NIGHTS = "PORTAL_NIGHTS"
EXCLUDED = "PORTAL_EXCLUDED"

# The files and folders in the repository that a build reads, including the portal itself.
_INPUT_PATHS = (
    "accelerators",
    "data",
    "hooks",
    "mkdocs.yml",
    "packages",
    "requirements.lock",
    "site_src",
    "src",
)

Engine = Callable[[Path, Path, Mapping[str, str]], None]
"""Builds the site. Takes the repository, a new folder for the site, and environment variables for
the build hooks. Raises EngineError."""


_MOST_LINES = 10
"""The maximum number of lines of an error of the build command in a message."""


class BuildError(UserError):
    """The site could not be built, and the existing site stays. The message gives the reason."""

    @property
    def cause(self) -> str:
        """The first thing that is wrong."""
        return str(self)


class EngineError(BuildError):
    """The build command failed with exit status `code`.

    The message is the error that ends the output, or else the end of the output.
    """

    def __init__(self, code: int, output: str) -> None:
        start = output.rfind("\nError: ")
        lines = output[start:].strip().splitlines() if start >= 0 else output.split("\n")[-4:]
        super().__init__(" / ".join(filter(None, map(str.strip, lines[:_MOST_LINES]))))
        self.code = code


class BrokenLinksError(BuildError):
    """The new site has broken links, which `links` lists."""

    def __init__(self, links: Sequence[str]) -> None:
        super().__init__(
            f"the new site has {count(len(links), 'broken link')}; the existing site stays"
        )
        self.links = tuple(links)

    @property
    def cause(self) -> str:
        """The first broken link."""
        return self.links[0]


def mkdocs(root: Path, place: Path, variables: Mapping[str, str], *, quiet: bool = False) -> None:
    """Build the site of the repository `root` into the new folder `place` with MkDocs.

    `variables` are environment variables for the build hooks. With `quiet`, the output of MkDocs
    appears only in the error. Raises EngineError.
    """
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)],
        cwd=root,
        env={**os.environ, **variables},
        capture_output=quiet,
        text=True,
        check=False,
    )
    if result.returncode:
        raise EngineError(result.returncode, f"{result.stdout or ''}{result.stderr or ''}")


@dataclass(frozen=True, slots=True)
class Quarantine:
    """How the site is built although some platforms' folders have errors.

    The site omits each platform whose folder has errors, and each platform in `excluded`, which
    gives the reason by platform id. Only the platforms in `standing_in` stay: the site shows the
    last valid version of their folder from `archive`, and the date since which it is shown.
    """

    archive: Archive | None = None
    standing_in: Mapping[str, dt.date] = field(default_factory=dict)
    excluded: Mapping[str, str] = field(default_factory=dict)


def build(
    root: Path, target: Path, quarantine: Quarantine | None = None, *, engine: Engine = mkdocs
) -> None:
    """Build the site, check every link, and replace the existing site at `target`.

    `root` is the repository. Without a quarantine, the build fails if a platform's folder has
    errors. `engine` runs the build (default: MkDocs). Raises ArchiveError, BuildError, OSError.
    """
    target = target.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        recover_site(target)
        with TemporaryDirectory(prefix="portal-archive-") as folder:
            last_good, nights = Path(folder, "last-good"), Path(folder, "nights.json")
            archive = quarantine.archive if quarantine else None
            if quarantine and archive:
                write_last_good(archive, quarantine.standing_in, last_good)
                write_nights(archive, nights)
            variables = {
                QUARANTINE: "true" if quarantine else "false",
                LAST_GOOD: str(last_good) if archive else "",
                NIGHTS: str(nights) if archive else "",
                EXCLUDED: json.dumps(dict(quarantine.excluded if quarantine else {})),
            }
            engine(root, staging_folder(target), variables)
        if broken_links := [str(fault) for fault in site_faults(BuiltSite(staging_folder(target)))]:
            raise BrokenLinksError(broken_links)
        publish_site(target)
    finally:
        shutil.rmtree(staging_folder(target), ignore_errors=True)


def staging_folder(target: Path) -> Path:
    """Return the folder in which the next site is built, on the same disk as `target`."""
    return target.with_name(f".{target.name}.new")


def previous_site(target: Path) -> Path:
    """Return the folder of the previous site, which `restore_previous` can restore."""
    return target.with_name(f".{target.name}.previous")


def recover_site(target: Path) -> bool:
    """Clean up after an interrupted build; return whether the previous site was restored.

    Removes an unfinished site, and restores the previous site if there is none at `target`. Raises
    OSError.
    """
    shutil.rmtree(staging_folder(target), ignore_errors=True)
    if target.exists() or not previous_site(target).is_dir():
        return False
    previous_site(target).rename(target)
    return True


def publish_site(target: Path) -> None:
    """Move the new site to `target`; the existing site becomes the previous one.

    There is no site for an instant, between the two renames. If the process is killed then,
    `recover_site` restores the existing site before the next build. If a rename fails, the existing
    site is restored and OSError is raised.
    """
    previous = previous_site(target)
    shutil.rmtree(previous, ignore_errors=True)
    if target.exists():
        target.rename(previous)
    try:
        staging_folder(target).rename(target)
    except OSError:
        if previous.is_dir():
            previous.rename(target)
        raise


def restore_previous(target: Path) -> None:
    """Exchange the site and the previous site. A second call exchanges them back.

    Raises UserError if there is no previous site, and OSError if a folder cannot be renamed.
    """
    previous = previous_site(target)
    if not previous.is_dir():
        raise UserError(f"there is no previous site in {previous.name} next to {target.name}")
    staging = staging_folder(target)
    shutil.rmtree(staging, ignore_errors=True)
    previous.rename(staging)
    try:
        publish_site(target)
    except OSError:
        staging.rename(previous)
        raise


def inputs_digest(root: Path, catalog: Catalog, standing_in: Mapping[str, dt.date]) -> str:
    """Return a SHA-256 digest that changes if the site must be built again.

    The digest covers the repository's files that a build reads. For each quarantined platform, it
    also covers the problems and the date in `standing_in`, because a platform can be quarantined
    although no file changed. `standing_in` maps a platform id to the date since which the site
    shows the last valid version of the platform's folder. The digest does not cover the metrics of
    nightly runs. Raises OSError.
    """
    digest = hashlib.sha256()
    for file in _input_files(root):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    for name, problems in catalog.set_aside.items():
        digest.update(f"{name} {standing_in.get(name)} {problems}\0".encode())
    return digest.hexdigest()


def _input_files(root: Path) -> Iterator[Path]:
    for name in _INPUT_PATHS:
        path = root / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and not any(
                part.startswith(".") or part == "__pycache__"
                for part in file.relative_to(root).parts
            ):
                yield file


# Builds the site without the platforms whose folders stop the build or cause broken links.
#
# Such a folder passes all checks, so only a build shows the fault: it is one that no rule knows
# yet.


def build_with_quarantine(  # noqa: PLR0913 - what, where, and how
    root: Path,
    target: Path,
    catalog: Catalog,
    quarantine: Quarantine,
    today: dt.date,
    *,
    engine: Engine = mkdocs,
    on_search: Callable[[str], None] = lambda _: None,
) -> Quarantine:
    """Build the site, and return the quarantine with which it could be built.

    `catalog` has the platforms whose folders have no errors. If the site cannot be built or has
    broken links, the function builds it without some of these platforms until it knows which of
    them cause this. The result's `excluded` names them, with the first thing that was wrong. If
    the archive has a valid version of their folders, the site shows this version. `on_search` is
    called with a line before each of these builds.

    Raises the BuildError of the first build if the site cannot be built without any platform
    either. Also raises ArchiveError, OSError.
    """

    def attempt(attempted: Quarantine) -> BuildError | None:
        try:
            build(root, target, attempted, engine=engine)
        except BuildError as error:
            return error
        return None

    if (error := attempt(quarantine)) is None:
        return quarantine
    suspects = _suspects(root, catalog, quarantine.archive)

    def without(platforms: frozenset[str]) -> Quarantine:
        return replace(quarantine, excluded=dict.fromkeys(sorted(platforms), error.cause))

    def builds_without(platforms: frozenset[str]) -> bool:
        on_search(f"{error}. Building without {_names(platforms, catalog)} to find the cause")
        return attempt(without(platforms)) is None

    for group in suspects:
        if builds_without(frozenset(group)):
            culprits = _culprits(group, frozenset(), builds_without)
            return _with_last_good(without(culprits), culprits, today, attempt)
    raise error


def _suspects(root: Path, catalog: Catalog, archive: Archive | None) -> list[Sequence[str]]:
    """Return groups of platforms that may stop the build, the most likely group first.

    These are the platforms whose folder changed since its archived version, then all platforms.
    """
    every = tuple(catalog.by_id)
    changed = tuple(changed_folders(archive, root, every)) if archive else ()
    return [group for group in dict.fromkeys((changed, every)) if group]


def _names(platforms: frozenset[str], catalog: Catalog) -> str:
    few = 3
    is_all = len(platforms) == len(catalog.platforms)
    number = "all platforms" if is_all else count(len(platforms), "platform")
    return ", ".join(sorted(platforms)) if len(platforms) <= few else number


def _culprits(
    suspects: Sequence[str], excluded: frozenset[str], builds: Callable[[frozenset[str]], bool]
) -> frozenset[str]:
    """Return the platforms among `suspects` without which the site can be built.

    The site can be built without `suspects` and `excluded`. `builds` takes platforms and returns
    whether the site can be built without them.
    """
    if len(suspects) == 1:
        return frozenset(suspects)
    middle = len(suspects) // 2
    first, second = frozenset(suspects[:middle]), frozenset(suspects[middle:])
    for half in (first, second):
        if builds(excluded | half):
            return _culprits([s for s in suspects if s in half], excluded, builds)
    found = _culprits(suspects[:middle], excluded | second, builds)
    return found | _culprits(suspects[middle:], excluded | found, builds)


def _with_last_good(
    quarantine: Quarantine,
    culprits: frozenset[str],
    today: dt.date,
    attempt: Callable[[Quarantine], BuildError | None],
) -> Quarantine:
    """Build the site with the last valid versions of the culprits, or without these.

    Returns the quarantine of the build. Raises BuildError, ArchiveError, OSError.
    """
    archive = quarantine.archive
    if archive and (dates := last_good_dates(archive, culprits, today)):
        standing_in = {**quarantine.standing_in, **dates}
        with_versions = replace(quarantine, standing_in=standing_in)
        if attempt(with_versions) is None:
            return with_versions
    if error := attempt(quarantine):
        raise error
    return quarantine
