"""Bringing what stands at the declared feeds, each by its own way; it is not believed yet."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from accelerator_portal.automation.events import Artifacts, Number, Part, Repository
from accelerator_portal.automation.github import Api, GitHubError, read
from accelerator_portal.automation.zip_members import ArtifactError, members
from accelerator_portal.catalog.report_feed import ReleaseAsset, ReportFeed, WorkflowArtifact
from accelerator_portal.http.client import HttpClient, open_client
from accelerator_portal.http.errors import FetchError, InvalidResponseError
from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.reports.reading import MAX_REPORT_BYTES

AGENT = "accelerator-portal (fetches test reports)"
FILE = "report.json"
LIMITS = RequestLimits(public_hosts_only=True)

# A pull request of a fork can start none of these, and so cannot leave a report in a vendor's name.
EVENTS = {"push", "repository_dispatch", "schedule", "workflow_dispatch"}

SECONDS_IN_ALL = 10 * 60
"""So long feeds are asked; one vendor's slow answers must not take the night of all."""

_AT_ONCE = 8
_MOST_CHECKSUM = 4096
_SHA256 = re.compile(r"\b[0-9a-f]{64}\b")


class FeedError(Exception):
    """What stands at a feed could not be had, or is not what its checksum says."""

    def __init__(self, what: str, *, refused: bool = False) -> None:
        super().__init__(what)
        self.refused = refused
        """It came, and is not what it should be."""


Body = bytes | FeedError


class _Asset(Part):
    id: Number
    name: str
    size: int
    digest: str | None = None


class _Release(Part):
    assets: tuple[_Asset, ...]


class _Run(Part):
    id: Number
    event: str
    head_repository: Repository | None


class _Runs(Part):
    workflow_runs: tuple[_Run, ...]


def bodies(
    feeds: Iterable[ReportFeed], limits: RequestLimits | None, api: Api | None
) -> list[Body]:
    """Return what stands at each feed, or why it could not be had, in their order.

    `api` is GitHub's; without one, what stands there cannot be had. Without `limits`, hosts of the
    own network are refused.
    """
    listed = list(feeds)
    end = time.monotonic() + SECONDS_IN_ALL
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        on_github = [pool.submit(_of_github, feed, api, end) for feed in listed if feed.url is None]
        with_address = [feed for feed in listed if feed.url]
        addressed = iter(asyncio.run(_addressed(with_address, limits)) if with_address else ())
        waiting = iter(on_github)
        return [next(addressed) if feed.url else next(waiting).result() for feed in listed]


def _unexpected(error: Exception) -> FeedError:
    """What nobody foresaw about one feed is told as its own, and keeps no other from being read."""
    return FeedError(f"it could not be read ({type(error).__name__}: {error})")


async def _addressed(feeds: list[ReportFeed], limits: RequestLimits | None) -> list[Body]:
    async with open_client(AGENT, limits or LIMITS) as client:
        end = asyncio.get_running_loop().time() + SECONDS_IN_ALL

        async def one(feed: ReportFeed) -> Body:
            try:
                async with asyncio.timeout_at(end):
                    return await _one(client, feed)
            except TimeoutError:
                return _late()
            except FetchError as error:
                return FeedError(str(error), refused=isinstance(error, InvalidResponseError))
            except FeedError as error:
                return error
            except Exception as error:  # noqa: BLE001 - one feed must not end the night
                return _unexpected(error)

        return list(await asyncio.gather(*map(one, feeds)))


async def _one(client: HttpClient, feed: ReportFeed) -> bytes:
    answer = await client.get(
        feed.url or "", {"accept": "application/json"}, max_bytes=MAX_REPORT_BYTES
    )
    if feed.sha256:
        said = await client.get(feed.sha256, max_bytes=_MOST_CHECKSUM)
        _verify(answer.body, said.body.decode("ascii", "replace").lower())
    return answer.body


def _verify(body: bytes, said: str) -> None:
    found = _SHA256.search(said)
    if found is None:
        raise FeedError("its checksum is not a SHA-256 checksum", refused=True)
    if hashlib.sha256(body).hexdigest() != found[0]:
        raise FeedError("its checksum doesn't match", refused=True)


def _late() -> FeedError:
    return FeedError(
        f"it was not received within {SECONDS_IN_ALL // 60} minutes, the limit for all feeds"
    )


def _of_github(feed: ReportFeed, api: Api | None, end: float) -> Body:
    if api is None:
        return FeedError("no request to GitHub: there is no token")
    return _late() if time.monotonic() > end else _asked_of_github(feed, api)


def _asked_of_github(feed: ReportFeed, api: Api) -> Body:
    try:
        if feed.release:
            return _asset(feed.release, api)
        if feed.artifact:
            return _artifact(feed.artifact, api)
    except (GitHubError, ArtifactError) as error:
        return FeedError(str(error))
    except FeedError as error:
        return error
    except Exception as error:  # noqa: BLE001 - one feed must not end the night
        return _unexpected(error)
    raise LookupError(f"the feed {feed.name} has no location")  # its model refuses that


def _asset(place: ReleaseAsset, api: Api) -> bytes:
    home = f"repos/{place.repository}/releases"
    release = read(api, f"{home}/latest", _Release)
    found = next((asset for asset in release.assets if asset.name == place.asset), None)
    if found is None:
        raise FeedError(f"the newest release of {place.repository} has no {place.asset}")
    if found.size > MAX_REPORT_BYTES:
        raise FeedError(f"{place.asset} has more than {MAX_REPORT_BYTES:,} bytes", refused=True)
    body = api.download(f"{home}/assets/{found.id}", MAX_REPORT_BYTES)
    if found.digest:
        _verify(body, found.digest)
    return body


def _artifact(place: WorkflowArtifact, api: Api) -> bytes:
    home = f"repos/{place.repository}/actions"
    query = f"branch={place.branch}&status=success&exclude_pull_requests=true&per_page=50"
    runs = read(api, f"{home}/workflows/{place.workflow}/runs?{query}", _Runs).workflow_runs
    for run in runs:
        source = run.head_repository.full_name if run.head_repository else ""
        if run.event not in EVENTS or source.casefold() != place.repository.casefold():
            continue
        query = f"name={place.artifact}&per_page=20"
        listed = read(api, f"{home}/runs/{run.id}/artifacts?{query}", Artifacts).artifacts
        if kept := [artifact for artifact in listed if not artifact.expired]:
            archive = api.download(f"{home}/artifacts/{kept[0].id}/zip", MAX_REPORT_BYTES)
            files = members(archive, {FILE: MAX_REPORT_BYTES}, MAX_REPORT_BYTES)
            if FILE not in files:
                raise FeedError(f"the artifact {place.artifact} has no {FILE}", refused=True)
            return files[FILE]
    what = f"no successful run of {place.workflow} on {place.branch} has {place.artifact}"
    raise FeedError(what)
