"""Putting a built site in the place of the last one, which is kept and can be put back."""

from __future__ import annotations

import shutil
from pathlib import Path


class NoPreviousSiteError(Exception):
    """There is no previous site; the message says where it would be."""


def staging_folder(target: Path) -> Path:
    """Return where the next site is built: on the same disk, so that renaming is enough."""
    return target.with_name(f".{target.name}.new")


def previous_site(target: Path) -> Path:
    """Return where the last site is kept."""
    return target.with_name(f".{target.name}.previous")


def recover(target: Path) -> None:
    """Finish what an interruption left: readers have a site, half a new one is nobody's.

    Raises OSError.
    """
    shutil.rmtree(staging_folder(target), ignore_errors=True)
    if not target.exists() and previous_site(target).is_dir():
        previous_site(target).rename(target)


def publish(target: Path) -> None:
    """Put the new site in the place of the last one, which becomes the previous one.

    Two renames: whoever asks between them finds no site, for an instant. Raises OSError; the last
    site is there then.
    """
    kept = previous_site(target)
    shutil.rmtree(kept, ignore_errors=True)
    if target.exists():
        target.rename(kept)
    try:
        staging_folder(target).rename(target)
    except OSError:
        recover(target)
        raise


def restore_previous(target: Path) -> None:
    """Change the site and the previous one for each other; done again, it is undone.

    Raises NoPreviousSiteError, OSError.
    """
    kept = previous_site(target)
    if not kept.is_dir():
        raise NoPreviousSiteError(f"there is no previous site in {kept.name} next to {target.name}")
    aside = staging_folder(target)
    shutil.rmtree(aside, ignore_errors=True)
    kept.rename(aside)
    publish(target)
