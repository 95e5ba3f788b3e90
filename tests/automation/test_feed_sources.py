"""Releases and artifacts by the real client from the double of GitHub; addresses from loopback."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
import pytest

from accelerator_automation.feeds import DEFAULT_LIMITS, FeedBody, FeedError, fetch_bodies
from accelerator_automation.github.client import GitHubClient
from accelerator_portal.catalog.files.accelerator import ReleaseAsset, ReportFeed, WorkflowArtifact
from accelerator_portal.http import HttpClient, HttpResponse, RequestLimits, count_traffic
from tests.automation.github_double import HOME, Fault, GitHubDouble
from tests.automation.made_up import archive

REPORT = b'{"made": "up"}'
QUICK = RequestLimits(attempts=1, timeout=2, total_timeout=5, first_pause=0)


def feed(
    url: str | None = None,
    sha256: str | None = None,
    release: ReleaseAsset | None = None,
    artifact: WorkflowArtifact | None = None,
) -> ReportFeed:
    """A feed that may be on loopback, which a declared one may not."""
    return ReportFeed.model_construct(
        name="nightly", source=("x",), url=url, sha256=sha256, release=release, artifact=artifact
    )


def zipped(**files: bytes) -> bytes:
    return archive({f"{name}.json": content for name, content in files.items()})


def brought(one: ReportFeed, client: GitHubClient | None) -> FeedBody | str:
    (found,) = fetch_bodies([one], QUICK, client)
    return str(found) if isinstance(found, FeedError) else found


ASSET = feed(release=ReleaseAsset(repository=HOME, asset="report.json"))
ARTIFACT = feed(
    artifact=WorkflowArtifact(repository=HOME, workflow="nightly.yml", artifact="report")
)


def release(double: GitHubDouble, **changed: object) -> None:
    double.files[7] = REPORT
    digest = f"sha256:{hashlib.sha256(REPORT).hexdigest()}"
    asset = {"id": 7, "name": "report.json", "size": len(REPORT), "digest": digest} | changed
    double.releases[HOME] = {"assets": [{**asset, "id": 7}]}


def run(double: GitHubDouble, number: int, archive: bytes, **changed: object) -> None:
    """A run, the newest first."""
    made: dict[str, Any] = {
        "id": number,
        "event": "schedule",
        "path": ".github/workflows/nightly.yml",
        "head_branch": "main",
        "conclusion": "success",
        "head_repository": {"full_name": HOME},
        "created_at": "2026-10-01T02:00:00Z",
    }
    double.runs.setdefault(HOME, []).insert(0, made | changed)
    double.add_artifact(HOME, number, "report", archive)


def test_a_file_of_the_newest_release_is_brought(
    double: GitHubDouble, client: GitHubClient
) -> None:
    release(double)
    with count_traffic() as traffic:
        assert brought(ASSET, client) == REPORT
    assert traffic.requests == len(double.asked) == 3
    release(double, digest=None)
    assert brought(ASSET, client) == REPORT


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"name": "other.json"}, "the newest release of example/portal has no report.json"),
        ({"digest": f"sha256:{'0' * 64}"}, "its checksum doesn't match"),
        ({"digest": "md5:0"}, "its checksum is not a SHA-256 checksum"),
        ({"size": 10**12}, "report.json has more than "),
    ],
)
def test_another_file_than_was_declared_is_named(
    changed: dict[str, object], why: str, double: GitHubDouble, client: GitHubClient
) -> None:
    release(double, **changed)
    assert str(brought(ASSET, client)).startswith(why)


def test_the_newest_run_that_left_something_is_taken(
    double: GitHubDouble, client: GitHubClient
) -> None:
    run(double, 1, zipped(report=REPORT))
    run(double, 2, zipped(report=b"{}"), conclusion="failure")
    run(double, 3, zipped(report=b"{}"), head_branch="other")
    assert brought(ARTIFACT, client) == REPORT
    run(double, 4, zipped(report=b"newer"))
    assert brought(ARTIFACT, client) == b"newer"
    double.artifacts[max(double.artifacts)]["expired"] = True
    assert brought(ARTIFACT, client) == REPORT


@pytest.mark.parametrize(
    "forged",
    [
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"head_repository": {"full_name": "stranger/portal"}},
        {"head_repository": None},
    ],
)
def test_a_fork_cannot_leave_a_report_in_a_vendors_name(
    forged: dict[str, object], double: GitHubDouble, client: GitHubClient
) -> None:
    run(double, 1, zipped(report=b"forged"), **forged)
    assert brought(ARTIFACT, client) == "no successful run of nightly.yml on main has report"


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (b"no archive", "the archive cannot be read"),
        (zipped(other=REPORT), "the artifact report has no report.json"),
        (zipped(**{f"n{n}": b"" for n in range(30)}), "the archive has more than 10 files"),
    ],
)
def test_an_artifact_that_is_none_is_named(
    archive: bytes, why: str, double: GitHubDouble, client: GitHubClient
) -> None:
    run(double, 1, archive)
    (found,) = fetch_bodies([ARTIFACT], QUICK, client)
    assert isinstance(found, FeedError)
    assert (str(found), found.refused) == (why, True)


def test_what_github_refuses_or_nobody_may_ask_is_named(
    double: GitHubDouble, client: GitHubClient
) -> None:
    assert brought(ASSET, None) == "no request was sent to GitHub, because there is no token"
    assert brought(ASSET, client) == f"repos/{HOME}/releases/latest: Not Found (HTTP 404)"
    double.faults.append(Fault("releases", status=403, message="Forbidden", times=9))
    assert brought(ASSET, client) == f"repos/{HOME}/releases/latest: Forbidden (HTTP 403)"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (f"{hashlib.sha256(REPORT).hexdigest()}  report.json\n", REPORT),
        (hashlib.sha256(REPORT).hexdigest().upper(), REPORT),
        ("0" * 64, "its checksum doesn't match"),
        ("", "its checksum is not a SHA-256 checksum"),
    ],
)
def test_a_checksum_beside_an_address_is_compared(
    said: str, expected: FeedBody | str, double: GitHubDouble
) -> None:
    double.files |= {1: REPORT, 2: said.encode()}
    one = feed(url=f"{double.home}/files/1", sha256=f"{double.home}/files/2")
    assert brought(one, None) == expected


def test_each_feed_has_its_own_answer_in_order(double: GitHubDouble, client: GitHubClient) -> None:
    release(double)
    double.files[1] = b"1"
    feeds = [feed(url=f"{double.home}/files/1"), ASSET, feed(url=f"{double.home}/files/9"), ASSET]
    found = fetch_bodies(feeds, QUICK, client)
    assert found[:2] == [b"1", REPORT]
    assert isinstance(found[2], FeedError)
    assert found[3] == REPORT


def test_an_address_that_nobody_can_ask_spoils_no_other_feed(client: GitHubClient) -> None:
    """`xn--` is no name in Punycode: httpx raises an error of its own for it."""
    bad = [feed(url) for url in ("https://xn--/", "https://[", "https://example.org:99999999/")]
    found = fetch_bodies([*bad, ASSET], QUICK, client)
    assert all(isinstance(one, FeedError) for one in found[:3]), found
    assert str(found[0]) == "an invalid address"


def test_a_fault_that_nobody_foresaw_is_one_feeds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def get(_: HttpClient, url: str, *__: object, **___: object) -> HttpResponse:
        if "bad" in url:
            raise ZeroDivisionError("made up")
        return HttpResponse(200, httpx.Headers(), REPORT)

    monkeypatch.setattr(HttpClient, "get", get)
    first, second = fetch_bodies(
        [feed("https://bad.example/"), feed("https://a.example/")], QUICK, None
    )
    assert str(first) == "it could not be read (ZeroDivisionError: made up)"
    assert second == REPORT


def test_a_feed_on_the_machine_itself_is_not_asked() -> None:
    (found,) = fetch_bodies([feed("http://localhost:1/x")], DEFAULT_LIMITS, None)
    assert isinstance(found, FeedError)
    assert (str(found), found.refused) == ("the host is on a private network", True)
