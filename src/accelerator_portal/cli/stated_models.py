"""`accelerator-portal stated-models`: reads a vendor's lists of models from a clone again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accelerator_automation.git import git
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.catalog import STATED_MODELS
from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.files.sources import Source
from accelerator_portal.catalog.files.stated_models_file import FILE, ModelList, StatedModels
from accelerator_portal.cli.options import INPUT_FOLDER, ROOT, refuse_unknown, usable_catalog
from accelerator_portal.vendors.draft import yaml_text
from accelerator_portal.vendors.model_lists import read_models

_HEAD = "# yaml-language-server: $schema=../../data/schema/stated-models.schema.json\n"


@click.command("stated-models")
@ROOT
@click.argument("accelerator")
@click.argument("repository", metavar="OWNER/NAME")
@click.argument("clone", type=INPUT_FOLDER)
def stated_models(root: Path, accelerator: str, repository: str, clone: Path) -> None:
    """Update the lists of models that documents state.

    The lists come from the newest commit in a clone of the repository. ACCELERATOR's
    stated-models.yaml says how to read each list. The models, the commit and the
    dates in the file are replaced.
    """
    catalog = usable_catalog(root)
    refuse_unknown(accelerator, catalog.by_id)
    platform = catalog.by_id[accelerator]
    file = platform.stated_models
    path = platform.path(STATED_MODELS)
    lists = list(file.lists) if file else []
    names = {one.source[0] for one in lists if file and _repository(file, one) == repository}
    if file is None or not names:
        raise click.ClickException(f"{path} has no list from {repository}. Add it to lists")
    commit, day = git(clone, "log", "-1", "--format=%H %cs").split()
    sources = dict(file.sources)
    for place, one in enumerate(lists):
        name = one.source[0]
        if name not in names:
            continue
        match = FILE.fullmatch(sources[name].url or "")
        document = match["path"] if match else ""
        lists[place] = read_models(document, git(clone, "show", f"{commit}:{document}"), one)
        url = f"https://github.com/{repository}/blob/{commit}/{document}"
        dates = {"read": today(), "as_of": day if day != str(today()) else None}
        sources[name] = Source.model_validate({**sources[name].model_dump(), "url": url, **dates})
        click.echo(f"{name}: {_counts(lists[place])}")
    data = StatedModels(sources=sources, lists=tuple(lists))
    text = yaml_text(_plain(data))
    write_text_atomically(root / path, _HEAD + text)


def _plain(file: StatedModels) -> dict[str, Any]:
    """Return the file's content, with a source's id in place of a list of one."""
    data: dict[str, Any] = file.model_dump(exclude_defaults=True)
    for one in data["lists"]:
        one["source"] = one["source"][0]
    return data


def _repository(file: StatedModels, one: ModelList) -> str | None:
    match = FILE.fullmatch(file.sources[one.source[0]].url or "")
    return match["repository"] if match else None


def _counts(one: ModelList) -> str:
    left = "".join(f"; {number} left out: {why}" for why, number in one.left_out.items())
    return f"{one.rows} rows, {one.taken} taken, {len(one.models)} models{left}"
