"""`accelerator-portal stated-models`: updates a platform's list of models from its documents.

The documents are read from a clone of their GitHub repository.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from accelerator_portal.catalog.catalog import STATED_MODELS
from accelerator_portal.catalog.files.shared_files import ModelList
from accelerator_portal.catalog.git import git
from accelerator_portal.cli.options import ROOT, usable_catalog
from accelerator_portal.vendors.model_lists import (
    DocumentCopy,
    cited_document,
    stated_models_text,
    with_updated_list,
)
from accelerator_reports.cli.options import INPUT_FOLDER
from accelerator_reports.files.clock import today
from accelerator_reports.files.text_file import write_text_atomically


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
    catalog = usable_catalog(root, accelerator)
    platform = catalog.by_id[accelerator]
    file = platform.stated_models
    path = platform.path(STATED_MODELS)
    documents = [cited_document(file, one) for one in file.lists] if file else []
    if file is None or not any(one and one.repository == repository for one in documents):
        raise click.ClickException(f"{path} has no list from {repository}. Add it to lists")
    commit, day = git(clone, "log", "-1", "--format=%H %cs").split()
    for index, document in enumerate(documents):
        if document and document.repository == repository:
            text = git(clone, "show", f"{commit}:{document.path}")
            copy = DocumentCopy(commit, dt.date.fromisoformat(day), today(), text)
            file = with_updated_list(file, index, document, copy)
            click.echo(f"{file.lists[index].source[0]}: {_row_counts_text(file.lists[index])}")
    write_text_atomically(root / path, stated_models_text(file))


def _row_counts_text(model_list: ModelList) -> str:
    omissions = "".join(
        f"; {number} left out: {reason}" for reason, number in model_list.left_out.items()
    )
    models = f"{len(model_list.models)} models{omissions}"
    return f"{model_list.rows} rows, {model_list.taken} used, {models}"
