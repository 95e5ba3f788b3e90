"""Declared reports are fetched from loopback; where that fails the last good one stays."""

from __future__ import annotations

import datetime as dt
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from accelerator_automation import feeds
from accelerator_automation.feeds import FeedAccess, FetchResult, fetch_reports
from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.files.accelerator import ReportFeed
from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.http import RequestLimits
from accelerator_portal.results.report_intake import add_reports, folder_reports
from accelerator_reports import report_file
from accelerator_reports.file_reading import MAX_REPORT_BYTES
from accelerator_reports.report_file import report_text
from tests.folders import EXAMPLE, Tree, loaded
from tests.portal.results.made_up import made_up

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
PATIENCE = 60.0  # seconds, for what happens at once on a machine that does nothing else
QUICK = RequestLimits(attempts=1, timeout=PATIENCE, total_timeout=PATIENCE, first_pause=0)
GOOD = report_text(made_up(0, {"a": "passed"}, suites=[{"name": "models", "kind": "unit"}]))

Fetch = Callable[[Mapping[str, str]], list[FetchResult]]


@pytest.fixture
def answers() -> dict[str, bytes]:
    return {"/good": GOOD.encode()}


@pytest.fixture
def server(answers: dict[str, bytes]) -> Iterator[str]:
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer from the table; `/away` leads to another host, `/slow` waits until the end."""
            if self.path == "/slow":
                over.wait(PATIENCE)
                return
            if self.path == "/away":
                self.send_response(302)
                self.send_header("location", "https://elsewhere.example/")
            else:
                self.send_response(200 if self.path in answers else 404)
            body = answers.get(self.path, b"")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=found.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{found.server_port}"
    over.set()
    found.shutdown()
    found.server_close()


def loaded_anyway(root: Path) -> Catalog:
    catalog, _ = load_catalog(root)
    assert catalog is not None
    return catalog


def with_feeds(catalog: Catalog, feeds: Mapping[str, str]) -> Catalog:
    """The catalogue with feeds of its only platform, which may be on loopback."""
    (platform,) = catalog.platforms
    made = tuple(ReportFeed.model_construct(name=n, url=u, source=("x",)) for n, u in feeds.items())
    accelerator = platform.accelerator.model_copy(update={"report_feeds": made})
    return replace(catalog, platforms=(replace(platform, accelerator=accelerator),))


@pytest.fixture
def root(tree: Tree) -> Path:
    own = "platforms: [{accelerator: example, by: Made up}]\n"
    return tree({**EXAMPLE, "data/own-runs.yaml": own})


@pytest.fixture
def fetch(root: Path, server: str) -> Fetch:
    def fetched(feeds: Mapping[str, str]) -> list[FetchResult]:
        addresses = {name: f"{server}{path}" for name, path in feeds.items()}
        return fetch_reports(root, with_feeds(loaded(root), addresses), NOW, FeedAccess(QUICK))

    return fetched


def result(root: Path, name: str) -> Path:
    return root / f"accelerators/example/results/{name}.json"


def test_a_good_report_is_taken_once(fetch: Fetch, root: Path) -> None:
    assert fetch({"nightly": "/good"}) == [FetchResult("example", "nightly", "new")]
    assert result(root, "nightly").read_text("utf-8") == GOOD
    assert fetch({"nightly": "/good"}) == [FetchResult("example", "nightly", "unchanged")]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "invalid JSON"),
        (b"<html>", "invalid JSON"),
        (GOOD.replace('"example"', '"other"').encode(), 'the report is about "other"'),
        (GOOD.replace("self-reported", "made-here").encode(), "kind: made-here"),
        (GOOD.replace("2026-03-01", "2027-03-01").encode(), "2027"),
        (GOOD.replace("2026-03-01", "2026-02-28").encode(), "older than the one that was fetched"),
        (report_text(made_up(1, {})).encode(), "the report has no tests"),
        (GOOD.replace('"schema_version": 1', '"schema_version": 9').encode(), "newer than 1"),
    ],
)
def test_a_bad_one_is_refused_and_the_last_good_one_stays(
    body: bytes, words: str, fetch: Fetch, root: Path, answers: dict[str, bytes]
) -> None:
    fetch({"nightly": "/good"})
    answers["/good"] = body
    (found,) = fetch({"nightly": "/good"})
    assert found.outcome == "refused"
    assert words in " ".join(found.why)
    assert result(root, "nightly").read_text("utf-8") == GOOD


@pytest.mark.parametrize(("path", "outcome"), [("/gone", "unreachable"), ("/away", "refused")])
def test_what_is_not_there_is_not_reached_and_a_redirect_is_refused(
    path: str, outcome: str, fetch: Fetch
) -> None:
    (found,) = fetch({"nightly": path})
    assert found.outcome == outcome
    assert found.why


def test_a_corrected_report_of_the_same_run_is_taken(
    fetch: Fetch, root: Path, answers: dict[str, bytes]
) -> None:
    fetch({"nightly": "/good"})
    answers["/good"] = GOOD.replace('"passed"', '"failed"').encode()
    assert fetch({"nightly": "/good"}) == [FetchResult("example", "nightly", "new")]
    assert result(root, "nightly").read_bytes() == answers["/good"]


def test_an_operator_adds_a_folder_of_reports(root: Path, tmp_path: Path) -> None:
    (tmp_path / "folder/example").mkdir(parents=True)
    (tmp_path / "folder/example/inside.json").write_text(GOOD, "utf-8")
    access = FeedAccess(QUICK, folder=tmp_path / "folder")
    assert fetch_reports(root, loaded(root), NOW, access) == [
        FetchResult("example", "inside", "new")
    ]
    own = GOOD.replace("self-reported", "made-here").replace("2026-03-01", "2026-03-02")
    (tmp_path / "folder/example/inside.json").write_text(own, "utf-8")
    (found,) = fetch_reports(root, loaded(root), NOW, access)
    assert found.outcome == "refused"
    assert result(root, "inside").read_text("utf-8") == GOOD


@pytest.mark.parametrize("kind", ["folder", "dangling link", "link to a device", "pipe", "large"])
def test_a_file_that_cannot_be_read_holds_up_no_other(
    kind: str, root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder/example"
    folder.mkdir(parents=True)
    file = folder / "a.json"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "large":
        file.touch()
        os.truncate(file, MAX_REPORT_BYTES + 1)
    else:
        file.symlink_to("nowhere" if kind == "dangling link" else "/dev/zero")
    (folder / "b.json").write_text(GOOD, "utf-8")
    access = FeedAccess(QUICK, folder=tmp_path / "folder")
    first, second = fetch_reports(root, loaded(root), NOW, access)
    assert (first.name, first.outcome) == ("a", "refused")
    assert first.why[0].startswith("a.json:1: ")
    assert (second.name, second.outcome) == ("b", "new")


@pytest.mark.parametrize("name", ["nightly", "another"])
def test_a_report_that_the_history_cannot_take_is_refused(
    name: str, fetch: Fetch, root: Path, answers: dict[str, bytes]
) -> None:
    fetch({"nightly": "/good"})
    add_reports(root, folder_reports(root)[0])
    (later,) = [report for _, report in folder_reports(root)[0]]
    answers["/bad"] = GOOD.replace('"passed"', '"failed"').encode()
    if name == "another":
        answers["/bad"] = GOOD.replace("2026-03-01", "2026-02-28").encode()
    (found,) = fetch({name: "/bad"})
    assert found.outcome == "refused"
    assert [report for _, report in folder_reports(root)[0]] == [later]
    assert add_reports(root, folder_reports(root)[0]).problems == ()


def test_one_bad_feed_holds_up_no_other(fetch: Fetch, answers: dict[str, bytes]) -> None:
    answers["/bad"] = b"{"
    outcomes = {f.name: f.outcome for f in fetch({"bad": "/bad", "gone": "/no", "good": "/good"})}
    assert outcomes == {"bad": "refused", "gone": "unreachable", "good": "new"}


def test_a_report_that_is_wrong_within_its_folder_is_refused_and_main_stays_green(
    fetch: Fetch, root: Path, answers: dict[str, bytes]
) -> None:
    answers["/same"] = GOOD.encode()
    first, second = fetch({"one": "/good", "two": "/same"})
    assert (first.outcome, second.outcome) == ("new", "refused")
    assert 'one.json has tests of "models" with the same start time' in second.why[0]
    assert not result(root, "two").exists()
    assert errors(load_and_check(root, NOW.date())[1]) == []
    again = fetch({"one": "/good", "two": "/same"})
    assert [found.outcome for found in again] == ["unchanged", "refused"]


def test_a_folder_that_is_full_takes_no_further_report(
    fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_file, "MAX_REPORTS", 1)
    fetch({"one": "/good"})
    (found,) = fetch({"two": "/good"})
    assert found.outcome == "refused"
    assert "the folder has 2 reports, more than 1" in found.why[0]
    assert [found.outcome for found in fetch({"one": "/good"})] == ["unchanged"]


def test_all_feeds_together_have_a_deadline(fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "SECONDS_IN_ALL", 3.0)
    first, second = fetch({"good": "/good", "slow": "/slow"})
    assert (first.outcome, second.outcome) == ("new", "unreachable")
    assert "within 0.0 minutes, the limit for all feeds" in second.why[0]


def test_without_feeds_nothing_is_asked(fetch: Fetch) -> None:
    assert fetch({}) == []


def test_runs_of_this_project_come_from_a_folder(root: Path, tmp_path: Path) -> None:
    own = GOOD.replace("self-reported", "made-here")
    for path, text in {
        "example/here.json": own,
        "example/Bad Name.json": own,
        "example/broken.json": "{",
        "unknown/here.json": own,
    }.items():
        file = tmp_path / "own" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    found = fetch_reports(root, loaded(root), NOW, FeedAccess(QUICK, made_here=tmp_path / "own"))
    assert {f"{f.accelerator}/{f.name}": f.outcome for f in found} == {
        "example/here": "new",
        "example/Bad Name": "refused",
        "example/broken": "refused",
        "unknown/here": "refused",
    }
    assert result(root, "here").read_text("utf-8") == own
    (root / "data/own-runs.yaml").unlink()
    access = FeedAccess(QUICK, made_here=tmp_path / "own")
    found = fetch_reports(root, loaded_anyway(root), NOW, access)
    assert {f.outcome for f in found} == {"refused"}
