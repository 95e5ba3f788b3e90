"""`accelerator-portal upstream`: for the workflows that answer PyTorch's events."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
from pydantic import BaseModel, ValidationError

from accelerator_portal.automation.github import GitHubError
from accelerator_portal.automation.github_client import client_here
from accelerator_portal.automation.upstream import answer_round, dispatch_round, summary
from accelerator_portal.automation.upstream.change import UPSTREAM, Change, RefusedEventError
from accelerator_portal.automation.upstream.confirming import confirmed, upstream_now
from accelerator_portal.automation.upstream.dispatching import (
    DispatchJournal,
    Senders,
    commit_key,
)
from accelerator_portal.automation.upstream.incoming import MOST_BYTES, read_event
from accelerator_portal.automation.upstream.planning import DispatchPlan
from accelerator_portal.automation.upstream.planning import plan as planned
from accelerator_portal.catalog import Catalog, ProblemsError, load_catalog
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.cli.options import ROOT, tell
from accelerator_portal.cli.upstream_callback import callback
from accelerator_portal.site.difference.harmless import span

FILE = click.Path(dir_okay=False, path_type=Path)
READ = click.Path(exists=True, dir_okay=False, path_type=Path)
EVENT = click.option("--event", type=READ, envvar="GITHUB_EVENT_PATH", help="The event, as JSON.")
HOME = click.option("--home", envvar="GITHUB_REPOSITORY", required=True, help="This repository.")
SUMMARY = click.option("--summary", "told", type=FILE, envvar="GITHUB_STEP_SUMMARY")

M = TypeVar("M", bound=BaseModel)


@click.group()
def upstream() -> None:
    """Answer PyTorch's events: plan who tests a change, tell them, say what is news."""


@upstream.command()
@ROOT
@EVENT
@SUMMARY
@click.option("--periodic", type=click.Choice(["daily", "weekly"]), help="Main, without an event.")
@click.option("--repository", default=UPSTREAM, help="By default pytorch/pytorch.")
@click.option("--out", type=FILE, required=True, help="The plan.")
def plan(root: Path, told: Path | None, out: Path, **said: Any) -> None:  # noqa: ANN401
    """Say who tests the change that an event tells of, after GitHub confirmed it. Needs GH_TOKEN.

    Writes no plan where there is nothing to do. An event that is forged or out of order is refused
    by name: the command fails, and nothing is run.
    """
    catalog = _catalog(root)
    with _said_in_a_line(told):
        change = _change(said["event"], said["repository"], said["periodic"])
    if not isinstance(change, Change):
        _say(told, f"{change}\n")
        return
    found = planned(catalog, change)
    if found.entries:
        write_text_atomically(out, found.model_dump_json(indent=1) + "\n")
    _say(told, summary.plan_summary(found))


@upstream.command()
@HOME
@SUMMARY
@click.option("--plan", "plan_file", type=READ, required=True, help="What `plan` wrote.")
@click.option("--out", type=FILE, required=True, help="The journal: who was told.")
@click.option(
    "--outputs", type=FILE, help="Add key=… to this file: the journal is also kept under that name."
)
def dispatch(
    home: str, told: Path | None, plan_file: Path, out: Path, outputs: Path | None
) -> None:
    """Tell everybody in a plan who was not told yet.

    Needs GH_TOKEN, which dispatches to vendors' repositories, and PORTAL_TOKEN, which starts
    workflows of this one.

    Who was told of the same event or commit, by this journal or one that an earlier run left, is
    not told again. Fails where somebody could not be told, after the others were.
    """
    with _said_in_a_line(told):
        found = _read(plan_file, DispatchPlan)
        if outputs:  # before anything is sent: the journal of a run that fails is kept, too
            with outputs.open("a", encoding="utf-8") as file:
                file.write(f"key={commit_key(found.change)}\n")
        earlier = [_read(out, DispatchJournal)] if out.exists() else []
        senders = Senders(vendors=client_here(), own=client_here("PORTAL_TOKEN"), home=home)
        done = dispatch_round.dispatch(senders, found, earlier, dt.datetime.now(dt.timezone.utc))
    write_text_atomically(out, done.journal.model_dump_json(indent=1) + "\n")
    skipped = f"Told before: {done.told_before}.\n" if done.told_before else ""
    _say(told, skipped + summary.sent_summary(done.sent))
    sys.exit(int(done.failed))


@upstream.command()
@ROOT
@HOME
@SUMMARY
@click.option("--as", "login", envvar="PORTAL_LOGIN", required=True, help="Whose comments.")
@click.option("--out", type=FILE, required=True, help="The ledger: what is settled.")
@click.option("--keep", is_flag=True, help="Put reports of main into the results of platforms.")
def answer(root: Path, told: Path | None, out: Path, **said: Any) -> None:  # noqa: ANN401
    """Look for the reports that are outstanding, and say what is news on pull requests.

    Needs PORTAL_TOKEN, which reads this repository; GH_TOKEN, which reads the vendors' runs; and
    UPSTREAM_TOKEN, which comments upstream. Fails where something could not be said, and tries it
    again in the next round.
    """
    catalog = _catalog(root)
    with _said_in_a_line(told):
        clients = answer_round.Clients(
            own=client_here("PORTAL_TOKEN"),
            vendors=client_here(),
            upstream=client_here("UPSTREAM_TOKEN"),
            home=said["home"],
            login=said["login"],
        )
        now = dt.datetime.now(dt.timezone.utc)
        done = answer_round.answer(root, catalog, clients, now, keep=said["keep"])
    write_text_atomically(out, done.ledger.model_dump_json() + "\n")
    _say(told, summary.answer_summary(done.looked, done.answers, done.done))
    sys.exit(int(done.failed))


upstream.add_command(callback)


def _change(
    event: Path | None, repository: str, periodic: Literal["daily", "weekly"] | None
) -> Change | str:
    api = client_here()
    if periodic:
        return upstream_now(api, repository, periodic, dt.datetime.now(dt.timezone.utc))
    change = read_event(_bytes(event), repository)
    return confirmed(api, change) if isinstance(change, Change) else change


def _bytes(event: Path | None) -> bytes:
    if event is None:
        raise click.UsageError("there is no event; name one with --event")
    with event.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _catalog(root: Path) -> Catalog:
    catalog, _ = load_catalog(root)
    if catalog is None:
        raise click.ClickException(f"{root} holds no usable data; name the repository's main")
    return catalog


def _read(file: Path, model: type[M]) -> M:
    try:
        return model.model_validate_json(file.read_bytes())
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"])) or "the file"
        raise click.ClickException(f"{file.name}: {place} is not as the portal wrote it") from None


@contextmanager
def _said_in_a_line(told: Path | None) -> Iterator[None]:
    """Turn what can go wrong into one line, on the run's page, too."""
    try:
        yield
    except ProblemsError as error:
        tell(error.problems)
        sys.exit(1)
    except (RefusedEventError, GitHubError, ValueError) as error:
        words = " ".join(str(error).split())
        if told:
            _say(told, f"**Nothing is done.** {span(words)}\n")
        raise click.ClickException(words) from None


def _say(told: Path | None, text: str) -> None:
    if told is None:
        click.echo(text, nl=False)
        return
    with told.open("a", encoding="utf-8") as page:
        page.write(text)
